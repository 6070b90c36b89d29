"""Artefacts: the things a strategy makes on its way, as a closed union told apart by `kind`.

Each kind has exactly one card (`core.cards`).
"""

from __future__ import annotations

from operator import not_
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from core.trace.passages import Frozen, Hit, Passage


class Artefact(Frozen):
    """What all artefacts share."""

    channel: ClassVar[str | None] = None
    """State channel that an edited artefact replaces; None: not editable."""

    skill: str = ""
    """Key of the skill that made it; empty: no model task was involved."""
    method: str = ""
    """Which of the skill's methods was used."""
    note: str = ""
    """One sentence a user should read with it: a weak method, a fallback, a limit."""


class Query(Frozen):
    """One text that is sent to the retriever."""

    text: str
    origin: Literal["question", "model", "user"]


class DroppedQuery(Frozen):
    """A variant that was not used, and why."""

    text: str
    reason: str


class Queries(Artefact):
    """Variants of the question, in the order they are searched."""

    kind: Literal["queries"] = "queries"
    channel: ClassVar[str | None] = "queries"

    queries: tuple[Query, ...]
    dropped: tuple[DroppedQuery, ...] = ()


class Ranking(Artefact):
    """What one retriever found for one query, best first.

    Where another judge ordered the hits anew, `skill` is `rerank`, `method` says which one, the scores are its own, and
    each hit has its rank `before`. If that judge failed, none has one: the order is the search's, `note` says why.
    """

    kind: Literal["ranking"] = "ranking"

    query: str
    retriever: str
    """`dense`, `keyword`, `hybrid` or `linked`."""
    score_name: str
    """What the scores are, e.g. `cosine similarity`."""
    k: int = Field(ge=1)
    """How many of the hits the strategy uses; the rest are kept for judging."""
    hits: tuple[Hit, ...]
    recorded: str = ""
    """Name of the recording that holds it; empty: it was searched for."""

    @property
    def used(self) -> tuple[Hit, ...]:
        """The hits that the strategy uses."""
        return self.hits[: self.k]


class RankedList(Frozen):
    """Which query and retriever a column of ranks belongs to."""

    query: str
    retriever: str


class RankRow(Frozen):
    """One passage and its rank in each list."""

    passage: Passage
    ranks: tuple[int | None, ...]
    """Rank from 1 in each list, in the order of `lists`; None: not in that list."""
    score: float | None = None
    """None in a plain union, which has none; runs stored earlier have 0 there."""


class FusedRow(RankRow):
    """One passage, its rank in each list and what they come to."""

    score: float
    """Fused score as the run computed it."""


class PooledRanking(Artefact):
    """Unique union of several rankings: best rank first, then first seen."""

    kind: Literal["union"] = "union"

    lists: tuple[RankedList, ...]
    rows: tuple[RankRow, ...]


class Fusion(Artefact):
    """Reciprocal Rank Fusion of several rankings (Cormack, Clarke, Büttcher 2009)."""

    kind: Literal["fusion"] = "fusion"

    k: int = Field(ge=0, le=1000)
    first_rank: Literal[0, 1]
    lists: tuple[RankedList, ...]
    rows: tuple[FusedRow, ...]
    """Best fused score first."""


class WalkedPassage(Frozen):
    """A passage that a walk reached, or that it was offered."""

    rank: int = Field(ge=1)
    """Place in the order by score."""
    passage: Passage
    visits: tuple[float, ...]
    """The chance to be there after 0, 1, 2 … steps; all 0: nothing led there."""
    chance: float
    """To stop there."""
    cosine: float
    """Of its vector with the query's."""
    score: float
    """Of both."""
    via: str = ""
    """Id of the passage before it, on the way by which most come; empty: the walk begins there, or never came."""


class MentionLink(Frozen):
    """A passage that mentions a document by its title, and a passage of that; or two that tell of one entity."""

    source: str
    """Id of the passage that mentions."""
    target: str
    name: str
    """The words that mention, as they are written there; the name of the entity."""
    entity: Annotated[bool, Field(exclude_if=not_)] = False
    """Whether both tell of an entity of a graph; left out of files where they do not."""
    sentence: str
    """In which they stand."""
    onward: float
    """Share of what is at the source that goes to the target in a step."""
    back: float
    """The share of the other direction."""


class Walk(Artefact):
    """A walk from the first hits of a ranking, from passage to passage, along titles that they mention."""

    kind: Literal["walk"] = "walk"

    query: str
    seeds: int = Field(ge=1)
    """How many of the first hits it begins at."""
    restart: float
    """Chance to stop at a passage, and not to go on."""
    weight: float
    """Of the cosine in the score, where the chance to stop has 1."""
    reached: int = Field(0, ge=0)
    """Passages in all that it may stop at."""
    passages: tuple[WalkedPassage, ...] = ()
    """The best by score, and those on the way to them; empty: there was nothing to walk along, as the note says."""
    links: tuple[MentionLink, ...] = ()
    """Between these passages."""


