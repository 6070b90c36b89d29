"""What an evaluation is: questions, settings, and what came of each pair of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from core import __version__
from core.errors import InputError
from core.evaluation.datasets import LabelledQuestion
from core.trace.artefacts import Answer
from core.trace.passages import Frozen

MAX_LABEL = 80
State = Literal["running", "interrupted", "paused", "finished"]
Value = StrictBool | StrictInt | StrictFloat | StrictStr
"""Of a parameter; strict, so that 1, 1.0 and true stay what they are."""


class Indexed(Frozen):
    """The corpus that holds the documents, as it was when an evaluation began: it must not change under it."""

    name: str
    id: str
    version: int


class Setting(Frozen):
    """One way to answer every question."""

    label: str = Field(max_length=MAX_LABEL)
    """Its name in tables; no two of an evaluation share one."""
    strategy: str
    params: dict[str, Any] = Field(default_factory=dict)
    retriever: str = "dense"
    methods: dict[str, str] = Field(default_factory=dict)
    """Skill key -> method."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt key -> text that somebody edited."""
    prompt_hashes: dict[str, str] = Field(default_factory=dict)
    """Prompt key -> hash of the text in force; filled in when the evaluation begins."""
    chunk_tokens: int | None = None
    """Size of the chunks that the documents are cut into; None: the usual one."""
    overlap_tokens: int | None = None
    indexed: Indexed | None = None
    """Where chunks are not the usual ones: the corpus that has them; filled in when the evaluation begins."""


class Sweep(Frozen):
    """One parameter over several values; see `core.evaluation.sweeps`."""

    parameter: str
    """Its key."""
    values: tuple[Value, ...]


class Spec(Frozen):
    """Everything that the results depend on."""

    dataset: str
    """Name, for people."""
    dataset_key: str
    corpus: str
    """Name of the corpus that holds the documents, in the usual chunks if a setting has those; see `corpus_of`."""
    corpus_id: str
    corpus_version: int
    """Of the corpus when the evaluation began: it must not change under it."""
    settings: tuple[Setting, ...]
    seed: int | None = None
    """Of the sample; None: all questions."""
    retrieval_only: bool = False
    baseline: str = ""
    """Label of the setting that the others are compared with."""
    sweep: Sweep | None = None
    """Set where it was begun to be read as one; some of its values may have no setting of their own."""
    model: str = ""
    builtin: bool = False
    adapter: bool = False
    """Whether the built-in model may use what it was taught."""
    embedding_model: str = ""
    version: str = __version__
    """Of the app."""

    def corpus_of(self, setting: Setting) -> Indexed:
        """The corpus that a setting searches."""
        usual = Indexed(name=self.corpus, id=self.corpus_id, version=self.corpus_version)
        return setting.indexed or usual

    def fingerprint(self, questions: Sequence[LabelledQuestion]) -> str:
        """The same for the same work, whatever it is compared with."""
        content = [self.model_dump(mode="json", exclude={"baseline"}), [one.id for one in questions]]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


class GoldTrace(Frozen):
    """How far the gold documents of a question came in a run: their ids in the data set."""

    retrieved: tuple[str, ...] = ()
    """In its evidence, at whatever rank."""
    given: tuple[str, ...] = ()
    """Given to the answer, or to the answer of a sub-question."""
    cited: tuple[str, ...] = ()
    """Cited by one of them."""


class Budget(Frozen):
    """What the answer of a pair was given, and what plain retrieval finds for its question; see `core.runs.budget`."""

    given: int
    """Different passages in any answering prompt of the run."""
    found: tuple[str, ...] = ()
    """Gold documents among them: their ids in the data set."""
    plain: tuple[str, ...] | None = None
    """Documents of the data set, one per passage that plain retrieval finds with the same corpus and retriever, best
    first; None: this is plain retrieval itself."""
    depth: int = 0
    """How many passages were searched for it."""


class Result(Frozen):
    """What came of one question through one setting."""

    ranking: tuple[str, ...] = ()
    """Documents of the data set, best first, each where its best passage is."""
    passages: int = 0
    """How many passages were judged: 10, fewer where the strategy found fewer."""
    answer: Answer | None = None
    """None: retrieval only."""
    trail: GoldTrace | None = None
    """None: it was noted by an earlier version."""
    supported: bool | None = None
    """Whether the passages given to the answer hold its words; None: there is no answer, or no passage."""
    budget: Budget | None = None
    """None: the strategy searches nothing, or it was noted by an earlier version."""
    calls: int = 0
    rounds: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_known: bool = True
    seconds: float = 0.0
    run: str = ""
    """Id of the stored run; empty: its events were not kept, since they cost nothing to make again."""


@dataclass(frozen=True)
class Evaluation:
    """An evaluation as it is stored."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    spec: Spec
    questions: tuple[LabelledQuestion, ...]
    state: State
    """Interrupted: its process ended in the middle of it."""
    name: str = ""
    """Given by its owner; may be empty."""
    pinned: bool = False

    @property
    def title(self) -> str:
        """Its name, or what it is about."""
        sweep, settings = self.spec.sweep, self.spec.settings
        what = ", ".join(one.label for one in settings)
        if sweep:
            what = f"{sweep.parameter} of {settings[0].strategy}, a sweep"
        return self.name or f"{self.spec.dataset}: {what}"

    @property
    def total(self) -> int:
        """Pairs in all."""
        return len(self.questions) * len(self.spec.settings)


Pair = tuple[int, str]
"""Place of the setting, from 0, and id of the question."""


@dataclass(frozen=True)
class Outcomes:
    """What became of the pairs so far."""

    done: Mapping[Pair, Result] = field(default_factory=dict)
    failed: Mapping[Pair, str] = field(default_factory=dict)
    """Pair -> why."""


def question_to_json(question: LabelledQuestion) -> dict[str, Any]:
    """As it is stored."""
    return asdict(question) | {"gold": dict(question.gold)}


def question_from_json(stored: Mapping[str, Any]) -> LabelledQuestion:
    """Back again."""
    return LabelledQuestion(**{**stored, "answers": tuple(stored["answers"])})


INSTEAD = (
    "So the runs that are left would not compare with those that are done. What is done stays, and can be looked at "
    "and taken home; to judge all questions alike, begin a new evaluation with the same questions and settings."
)
"""What can be done where an evaluation cannot go on."""


def check_same(before: Spec, now: Spec) -> None:
    """Refuse to go on with other models, prompts or parameters than it began with: the questions would not compare.

    Raises:
        InputError: Something differs; says what, and what can be done.
    """
    for name, old, new in (
        ("model", before.model, now.model),
        ("embedding model", before.embedding_model, now.embedding_model),
        ("version of the app", before.version, now.version),
    ):
        if old != new:
            raise InputError(f"This evaluation began with the {name} “{old}”; now it is “{new}”. {INSTEAD}")
    for one, other in zip(before.settings, now.settings, strict=True):
        prompts = [
            key
            for key in one.prompt_hashes | other.prompt_hashes
            if one.prompt_hashes.get(key) != other.prompt_hashes.get(key)
        ]
        if prompts:
            which = ", ".join(prompts)
            raise InputError(
                f"The prompts of “{one.label}” have changed since this evaluation began ({which}). {INSTEAD}"
            )
        if one != other:
            raise InputError(
                f"The parameters or methods of “{one.label}” have changed since this evaluation began. {INSTEAD}"
            )


def text_hash(text: str) -> str:
    """Short hash of a prompt."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
