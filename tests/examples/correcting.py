"""A run of Corrective RAG whose search was ambiguous: refined, and searched elsewhere."""

from __future__ import annotations

from core.corpora.sentence_spans import sentences
from core.skills.evaluate_passage import recomposed
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


def _judged(round_: int) -> tuple[Grade, ...]:
    """What a model makes of the passages found elsewhere: the first alone holds a part, in its first sentence."""
    return tuple(
        Grade(
            what="Holds", verdict="no" if place else "partly", passes=not place, reason="So it is.",
            passage=hit.passage, round=round_, skill="evaluate_passage", method="model",
        )
        for place, hit in enumerate(ranking(1).used)
    )  # fmt: skip


ELSEWHERE = _judged(2)
BOTH = Refinement(
    passages=(
        *REFINEMENT.passages,
        *(
            RefinedPassage(
                passage=grade.passage,
                strips=tuple(
                    Strip(text=text, kept=grade.passes and not place)
                    for place, text in enumerate(sentences(grade.passage.text))
                ),
            )
            for grade in ELSEWHERE
            if grade.passage and grade.passage.chunk not in {one.passage.chunk for one in REFINEMENT.passages}
        ),
    )
)


def corrective(run: str = "", *, both: bool = False) -> list[Event]:
    """A finished run of Corrective RAG; with `both`, what was found elsewhere is refined as well."""
    script = Script()
    script.start("corrective", run=run)
    made = (
        ("retrieve", 0, (ranking(0),)),
        ("grade", 1, GRADES),
        ("judge", 2, (Grade(what="Search", verdict="ambiguous", passes=True, reason="None holds it all."),)),
        ("refine", 3, (REFINEMENT,)),
        ("rewrite", 3, (Rewrite(before=QUESTION, after=QUERIES[1], cause="It was judged ambiguous."),)),
        ("elsewhere", 4, (ranking(1),)),
        *((("grade_elsewhere", 5, ELSEWHERE), ("refine", 6, (BOTH,))) if both else ()),
        ("evidence", 7, (_evidence(),)),
    )
    for node, layer, artefacts in made:
        step = f"s-{node}-{layer}"
        script.step(step, node, layer)
        for artefact in artefacts:
            script.make(step, artefact)
        script.done(step)
    answering(script, 8, "s-evidence-7")
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
