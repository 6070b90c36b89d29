"""Self-RAG's parameters and state, and what its steps read off it: drafts with their grades, passages, rewritings."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from core.strategies.base import OneSearchParams, RagState
from core.trace.artefacts import Answer, Context, Grade, Ranking, Rewrite
from core.trace.passages import Passage

SUPPORT = {"fully": 2, "partially": 1, "no": 0}
MEMORY = 0
"""The round of a draft that was written without any search."""


class Params(OneSearchParams):
    """How often a run may repair itself, and what it is content with."""

    gives = ""  # passages that are graded irrelevant are left out
    k: int = Field(
        4,
        ge=1,
        le=20,
        title="New chunks per search",
        description="How many chunks each search brings in that were not judged before. The answer is given the "
        "relevant ones of all searches.",
    )
    max_rewrites: int = Field(
        2,
        ge=0,
        le=5,
        title="Rewrites at most",
        description="How often the question may be reworded and searched again in one run.",
    )
    max_regenerations: int = Field(
        2,
        ge=0,
        le=5,
        title="Regenerations at most",
        description="How often an answer that is not fully supported may be written again in one run.",
    )
    useful_from: int = Field(
        4,
        ge=1,
        le=5,
        title="Useful from IsUse",
        description="Lowest IsUse grade, from 1 to 5, that counts as useful.",
    )
    decide_retrieval: bool = Field(
        False,
        title="Decide whether to search",
        description="Ask first, once, whether documents are needed at all; the paper's Retrieve token asks before each "
        "sentence. If not, the model answers from memory, and only the use of that answer is graded.",
    )


class State(RagState, total=False):
    """Adds what was found, judged, written and reworded."""

    ranking: Ranking
    searches: Annotated[list[str], operator.add]
    """The queries so far, in order."""
    rewrite: Rewrite
    """The last rewriting; its `round` is the number of rewritings."""
    grades: Annotated[list[tuple[int, Grade]], operator.add]
    """With the index of the chunk in its ranking (IsRel), or of the draft (IsSup, IsUse)."""
    drafts: Annotated[list[tuple[int, Answer, Context]], operator.add]
    """With the round it belongs to and the evidence it was written from."""
    capped: str
    """Why no more calls can be made, as a sentence; missing: they can."""


@dataclass(frozen=True)
class Draft:
    """An answer with its grades, as far as it has them."""

    round: int
    answer: Answer
    context: Context
    support: Grade | None
    use: Grade | None

    @property
    def supported(self) -> bool:
        """Fully or partially; what was written from memory is not."""
        return self.support is not None and self.support.verdict != "no"

    @property
    def unsupported(self) -> str:
        """The grader's words on a draft that is supported in part; else empty."""
        return self.support.reason if self.support and self.support.verdict == "partially" else ""

    def useful(self, useful_from: int) -> bool:
        """True if IsUse is high enough."""
        return self.use is not None and int(self.use.verdict) >= useful_from

    def good(self, useful_from: int) -> bool:
        """True if the run may end with it."""
        return (self.supported or self.round == MEMORY) and self.useful(useful_from)

    @property
    def worth(self) -> tuple[bool, int, int]:
        """Supported first; then the paper's sum of both grades, of which IsUse has half the weight (section 3.3: a step
        of IsSup counts as much as two of IsUse); then useful."""
        use = int(self.use.verdict) if self.use else 0
        return self.supported, 2 * SUPPORT[self.support.verdict if self.support else "no"] + use, use


def rewrites(state: State) -> int:
    """How often the question was reworded."""
    return state["rewrite"].round if "rewrite" in state else 0


def searched(state: State) -> str:
    """The query: the question, or its last rewriting."""
    return state["rewrite"].after if "rewrite" in state else state["question"]


def drafts(state: State) -> list[Draft]:
    """All drafts in order, each with its grades."""
    grades = {(grade.what, index): grade for index, grade in state.get("grades", [])}
    return [
        Draft(number, answer, context, grades.get(("IsSup", index)), grades.get(("IsUse", index)))
        for index, (number, answer, context) in enumerate(state.get("drafts", []))
    ]


def regenerations(state: State) -> int:
    """How often an answer was written again from the same evidence."""
    written = state.get("drafts", [])
    return len(written) - len({number for number, _, _ in written})


def judged_passages(state: State) -> list[Passage]:
    """All passages that were judged so far."""
    return [grade.passage for grade in passage_grades(state).values() if grade.passage]


def passage_grades(state: State) -> dict[str, Grade]:
    """Chunk -> its grade (IsRel), of all that were judged so far."""
    return {grade.passage.chunk: grade for _, grade in state.get("grades", []) if grade.passage}


def unchanged(state: State) -> bool:
    """True if the last draft was written from the very passages that are there now."""
    written = [draft for draft in drafts(state) if draft.round != MEMORY]
    return bool(written) and written[-1].context.given_passages == state["context"].given_passages


def cause(state: State) -> str:
    """Why the question is reworded, as a sentence."""
    number = rewrites(state) + 1
    last = next((draft for draft in reversed(drafts(state)) if draft.round == number), None)
    if unchanged(state) and last is None:
        return "The last search brought in nothing new that is relevant."
    if last is None or last.use is None:
        count = len(state["ranking"].used)
        return f"IsRel: none of the {count} passages found is relevant." if count else "Nothing was found."
    only = f"IsSup {last.support.verdict}: {last.unsupported}" if last.support and last.unsupported else ""
    grade = f"IsUse {last.use.verdict} of 5: the answer is not useful enough."
    return " ".join(filter(None, (grade, last.use.reason, only)))
