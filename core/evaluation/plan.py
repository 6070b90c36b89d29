"""An evaluation: questions, settings, and the result of each pair of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import not_
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr, field_validator

from core import __version__
from core.errors import InputError
from core.evaluation.dataset_lines import LabelledQuestion
from core.models.chat_models import Missing
from core.strategies import strategies
from core.trace.artefacts import Answer
from core.trace.passages import Frozen

MAX_LABEL = 80
State = Literal["running", "interrupted", "paused", "finished"]
Value = StrictBool | StrictInt | StrictFloat | StrictStr
"""Value of a parameter; strict types keep 1, 1.0 and true apart."""


def format_value(value: Value) -> str:
    """A value as text for readers."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


class Indexed(Frozen):
    """The corpus of an evaluation as it was at the beginning; it must not change until the end."""

    name: str
    id: str
    version: int


class Setting(Frozen):
    """A strategy with its parameters, retriever, methods and prompts."""

    label: str = Field(max_length=MAX_LABEL)
    """Name in tables, unique within an evaluation."""
    strategy: str
    params: dict[str, Any] = Field(default_factory=dict)
    retriever: str = "dense"
    methods: dict[str, str] = Field(default_factory=dict)
    """Skill key -> method."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt key -> edited text."""
    prompt_hashes: dict[str, str] = Field(default_factory=dict)
    """Prompt key -> hash of the text in force; filled in when the evaluation begins."""
    chunk_tokens: int | None = None
    """Size of the documents' chunks; None: the usual size."""
    overlap_tokens: int | None = None
    indexed: Indexed | None = None
    """The corpus with chunks of an unusual size; filled in when the evaluation begins."""

    @field_validator("methods")
    @classmethod
    def _without_former_skill(cls, methods: dict[str, str]) -> dict[str, str]:
        """An evaluation that an earlier version began goes on without the skill that is gone."""
        return {skill: method for skill, method in methods.items() if skill != "by_rule"}


class Sweep(Frozen):
    """One parameter over several values; see `core.evaluation.sweeps`."""

    parameter: str
    """Key of the parameter."""
    values: tuple[Value, ...]
    default: Annotated[Value | None, Field(exclude_if=lambda value: value is None)] = None
    """The parameter's default when the sweep began; None: an earlier version began it."""


class Playing(Frozen):
    """The recording that replies in an evaluation."""

    name: str
    """Name when the evaluation began."""
    id: str
    model: str
    """The model whose replies it holds."""
    missing: Missing
    """The model that gives a reply that it lacks."""

    @property
    def in_words(self) -> str:
        """The recording in words, and who gives the replies that it lacks."""
        return f"the recording “{self.name}”, {LACKING[self.missing]}"


LACKING: Mapping[Missing, str] = {
    "fail": "and no model for the replies that it lacks",
    "ask": "and no model for the replies that it lacks",
    "builtin": "and the built-in model for the replies that it lacks",
    "endpoint": "and the endpoint for the replies that it lacks",
}
"""The source of a reply that a recording lacks, in words."""


class Spec(Frozen):
    """The inputs that the results of an evaluation depend on."""

    dataset: str
    """Display name of the data set."""
    dataset_key: str
    corpus: str
    """Name of the corpus with chunks of the usual size, if a setting uses it; see `corpus_of`."""
    corpus_id: str
    corpus_version: int
    """Version of the corpus when the evaluation began; it must not change until the end."""
    settings: tuple[Setting, ...]
    seed: int | None = None
    """Seed of the sample of questions; None: all questions."""
    retrieval_only: bool = False
    baseline: str = ""
    """Label of the setting that the other settings are compared with."""
    sweep: Sweep | None = None
    """Set if the evaluation was begun as a sweep; stored, some values may have no setting of their own. As it is read
    (`core.evaluation.sweep_results`), each value has a setting, in the order of the values."""
    model: str = ""
    builtin: bool = False
    playing: Annotated[Playing | None, Field(exclude_if=not_)] = None
    """The recording that replies; None: a model does, or none is asked."""
    adapter: bool = False
    """True if the built-in model uses its fine-tuned adapter."""
    embedding_model: str = ""
    version: str = __version__
    """Version of the app."""
    looks: Annotated[int, Field(ge=1, exclude_if=lambda looks: looks == 1)] = 1
    """Number of times that its owner has looked at these questions, this one included: as many evaluations had some of
    them, with other settings or more questions, when it began. What is significant is corrected for it."""

    def corpus_of(self, setting: Setting) -> Indexed:
        """The corpus that a setting searches."""
        usual = Indexed(name=self.corpus, id=self.corpus_id, version=self.corpus_version)
        return setting.indexed or usual

    def fingerprint(self, questions: Sequence[LabelledQuestion]) -> str:
        """A hash that is equal for equal work, whatever the baseline is."""
        ids = [question.id for question in questions]
        content = [self.model_dump(mode="json", exclude={"baseline", "looks"}), ids]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


class GoldTrace(Frozen):
    """The gold documents of a question that reached each stage of a run: their ids in the data set."""

    retrieved: tuple[str, ...] = ()
    """Gold documents in the evidence, at any rank."""
    given: tuple[str, ...] = ()
    """Gold documents given to the answer, or to the answer of a sub-question."""
    cited: tuple[str, ...] = ()
    """Gold documents cited by one of these answers."""
    lost: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """Gold documents of which the sentence with the right answer was left out when their passages were refined."""


