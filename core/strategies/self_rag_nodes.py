"""Self-RAG's nodes, and the decisions between them; the graph itself is in `self_rag`."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from core.jobs import at_once
from core.skills.answer import answer as answer_skill
from core.skills.answer import recall
from core.skills.answer_again import answer_again
from core.skills.decide_retrieval import decide_retrieval
from core.skills.grade_relevance import grade_relevance
from core.skills.grade_support import grade_support
from core.skills.grade_use import grade_use
from core.skills.rewrite_question import brings, rewrite_question
from core.strategies.base import NodeRuntime, OneSearchParams, RagState, Update
from core.strategies.nodes import given_first, new_hits, reported, search_for_new
from core.trace.artefacts import Answer, Context, Grade, Ranking, Rewrite
from core.trace.passages import Passage
from core.trace.tracer import emit_artefact

SUPPORT = {"fully": 2, "partially": 1, "no": 0}
NOTHING_NEW = "This search brought in nothing new that is relevant, so no other answer is written from it."
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
        description="How often the question may be put differently and searched again in one run.",
    )
    max_regenerations: int = Field(
        2,
        ge=0,
        le=5,
        title="Regenerations at most",
        description="How often an answer that is not supported in full may be written again in one run.",
    )
    useful_from: int = Field(
        4,
        ge=1,
        le=5,
        title="Useful from IsUse",
        description="Lowest grade, from 1 to 5, with which an answer counts as useful.",
    )
    decide_retrieval: bool = Field(
        False,
        title="Decide whether to search",
        description="The paper's Retrieve token: ask first whether documents are needed at all. If not, the model "
        "answers from memory, and only the use of that answer is graded.",
    )


class State(RagState, total=False):
    """Adds what was found, judged, written and put differently."""

    ranking: Ranking
    searches: Annotated[list[str], operator.add]
    """What was searched with, in order."""
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
        """What the grader said of a draft that is supported in part; else empty."""
        return self.support.reason if self.support and self.support.verdict == "partially" else ""

    def useful(self, useful_from: int) -> bool:
        """Whether IsUse is high enough."""
        return self.use is not None and int(self.use.verdict) >= useful_from

    def good(self, useful_from: int) -> bool:
        """Whether the run may end with it."""
        return (self.supported or self.round == MEMORY) and self.useful(useful_from)

    @property
    def worth(self) -> tuple[bool, int, int]:
        """Supported first; then the paper's sum of both grades, of which IsUse has half the weight (section 3.3: a step
        of IsSup counts as much as two of IsUse); then useful."""
        use = int(self.use.verdict) if self.use else 0
        return self.supported, 2 * SUPPORT[self.support.verdict if self.support else "no"] + use, use


def rewrites(state: State) -> int:
    """How often the question was put differently."""
    return state["rewrite"].round if "rewrite" in state else 0


def searched(state: State) -> str:
    """What is searched with: the question, or its last rewriting."""
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


def given(context: Context) -> list[Passage]:
    """The passages that an answer is written from."""
    return [item.passage for item in context.passages if item.given]


async def decide(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Retrieve: are documents needed?"""
    grade = await decide_retrieval(runtime.context.skills, state["question"])
    emit_artefact(runtime.context.tracer, grade)
    return {"grades": [(0, grade)]}