class SubQuestions(Artefact):
    """Questions that together answer the one that was asked, in the order they are worked on."""

    kind: Literal["sub_questions"] = "sub_questions"
    channel: ClassVar[str | None] = "sub_questions"

    questions: tuple[str, ...]
    dropped: tuple[DroppedQuery, ...] = ()
    by_tools: bool = False
    """Whether tools answer them, and no sub-answers follow."""


class Pair(Frozen):
    """A question and its answer, as later steps are given it."""

    question: str
    answer: str
    short: str = ""
    """The answer itself, in as few words as it takes; empty: there is no such form of it."""


class ContextPassage(Frozen):
    """A passage in the strategy's final order."""

    rank: int = Field(ge=1)
    score: float | None
    """None where the passages are ordered without scores; runs stored earlier have 0 there."""
    passage: Passage
    given: bool
    """Whether it was given to the answer."""
    source: str = ""
    """Where a strategy with several sources has it from, in words: e.g. `the step-back question`."""


class Context(Artefact):
    """Ranked, deduplicated evidence, in the strategy's order."""

    kind: Literal["context"] = "context"
    channel: ClassVar[str | None] = "context"

    passages: tuple[ContextPassage, ...]

    def brought_in(self, source: str) -> tuple[Passage, ...]:
        """The passages that came from one source."""
        return tuple(item.passage for item in self.passages if item.source == source)


class Citation(Frozen):
    """Links a sentence of the answer to the words that support it."""

    sentence: int = Field(ge=0)
    """Index of the answer's sentence, from 0."""
    chunk: str
    quote: str
    """A sentence of the passage, word for word."""


class SubAnswer(Artefact):
    """The answer to one sub-question, with what it was made from."""

    kind: Literal["sub_answer"] = "sub_answer"
    channel: ClassVar[str | None] = "sub_answers"

    index: int = Field(ge=0)
    """Place of the sub-question, from 0."""
    question: str
    searched: str
    """What was searched with: the sub-question, or its wording with references filled in."""
    given: tuple[Pair, ...] = ()
    """Earlier questions and answers that it was made with."""
    passages: tuple[Passage, ...] = ()
    """Evidence it was given, best first."""
    text: str
    citations: tuple[Citation, ...] = ()
    short: str = ""
    """As of `Answer`: what takes the place of a mark such as “#1” in a later sub-question."""
    suggested: bool = False
    abstained: bool = False
    """The sources do not hold the answer; the text may say what they hold of it."""


class StepBack(Artefact):
    """A more general question behind the one that was asked."""

    kind: Literal["step_back"] = "step_back"
    channel: ClassVar[str | None] = "step_back"

    question: str
    """As it was asked."""
    general: str
    """The step back; equal to `question` where none was found, which the note then says."""


class HypotheticalDocuments(Artefact):
    """Hypothetical passages that would answer the question; they may be false."""

    kind: Literal["passages"] = "passages"
    channel: ClassVar[str | None] = "passages"

    question: str
    style: str
    """Kind of text they imitate, e.g. `encyclopedia`."""
    texts: tuple[str, ...]
    with_question: bool
    """Whether the question's vector counts in the mean that is searched with."""
    each: bool = False
    """Whether each is about another thing and searched with by itself, and not with the mean of all."""


class Thought(Artefact):
    """A piece of reasoning: one sentence, which is searched with (IRCoT) and whose `source` the passages that it brings
    in have in the evidence; or several that ask for searches or give the answer (Search-o1)."""

    kind: Literal["thought"] = "thought"
    channel: ClassVar[str | None] = "thoughts"

    index: int = Field(ge=0)
    """Place in the chain, from 0."""
    text: str
    """The first sentence that was written; the next search is made with it, unless there are `queries`."""
    queries: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """The searches that it asks for, those included that were made before, or for which none was left."""
    answer: Annotated[str, Field(exclude_if=not_)] = ""
    """The answer with which it ends the chain, its citations counting the passages that are given."""
    guess: bool = False
    """No passage says it: the model expects it, and searches for it."""
    written: str
    """All that was written."""
    ends: str = ""
    """Why the chain ends here, as a sentence; empty: it goes on."""

    @model_validator(mode="before")
    @classmethod
    def _as_stored_before(cls, values: Any) -> Any:
        """Runs stored earlier name the passages here as well; their evidence has them."""
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if name not in ("new", "pool")}
        return values

    @property
    def source(self) -> str:
        """The `source` of the passages that its search brought in."""
        return f"thought {self.index + 1}"


