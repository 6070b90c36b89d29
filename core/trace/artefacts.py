"""Artefacts: the things a strategy makes on its way, as a closed union told apart by `kind`.

Each kind has exactly one view (`core.views`) and one way it is drawn (`core.ui.artefacts`).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

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
    """What one retriever found for one query, best first."""

    kind: Literal["ranking"] = "ranking"

    query: str
    retriever: str
    """`dense`, `keyword` or `hybrid`."""
    score_name: str
    """What the scores are, e.g. `cosine similarity`."""
    k: int = Field(ge=1)
    """How many of the hits the strategy uses; the rest are kept for judging."""
    hits: tuple[Hit, ...]

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
    score: float = 0.0
    """Fused score as the run computed it; 0 in a plain union."""


class Union(Artefact):
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
    rows: tuple[RankRow, ...]
    """Best fused score first."""


class ContextPassage(Frozen):
    """A passage in the strategy's final order."""

    rank: int = Field(ge=1)
    score: float
    passage: Passage
    given: bool
    """Whether it was given to the answer."""


class Context(Artefact):
    """Ranked, deduplicated evidence, in the strategy's order."""

    kind: Literal["context"] = "context"
    channel: ClassVar[str | None] = "context"

    passages: tuple[ContextPassage, ...]


class Citation(Frozen):
    """Links a sentence of the answer to the words that support it."""

    sentence: int = Field(ge=0)
    """Index of the answer's sentence, from 0."""
    chunk: str
    quote: str
    """A sentence of the passage, word for word."""


class Answer(Artefact):
    """The final answer."""

    kind: Literal["answer"] = "answer"

    text: str
    sentences: tuple[str, ...] = ()
    """The text cut into sentences, citation marks removed; joined they read like `text`."""
    citations: tuple[Citation, ...] = ()
    abstained: bool = False
    """The method found nothing in the context that answers the question."""


AnyArtefact = Annotated[
    Queries | Ranking | Union | Fusion | Context | Answer,
    Field(discriminator="kind"),
]
"""Every kind of artefact. A new kind is added here, to the views and to the drawers: a test checks that."""
