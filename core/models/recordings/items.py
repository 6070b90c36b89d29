"""A recording as it is listed, and its items: replies, vectors, rankings, runs, as lines of its file and rows of the
database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from operator import not_
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AwareDatetime, Field, StringConstraints, TypeAdapter, model_validator

from core.trace.events import Usage
from core.trace.passages import Frozen, is_none

Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""A hash, see `core.models.recordings.open_recording`."""
Pace = Literal["recorded", "fast", "once"]
"""The speed at which replies are played: that of the model, a fast one, or all at once."""
PACES: tuple[Pace, ...] = get_args(Pace)
VERSION: Literal[1] = 1
"""Of the format."""
MOST_LIKELY = 100
"""Tokens that a reply could have begun with."""
LONGEST_SECONDS = 3600.0
"""Of a reply; one that took longer is played in this time."""


class Head(Frozen):
    """First line of a file: which recording it is."""

    kind: Literal["recording"] = "recording"
    version: Literal[1] = VERSION
    """Of the format; raised when an earlier file could no longer be read."""
    name: str = Field(max_length=200)
    model: str = Field(min_length=1, max_length=200)
    """The one model that gave the replies."""
    created: AwareDatetime = Field(ge=datetime(2000, 1, 1, tzinfo=UTC), lt=datetime(3000, 1, 1, tzinfo=UTC))
    """UTC."""
    licence: str = Field("", max_length=2000)
    """Under which licence the replies may be passed on, and who wrote them; empty: nothing is said."""
    measured: bool = True
    """True if the times of the replies are the model's own; if not, they were made up, and are no measurement."""


@dataclass(frozen=True)
class Recording:
    """A recording as it is listed; without its store, since naming one takes no open database."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    name: str
    model: str
    licence: str
    measured: bool
    """True if the times of its replies are the model's own."""
    pinned: bool
    replies: int
    bytes: int

    @property
    def head(self) -> Head:
        """First line of its file."""
        return Head(
            name=self.name,
            model=self.model,
            created=self.created,
            licence=self.licence,
            measured=self.measured,
        )


class Kept(Frozen):
    """The fields that all items share."""

    kind: str
    key: Key


class LikelyToken(Frozen):
    """A token that the reply could have begun with."""

    text: str
    logprob: float = Field(allow_inf_nan=False, le=1e-6)


MOST_CHARS = 500_000
"""Of a reply."""


class KeptReply(Kept):
    """A reply of the model."""

    kind: Literal["reply"] = "reply"
    skill: str = Field(max_length=64)
    """Skill that asked."""
    text: str = Field(max_length=MOST_CHARS)
    """Tool calls in the form that a JSON schema would have given them."""
    cut: bool = False
    """True if it reached the token limit."""
    tools: bool = True
    """True if its endpoint took tools natively, where some were offered."""
    likely: tuple[LikelyToken, ...] = Field((), max_length=MOST_LIKELY)
    """Tokens that it could have begun with, in recordings of earlier versions, which asked for them."""
    usage: Usage = Usage()
    first: float = Field(0.0, ge=0, le=LONGEST_SECONDS, allow_inf_nan=False)
    """Seconds until its first piece."""
    seconds: float = Field(0.0, ge=0, le=LONGEST_SECONDS, allow_inf_nan=False)
    """Seconds until its end."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        """Whoever asks relies on a reply that is not empty, as the chat client does."""
        if not self.text.strip() and not self.likely:
            raise ValueError("a reply without text")
        return self


class KeptVector(Kept):
    """The vector of a text, in whole numbers: a cosine moves by less than 0.002."""

    kind: Literal["vector"] = "vector"
    scale: float = Field(gt=0, le=1000, allow_inf_nan=False)
    """What the numbers are multiplied with."""
    numbers: str = Field(pattern=r"^[A-Za-z0-9+/]+={0,2}$", max_length=40_000)
    """One byte each, from -127 to 127, in Base64."""


class KeptHit(Frozen):
    """A chunk and its score."""

    chunk: str = Field(max_length=200)
    score: float = Field(allow_inf_nan=False)


class KeptList(Frozen):
    """One ranking."""

    query: str
    retriever: str = Field(max_length=32)
    score_name: str = Field(max_length=64)
    k: int = Field(ge=1)
    note: str = ""
    hits: tuple[KeptHit, ...] = Field(max_length=10_000)
    """The best first, each chunk once."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len({hit.chunk for hit in self.hits}) < len(self.hits):
            raise ValueError("a ranking with the same chunk twice")
        return self


class KeptRanking(Kept):
    """The result of a search: one ranking, or one for each algorithm."""

    kind: Literal["ranking"] = "ranking"
    lists: tuple[KeptList, ...] = Field(max_length=8)


BUILDING = "graph"
"""Stands in place of a strategy where a graph was built."""


Judged = Literal["right", "wrong", "refusal", "unclear"]
"""What the words of an answer say of it, measured against the right answers; see `core.evaluation.answers`."""


class KeptRun(Kept):
    """How a question was asked, in a run that came to its end: what the recording can be asked again."""

    kind: Literal["run"] = "run"
    question: str
    strategy: str = Field(max_length=64)
    params: dict[str, Any] = Field(default_factory=dict)
    corpus: str = ""
    """Name of the documents; empty: none."""
    mark: str = ""
    """Which documents, cut how, see `core.retrieval.corpus.mark_of`."""
    retriever: str = ""
    dense_share: Annotated[float | None, Field(ge=0, le=1, exclude_if=is_none)] = None
    """Weight of the dense scores in hybrid search; None: ranks were fused."""
    where: tuple[str, ...] = ()
    graph: str = ""
    methods: dict[str, str] = Field(default_factory=dict)
    """Skill -> method in force."""
    edited: tuple[str, ...] = ()
    """Prompts that were not as they come with the app."""
    searched_only: Annotated[bool, Field(exclude_if=not_)] = False
    """True if it ended before the step that answers."""
    calls: Annotated[int | None, Field(ge=0, exclude_if=is_none)] = None
    """Model calls of the run; None: an earlier version noted it."""
    verdict: Annotated[Judged | None, Field(exclude_if=is_none)] = None
    """On its answer; None: nobody knows the right one, or has judged it."""


Item = Annotated[KeptReply | KeptVector | KeptRanking | KeptRun, Field(discriminator="kind")]
ITEM: TypeAdapter[Item] = TypeAdapter(Item)
"""Validates and serialises one item."""
Line = Annotated[Head | KeptReply | KeptVector | KeptRanking | KeptRun, Field(discriminator="kind")]
LINE: TypeAdapter[Line] = TypeAdapter(Line)
"""Any line of a file; its JSON schema is published as docs/recording.schema.json."""