async def retrieve(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Search with the question, or with its last rewriting, for chunks that were not judged before."""
    ranking, _ = await search_for_new(runtime.context, searched(state), judged_passages(state))
    return reported(runtime.context, ranking=ranking) | {"searches": [ranking.query]}


async def grade_chunks(state: State, runtime: NodeRuntime[Params]) -> Update:
    """IsRel of every chunk that was not judged before, for the question as it was asked, all at once."""
    context = runtime.context
    number, used = rewrites(state) + 1, state["ranking"].used
    fresh = new_hits(used, judged_passages(state))

    async def grade(index: int, passage: Passage) -> tuple[int, Grade]:
        judged = await grade_relevance(context.skills, state["question"], passage, searched(state))
        judged = judged.model_copy(update={"round": number})
        emit_artefact(context.tracer, judged)
        return index, judged

    new = [(index, hit.passage) for index, hit in enumerate(used) if hit in fresh]
    return {"grades": await at_once(grade(index, passage) for index, passage in new)}


async def evidence(state: State, runtime: NodeRuntime[Params]) -> Update:
    """The relevant chunks of all searches, in the order found; then the other chunks of this search, not given."""
    relevant = verdicts(state)
    before = state["context"].passages if "context" in state else ()
    kept = [(item.passage, item.score) for item in before if item.given]
    old = {passage.chunk for passage, _ in kept}
    hits = [hit for hit in state["ranking"].places if hit.passage.chunk not in old]
    new = [(hit.passage, hit.score) for hit in hits if relevant.get(hit.passage.chunk)]
    rest = [(hit.passage, hit.score) for hit in hits if not relevant.get(hit.passage.chunk)]
    found = given_first([*kept, *new, *rest], len(kept) + len(new))
    if kept and not new:
        found = found.model_copy(update={"note": NOTHING_NEW})
    return reported(runtime.context, context=found)


def judged_passages(state: State) -> list[Passage]:
    """All passages that were judged so far."""
    return [grade.passage for _, grade in state.get("grades", []) if grade.passage is not None]


def verdicts(state: State) -> dict[str, bool]:
    """Chunk -> whether it is relevant, of all that were judged so far."""
    return {
        grade.passage.chunk: grade.verdict == "yes"
        for _, grade in state.get("grades", [])
        if grade.passage is not None
    }


def unchanged(state: State) -> bool:
    """Whether the last draft was written from the very passages that are there now."""
    written = [draft for draft in drafts(state) if draft.round != MEMORY]
    return bool(written) and given(written[-1].context) == given(state["context"])


async def generate(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Answer the question that was asked; after a draft that adds something, tell the model what is unsupported."""
    skills, question, before = runtime.context.skills, state["question"], drafts(state)
    if "context" not in state:
        number, context = MEMORY, Context(passages=())
        draft = await recall(skills, question)
    else:
        number, context = rewrites(state) + 1, state["context"]
        same = [draft for draft in before if draft.round == number]
        if same:
            weak = same[-1].support.reason if same[-1].support else ""
            draft = await answer_again(
                skills, question, given(context), [draft.answer for draft in same], weak
            )
        else:
            draft = await answer_skill(skills, question, given(context))
    draft = draft.model_copy(update={"final": False})
    emit_artefact(runtime.context.tracer, draft)
    return {"drafts": [(number, draft, context)]}


async def grade_answer(state: State, runtime: NodeRuntime[Params]) -> Update:
    """IsSup by the passages given, and IsUse for the question as it was asked: neither waits for the other."""
    context, last = runtime.context, drafts(state)[-1]
    skills, useful_from = context.skills, context.params.useful_from
    asked = [grade_use(skills, state["question"], last.answer, useful_from=useful_from)]
    if last.round != MEMORY:
        asked.insert(0, grade_support(skills, state["question"], last.answer, given(last.context)))
    judged = [grade.model_copy(update={"round": max(last.round, 1)}) for grade in await at_once(asked)]
    for grade in judged:
        emit_artefact(context.tracer, grade)
    return {"grades": [(len(state["drafts"]) - 1, grade) for grade in judged]}


async def rewrite(state: State, runtime: NodeRuntime[Params]) -> Update:
    """Put the question differently, knowing what was searched and what was wrong."""
    number = rewrites(state) + 1
    written = drafts(state)
    judged = {grade.passage.chunk: grade for _, grade in state["grades"] if grade.passage}
    rewritten = await rewrite_question(
        runtime.context.skills,
        state["question"],
        state["searches"],
        cause(state),
        draft=written[-1].answer.text if written else "",
        found=[brings(passage, judged.get(passage.chunk)) for passage in given(state["context"])],
        number=number,
    )
    return reported(runtime.context, rewrite=rewritten)


def cause(state: State) -> str:
    """Why the question is put differently, as a sentence."""
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
