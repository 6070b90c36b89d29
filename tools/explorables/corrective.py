"""Corrective RAG with handles: the grades of passages are changed, and the search is judged and corrected again."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from core.cards.kind import Scene
from core.cards.passages import STAR, stars_of
from core.cards.turns import WAYS, names_in, turns
from core.strategies import corrective as nodes
from core.strategies.corrective import STRATEGY
from core.strategies.corrective_state import Params, State, verdict, ways
from core.trace.artefacts import Grade, Ranking, Refinement, Strip
from core.trace.events import ListTracer
from core.trace.passages import Hit
from tools.explorables.recorded import answered, done, gallery_run, head, numbered

RUN = "recorded-corrective"
HOW = (
    "Does a passage hold the answer, a part of it, or nothing? Change what the evaluator says of it. The picture shows "
    "the verdict on the whole search, and where the run goes from there."
)


def make() -> dict[str, Any]:
    """The turns of the run, and the grade and strips of each passage."""
    run = gallery_run(RUN)
    recorded = turns(Scene(run))
    if recorded is None or run.started is None:
        raise ValueError(f"{RUN} has graded nothing")
    params = Params.model_validate(run.started.params)
    stars = stars_of(run)
    first, *_ = run.find(Ranking)
    refinement, *_ = run.find(Refinement)
    grades = {one.passage.chunk: one for one in run.find(Grade) if one.passage and one.round == 1}
    strips = {one.passage.chunk: [strip.kept for strip in one.strips] for one in refinement.passages}
    details = names_in(run).details
    return head(run, HOW) | {
        "colour": STRATEGY.colour,
        "rewrite": params.rewrite,
        "ways": WAYS,
        "passages": [
            {
                "chunk": hit.passage.chunk,
                "name": f"{STAR} " * (hit.passage.chunk in stars)
                + " · ".join(filter(None, (hit.passage.title, details[hit.passage.chunk]))),
                "verdict": grades[hit.passage.chunk].verdict,
                "strips": strips[hit.passage.chunk],
            }
            for hit in first.used
        ],
        "elsewhere": [
            item.passage.chunk
            for item in (run.context.passages if run.context else ())
            if item.given and item.source
        ],
        "stars": sorted(stars),
        "recorded": {**recorded, "answer": answered(run)},
    }


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict on the search, the `ways` from there, and how many strips are `kept` of each passage.

    Args:
        data: As `make` gives it.
        values: `grade1` and so on: "yes", "partly" or "no".
    """
    verdicts = [values[f"grade{place}"] for place in range(1, len(data["passages"]) + 1)]
    params = Params(rewrite=data["rewrite"])
    runtime: Any = SimpleNamespace(context=SimpleNamespace(params=params, tracer=ListTracer()))
    passages = [numbered(place) for place in range(len(verdicts))]
    hits = tuple(Hit(passage=one, rank=rank, score=0.0) for rank, one in enumerate(passages, 1))
    state: State = {
        "question": data["question"],
        "ranking": Ranking(query="", retriever="dense", score_name="", k=len(hits), hits=hits),
        "grades": [
            (place, Grade(what="Holds", verdict=verdict, passes=verdict != "no", passage=passages[place]))
            for place, verdict in enumerate(verdicts)
        ],
        "strips": [tuple(Strip(text="", kept=kept) for kept in one["strips"]) for one in data["passages"]],
    }
    state["grades"] += done(nodes.judge(state, runtime))["grades"]
    onward = ways(state, params)
    refined = done(nodes.refine(state, runtime))["refinement"].passages if "refine" in onward else ()
    return {
        "verdict": verdict(state),
        "reason": state["grades"][-1][1].reason,
        "ways": onward,
        "kept": [sum(strip.kept for strip in one.strips) for one in refined],
    }