class Grade(Artefact):
    """A judgement, named as in Self-RAG (Asai et al. 2023)."""

    kind: Literal["grade"] = "grade"
    channel: ClassVar[str | None] = "grades"

    what: Literal["Retrieve", "IsRel", "IsSup", "IsUse", "Holds", "Search"]
    """Need of documents, relevance of a passage, support of the answer by the passages, usefulness of the answer; and
    as in Corrective RAG (Yan et al. 2024): whether a passage holds the answer, and what a search is worth."""
    verdict: str
    """Retrieve, IsRel: yes, no. IsSup: fully, partially, no. IsUse: 1 to 5. Holds: yes, partly, no. Search: correct,
    ambiguous, incorrect."""
    passes: bool
    """Whether the run goes on as with a good grade."""
    reason: str = ""
    score: float | None = None
    """What a method that computes has computed; None: it judged."""
    thresholds: tuple[float, float] | None = Field(None, exclude_if=lambda value: value is None)
    """The scores from which on the verdict is partly, and yes; None: there is no score, or one threshold."""
    passage: Passage | None = None
    """What IsRel or Holds judged."""
    round: int = Field(1, ge=1)
    """Which passage through the loop it belongs to, from 1."""


WayName = Literal["no-search", "one-search", "several-searches"]
"""A way in which a question can be answered: from memory, by one search, by several steps."""


class Way(Frozen):
    """A way that a question could take, and what it costs in model calls."""

    way: WayName
    strategy: str
    """Key of the strategy that it is."""
    rounds: int = Field(0, ge=0)
    """Calls that wait for one another, as a rule."""
    calls: int = Field(0, ge=0)
    """As a rule."""
    calls_most: int = Field(0, ge=0)


class RouteVote(Frozen):
    """A labelled question near the one that was asked."""

    question: str
    way: WayName
    """The way it took."""
    cosine: float


class Route(Artefact):
    """The way that a question takes, beside those that it does not."""

    kind: Literal["route"] = "route"
    channel: ClassVar[str | None] = "route"

    way: WayName
    reason: str = ""
    ways: tuple[Way, ...] = ()
    """All ways, the cheapest first."""
    votes: tuple[RouteVote, ...] = ()
    """Nearest first; empty: nobody voted."""


class Strip(Frozen):
    """A sentence of a passage, or a line."""

    text: str
    kept: bool
    score: float | None = None
    """What a method that computes has computed; None: it judged."""


class RefinedPassage(Frozen):
    """A passage in strips."""

    passage: Passage
    """The whole of it."""
    strips: tuple[Strip, ...]
    """In the order of the text; none kept: nothing of the passage is given."""


class Refinement(Artefact):
    """Passages decomposed into strips, of which only those are kept that the answer needs (Yan et al. 2024)."""

    kind: Literal["refinement"] = "refinement"
    channel: ClassVar[str | None] = "refinement"

    passages: tuple[RefinedPassage, ...]


class Rewrite(Artefact):
    """A question put differently because of a bad grade."""

    kind: Literal["rewrite"] = "rewrite"
    channel: ClassVar[str | None] = "rewrite"

    before: str
    after: str
    cause: str
    """Which grade caused it, as a sentence."""
    round: int = Field(1, ge=1)


class PlanStep(Frozen):
    """One step through a knowledge graph."""

    explore: Literal["nodes", "relationships"]
    text: str
    """What is looked for."""


class Plan(Artefact):
    """The steps in which a knowledge graph is to be explored."""

    kind: Literal["plan"] = "plan"
    channel: ClassVar[str | None] = "plan"

    steps: tuple[PlanStep, ...]
    attempt: int = Field(1, ge=1)
    cause: str = ""
    """Why the plan before was given up; empty: it is the first."""


class Candidate(Frozen):
    """A node, or a chain of relations, that a step could go on with."""

    id: str
    """By which it is chosen."""
    label: str
    similarity: float
    chosen: bool = False
    detail: str = ""
    """How many nodes it leads to, or how it was found."""
    start: str = ""
    """Name of the node that its relations start from; empty: it is a node itself."""
    relation: str = ""
    """The last of its relations."""
    inverse: bool = False
    """Whether the last relation is followed from object to subject."""
    sources: tuple[str, ...] = ()
    """Names of the nodes that it goes on from, the first of them."""
    leads: tuple[str, ...] = ()
    """Names of the nodes that it leads to, the first of them; empty: it is a node itself, or nobody looked."""