class Budget(Frozen):
    """The passages given to the answer of a pair, and plain retrieval for its question; see `core.runs.budget`."""

    given: int
    """Number of different passages in the answering prompts of the run."""
    found: tuple[str, ...] = ()
    """Gold documents among them: their ids in the data set."""
    plain: tuple[str, ...] | None = None
    """Documents of the data set, one per passage that plain retrieval finds with the same corpus and retriever, best
    first; None: this is plain retrieval itself."""
    depth: int = 0
    """Number of passages that plain retrieval searched for."""


class Result(Frozen):
    """The result of one question through one setting."""

    ranking: tuple[str, ...] = ()
    """Documents of the data set, best first, each at the rank of its best passage."""
    passages: int = 0
    """Number of passages that were judged: 10, or fewer if the strategy found fewer."""
    answer: Answer | None = None
    """None: retrieval only."""
    trail: GoldTrace | None = None
    """None: an earlier version stored the result."""
    supported: bool | None = None
    """True if the passages given to the answer hold its words; None: there is no answer, or no passage."""
    budget: Budget | None = None
    """None: the strategy searches nothing, or an earlier version stored the result."""
    calls: int = 0
    rounds: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_known: bool = True
    seconds: float = 0.0
    """Seconds of the run; of calls that were played, those of their pace."""
    played: Annotated[int, Field(exclude_if=not_)] = 0
    """Number of calls whose replies a recording gave."""
    stood_in: Annotated[int, Field(exclude_if=not_)] = 0
    """Number of calls of the built-in model in place of a reply that the recording lacks."""
    replaced: Annotated[int, Field(exclude_if=not_)] = 0
    """Uses of skills that another method did, since the model's replies could not be used."""
    free_in: Annotated[int, Field(exclude_if=not_)] = 0
    """Tokens sent in both, which cost nothing."""
    free_out: Annotated[int, Field(exclude_if=not_)] = 0
    run: str = ""
    """Id of the stored run; empty: its events were not stored, since making them again costs nothing."""
    recomputed: Annotated[bool, Field(exclude_if=not_)] = False
    """True if it was recomputed from this run, which had another value of a parameter; never stored."""


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
    """`interrupted`: the process ended before the evaluation did."""
    name: str = ""
    """Given by its owner; may be empty."""
    pinned: bool = False

    @property
    def title(self) -> str:
        """The name, or else the data set and the settings."""
        sweep, settings = self.spec.sweep, self.spec.settings
        subject = ", ".join(setting.label for setting in settings)
        if sweep:
            strategy = strategies().get(settings[0].strategy)
            name = strategy.title if strategy else settings[0].strategy
            parameter = settings[0].label.partition(" = ")[0]
            subject = f"{parameter} of {name} at {', '.join(map(format_value, sweep.values))}"
        return self.name or f"{self.spec.dataset}: {subject}"

    @property
    def total(self) -> int:
        """Number of pairs."""
        return len(self.questions) * len(self.spec.settings)


Pair = tuple[int, str]
"""Position of the setting, from 0, and id of the question."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of the pairs so far."""

    done: Mapping[Pair, Result] = field(default_factory=dict)
    failed: Mapping[Pair, str] = field(default_factory=dict)
    """Pair -> reason of the failure."""


INSTEAD = (
    "The runs that are left could not be compared with those that are done, which stay and can be viewed and "
    "exported. To judge all questions alike, begin a new evaluation with the same questions and settings."
)
"""Advice for an evaluation that cannot continue."""


def check_same(before: Spec, now: Spec) -> None:
    """Refuse to continue with other models, prompts or parameters, since the questions would not be comparable: an
    `InputError` says what differs, and what can be done."""
    if _who_replies(before) != _who_replies(now):
        was, is_ = map(_replier, (before, now))
        raise InputError(f"This evaluation began with {was}; now it is {is_}. {INSTEAD}")
    for name, old, new in (
        ("model", before.model, now.model),
        ("embedding model", before.embedding_model, now.embedding_model),
        ("version of the app", before.version, now.version),
    ):
        if old != new:
            raise InputError(f"This evaluation began with the {name} “{old}”; now it is “{new}”. {INSTEAD}")
    for begun, current in zip(before.settings, now.settings, strict=True):
        hashes, after = begun.prompt_hashes, current.prompt_hashes
        prompts = ", ".join(key for key in hashes | after if hashes.get(key) != after.get(key))
        kind, detail = ("prompts", f" ({prompts})") if prompts else ("parameters or methods", "")
        if begun != current:
            raise InputError(
                f"The {kind} of “{begun.label}” have changed since this evaluation began{detail}. {INSTEAD}"
            )


def _who_replies(spec: Spec) -> tuple[str, ...]:
    """Identifies the source of replies: the model; or the id of the recording, whose name may change, and its rule for
    missing replies."""
    return (spec.playing.id, spec.playing.missing) if spec.playing else (spec.model,)


def _replier(spec: Spec) -> str:
    """The recording or model that replies, named for a sentence."""
    if spec.playing:
        return spec.playing.in_words
    return "the built-in model" if spec.builtin else f"the model “{spec.model}”"


def text_hash(text: str) -> str:
    """Short hash of a prompt."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
