"""A run of Corrective RAG whose search was ambiguous: refined, and searched elsewhere."""

from __future__ import annotations

from core.skills.evaluate_passage import recomposed
from core.skills.sentences import sentences
from core.trace.artefacts import (
    Context,
    ContextPassage,
    Grade,
    RefinedPassage,
    Refinement,
    Rewrite,
    Strip,
)
from core.trace.events import Event
from tests.examples.parts import PASSAGES, QUERIES, QUESTION, ranking
from tests.examples.runs import answering
from tests.examples.script import Script

SCORES = (0.61, 0.44, 0.35)
"""Of the first passages, against the thresholds 0.43 and 0.66."""
GRADES = tuple(
    Grade(
        what="Holds", verdict="partly" if score > 0.43 else "no", passes=score > 0.43, score=score,
        thresholds=(0.43, 0.66), reason=f"Cosine of its nearest sentence: {score}.", passage=hit.passage,
        skill="evaluate_passage", method="embedding",
    )
    for score, hit in zip(SCORES, ranking(0).hits, strict=False)
)  # fmt: skip
REFINEMENT = Refinement(
    passages=tuple(
        RefinedPassage(
            passage=grade.passage,
            strips=tuple(
                Strip(text=text, kept=grade.passes and not place, score=0.5)
                for place, text in enumerate(sentences(grade.passage.text))
            ),
        )
        for grade in GRADES
        if grade.passage
    )
)


def corrective(run: str = "") -> list[Event]:
    """A finished run of Corrective RAG."""
    script = Script()
    script.start("corrective", run=run)
    made = (
        ("retrieve", 0, (ranking(0),)),
        ("grade", 1, GRADES),
        ("judge", 2, (Grade(what="Search", verdict="ambiguous", passes=True, reason="None holds it all."),)),
        ("refine", 3, (REFINEMENT,)),
        ("rewrite", 3, (Rewrite(before=QUESTION, after=QUERIES[1], cause="It was judged ambiguous."),)),
        ("elsewhere", 4, (ranking(1),)),
        ("evidence", 5, (_evidence(),)),
    )
    for node, layer, artefacts in made:
        script.step(f"s-{node}", node, layer)
        for artefact in artefacts:
            script.make(f"s-{node}", artefact)
        script.done(f"s-{node}")
    answering(script, 6, "s-evidence")
    return script.events


def _evidence() -> Context:
    kept = [recomposed(one.passage, one.strips) for one in REFINEMENT.passages[:2]]
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=None, passage=passage, given=True, source=source)
            for rank, (passage, source) in enumerate(
                [*((one, "") for one in kept), (PASSAGES[4], "keyword search")], 1
            )
        )
    )
