"""Corrective RAG's parameters and state, and what follows from it: the verdict, the ways on, the refined passages."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from core.errors import InputError
from core.skills.evaluate_passage import Thresholds
from core.strategies.base import OneSearchParams, RagState
from core.trace.artefacts import Answer, Grade, Ranking, RefinedPassage, Refinement, Rewrite, Strip
from core.trace.passages import Passage

USUAL = Thresholds()


class Params(OneSearchParams):
    """When a search is trusted, and where to look when it is not."""

    k: int = Field(
        6,
        ge=1,
        le=20,
        title="Passages",
        description="How many passages each search brings in. All are judged; the answer is given only what is kept "
        "of them.",
    )

    elsewhere: Literal["retriever", "corpus", "memory"] = Field(
        "retriever",
        title="Look elsewhere",
        description="Where to look when the search is not correct; the paper searches the web. Retriever: the same "
        "documents, searched in another way. Corpus: other documents. Memory: what the model knows by itself, without "
        "a source.",
    )
    corpus: str = Field(
        "",
        max_length=200,
        title="Other corpus",
        description="Name of the other documents.",
        json_schema_extra={"applies": {"elsewhere": ["corpus"]}, "names": "corpus"},
    )
    rewrite: bool = Field(
        True,
        title="Rewrite the question",
        description="Whether to reword the question before looking elsewhere, as the paper does. It takes a round.",
        json_schema_extra={"applies": {"elsewhere": ["retriever", "corpus"]}},
    )
    upper: float = Field(
        USUAL.upper,
        ge=0,
        le=1,
        title="Upper threshold",
        description="Score from which a passage counts as holding the answer. For methods that give scores; a model "
        "gives verdicts.",
    )
    lower: float = Field(
        USUAL.lower,
        ge=0,
        le=1,
        title="Lower threshold",
        description="Score below which a passage counts as holding nothing of the answer; between the two, as holding "
        "a part. If it is above the upper threshold, the upper one counts for both.",
    )
    strips: int = Field(
        30,
        ge=1,
        le=200,
        title="Strips at most",
        description="How many strips of a search are kept, the best of all its passages; the paper keeps 5. For "
        "methods that give scores; a model names the strips that are needed.",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_margin(cls, values: Any) -> Any:
        """Runs stored earlier kept the strips of each passage that lay within a margin of its best one."""
        if not isinstance(values, dict):
            return values
        return {name: value for name, value in values.items() if name != "margin"}


class State(RagState, total=False):
    """Adds what was found, judged, refined, and found elsewhere."""

    ranking: Ranking
    grades: Annotated[list[tuple[int, Grade]], operator.add]
    """Of each passage, with its index in its ranking, in round 2 if it was found elsewhere; and of the search."""
    strips: list[tuple[Strip, ...]]
    """Of each passage, in the order of the ranking."""
    strips_elsewhere: list[tuple[Strip, ...]]
    refinement: Refinement
    rewrite: Rewrite
    elsewhere: Ranking
    """Without what was judged already."""
    memory: Answer


def other_corpus(params: Params) -> str:
    """Name of the other corpus that may be searched; empty: there is none.

    Raises:
        InputError: There is to be one, but none is named.
    """
    if params.elsewhere != "corpus":
        return ""
    if not params.corpus.strip():
        raise InputError("To look elsewhere in another corpus, choose it among the parameters.")
    return params.corpus.strip()


def verdict(state: State) -> str:
    """Of the search: correct, ambiguous or incorrect."""
    return next(grade.verdict for _, grade in reversed(state["grades"]) if grade.what == "Search")


def ways(state: State, params: Params) -> list[str]:
    """After Judge: refine what was found, look elsewhere, or both."""
    away = way_out(params)
    return {"correct": ["refine"], "ambiguous": ["refine", away], "incorrect": [away]}[verdict(state)]


def way_out(params: Params) -> str:
    """The first step to elsewhere."""
    return "rewrite" if params.rewrite and params.elsewhere != "memory" else "elsewhere"


def passage_grades(state: State, number: int = 1) -> list[tuple[int, Grade]]:
    """The grades of the passages of the first search, or of that elsewhere, each with its index in the ranking."""
    return [pair for pair in state["grades"] if pair[1].what == "Holds" and pair[1].round == number]


def refined(state: State, number: int, most: int) -> tuple[RefinedPassage, ...]:
    """The passages of a search in strips, of which those are kept that are needed.

    Strips with scores compete over all passages, whatever these are graded, and the best `most` are kept (Algorithm 1
    and section 4.4 of the paper). Else those are kept that the evaluator named; all of a passage of which it named
    none, or whose grade somebody changed; and none if the passage is graded no.
    """
    ranking, every = (
        (state["ranking"], state["strips"])
        if number == 1
        else (state["elsewhere"], state["strips_elsewhere"])
    )
    grades = passage_grades(state, number)
    scores = {
        (index, place): strip.score
        for index, grade in grades
        if grade.score is not None
        for place, strip in enumerate(every[index])
        if strip.score is not None
    }
    best = set(sorted(scores, key=lambda place: -scores[place])[:most])

    def is_kept(index: int, grade: Grade, place: int, strip: Strip) -> bool:
        if grade.score is not None:
            return (index, place) in best
        return grade.verdict != "no" and (strip.kept or not any(other.kept for other in every[index]))

    return tuple(
        RefinedPassage(
            passage=ranking.used[index].passage,
            strips=tuple(
                strip.model_copy(update={"kept": is_kept(index, grade, place, strip)})
                for place, strip in enumerate(every[index])
            ),
        )
        for index, grade in grades
    )


def not_again(state: State) -> list[Passage]:
    """Passages that need not be found elsewhere: those that are given in any case, and those that a judge refused.

    A low score refuses nothing for good: what another search finds may not resemble the question.
    """
    refines = verdict(state) == "ambiguous"
    return [
        grade.passage
        for _, grade in passage_grades(state)
        if grade.passage and (refines if grade.passes else grade.score is None)
    ]


def place(params: Params, ranking: Ranking) -> str:
    """Where passages of a search elsewhere are from, in words."""
    return f"a search in “{params.corpus}”" if params.elsewhere == "corpus" else f"{ranking.retriever} search"