class Candidates(Artefact):
    """What one step through a knowledge graph had to choose from, best first."""

    kind: Literal["candidates"] = "candidates"

    index: int = Field(ge=0)
    """Place of the step in its plan, from 0."""
    attempt: int = Field(1, ge=1)
    explore: Literal["nodes", "relationships"]
    text: str
    """What the step looks for."""
    score_name: str
    """What the similarities are."""
    candidates: tuple[Candidate, ...]
    left_out: int = Field(0, ge=0)
    """Worse ones that were not offered."""
    cypher: str = ""
    """The query that found them; empty: no query was needed."""


class PathTriple(Frozen):
    """A triple on the way, as it stands in the graph."""

    hop: int = Field(ge=1)
    subject: str
    relation: str
    object: str
    inverse: bool = False
    """Whether the way led from its object to its subject."""
    hypernode: bool = False
    """Whether one of its ends is a triple itself, so that the way led through a hypernode."""
    chunk: str = ""
    document: str = ""
    quote: str = ""


class GraphPath(Artefact):
    """The way through a knowledge graph so far, and what is made of it."""

    kind: Literal["path"] = "path"

    index: int = Field(ge=0)
    """The step of the plan after which it was judged, from 0."""
    attempt: int = Field(1, ge=1)
    triples: tuple[PathTriple, ...] = ()
    nodes: tuple[str, ...] = ()
    """Names of the nodes it has led to."""
    hidden: int = Field(0, ge=0)
    """Further nodes that are not listed."""
    verdict: Literal["continue", "respond", "refine"]
    reason: str = ""
    failed: int = Field(0, ge=0)
    """Plans given up so far."""


class CypherAttempt(Frozen):
    """A query as it was written, and what became of it."""

    cypher: str
    error: str = ""
    """Why it was refused or failed, as a sentence; empty: it ran."""


class Table(Frozen):
    """Rows that a query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Plain values: texts, numbers, lists, or properties of a node by name."""
    more: bool = False
    """Whether there are more rows than were kept."""


class ToolCall(Artefact):
    """A question that went to a tool, and what came back."""

    kind: Literal["tool_call"] = "tool_call"

    number: int = Field(ge=1)
    """Its place among the run's calls."""
    round: int = Field(1, ge=1)
    index: int = Field(ge=0)
    """Place of its question among those of its round, from 0."""
    asked: str
    """The question as it was listed."""
    question: str
    """The question with earlier answers filled in."""
    tool: str
    """Its name; empty: none was chosen."""
    about: str = ""
    """What its description says, by which it was chosen."""
    offered: tuple[str, ...] = ()
    """Names of the tools that there were."""
    why: str = ""
    """How it came to be chosen, where that can be said."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    outcome: Literal["found", "nothing", "failed", "not run"]
    error: str = ""
    """Why it failed or was not run, as a sentence."""
    text: str = ""
    """What came back, in few rows or sentences."""
    short: str = ""
    """The answer itself, as of `Answer`: what takes the place of a mark such as “#1” in a later question."""
    table: Table | None = None
    cypher: str = ""
    """The query that gave the table."""
    attempts: tuple[CypherAttempt, ...] = ()
    """Queries that were written for it, in order."""
    passages: tuple[Passage, ...] = ()
    """What it brings into the evidence."""
    citations: tuple[Citation, ...] = ()
    """Where `text` comes from; its sentences count as one."""


class Critique(Artefact):
    """Whether the answers so far are enough, and what is asked next."""

    kind: Literal["critique"] = "critique"

    round: int = Field(1, ge=1)
    complete: bool
    reason: str = ""
    questions: tuple[str, ...] = ()
    """Asked in the next round; empty: there is none."""
    ends: str = ""
    """Why the loop ends although something is missing, as a sentence."""


class Answer(Artefact):
    """An answer to the question that was asked; the last one that is final is the run's."""

    kind: Literal["answer"] = "answer"

    text: str
    sentences: tuple[str, ...] = ()
    """The text cut into sentences, citation marks removed; joined they read like `text`."""
    citations: tuple[Citation, ...] = ()
    short: str = ""
    """The answer itself, in as few words as it takes and without marks; empty: the method gives none."""
    suggested: bool = False
    """The sources suggest the answer, but do not state it."""
    abstained: bool = False
    """The sources do not hold the answer: a fact, whatever the wording."""
    final: bool = True
    """Whether it is the run's answer, and not a draft that was graded."""


AnyArtefact = Annotated[
    Queries
    | Ranking
    | PooledRanking
    | Fusion
    | Walk
    | SubQuestions
    | SubAnswer
    | StepBack
    | HypotheticalDocuments
    | Thought
    | Grade
    | Route
    | Refinement
    | Rewrite
    | Plan
    | Candidates
    | GraphPath
    | ToolCall
    | Critique
    | Context
    | Answer,
    Field(discriminator="kind"),
]
"""Every kind of artefact. A new kind is added here and has a card in `core.cards.kinds`: see docs/add-a-kind.md."""
