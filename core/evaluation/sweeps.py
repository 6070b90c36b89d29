"""Sweeps: one setting with one parameter over several values, as settings of an ordinary evaluation.

Where a stored run tells what another value gives, that value has no setting of its own: nothing is searched and no
model is asked for it, and it is recomputed when the sweep is read (`core.evaluation.sweep_results`). How, each strategy
says itself (`core.strategies.recomputing`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from core.corpora.entries import SENTENCES, SMALLEST_CHUNK, chunk_size, chunk_sizes
from core.errors import InputError
from core.evaluation.datasets import DataSet
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Setting, Sweep, Value, format_value
from core.evaluation.runner import New
from core.retrieval.kinds import RETRIEVERS
from core.runs.record import Record
from core.strategies import get_strategy, strategies
from core.strategies.base import AnyStrategy, bounds
from core.trace.artefacts import Context

RETRIEVER, CHUNK, OVERLAP = "retriever", "chunk_tokens", "overlap_tokens"
"""Keys of the parameters that no strategy has: they belong to the search."""
_OF_SEARCH = {
    RETRIEVER: ("Retriever", "The way in which documents are searched."),
    CHUNK: (
        "Chunk size (tokens)",
        "Largest chunk that a document is cut into, or 0: one sentence each. Chunks overlap as usual, but by half of "
        "their size at most.",
    ),
    OVERLAP: (
        "Overlap of chunks (tokens)",
        "The most of a chunk's end that the next one repeats, in whole sentences.",
    ),
}
"""Title and explanation of each."""
MOST_VALUES = 20
_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
_WIDE_STEPS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
_WIDE = 50
"""Most values of a range that are tried one by one; longer ranges are crossed in larger steps."""
_CHUNKS = (32, 64, 128, 256, 512, 1024)
_OVERLAPS = (0, 10, 25, 50, 100)


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be swept."""

    key: str
    title: str
    help: str
    default: Value
    suggested: tuple[Value, ...]
    """Values worth comparing, including the default."""
    numeric: bool
    """True if the values are points of a scale."""


def parameters(strategy: AnyStrategy, max_tokens: int) -> dict[str, Parameter]:
    """The parameters of a strategy that can be swept, by key; `max_tokens` is the embedding model's largest chunk."""
    fields = {name: _of_field(name, field) for name, field in strategy.params.model_fields.items()}
    of_search = _of_search(max_tokens) if strategy.retrieves else {}
    if not strategy.choosable:
        of_search.pop(RETRIEVER, None)
    return {name: parameter for name, parameter in fields.items() if parameter} | of_search


def parameter_of(strategy: AnyStrategy, key: str, max_tokens: int) -> Parameter:
    """The parameter with this key; where there is none, an `InputError` names those that there are."""
    by_key = parameters(strategy, max_tokens)
    if key not in by_key:
        raise InputError(
            f"'{strategy.key}' has no parameter '{key}' to sweep. Choose one of: {', '.join(by_key)}."
        )
    return by_key[key]


def sweep_of(base: Setting, key: str, values: Iterable[object], max_tokens: int) -> Sweep:
    """A sweep of these values, each once in the type of the parameter, numbers sorted; with the parameter's default.

    Args:
        values: Values from a form or the command line, also spelled as words.
        max_tokens: Largest chunk of the embedding model.

    Raises:
        InputError: The parameter is unknown, a value is not allowed, or there are fewer than 2 or more than 20.
    """
    strategy = get_strategy(base.strategy)
    parameter = parameter_of(strategy, key, max_tokens)
    checked = [_checked(strategy, base, key, value, max_tokens) for value in values]
    distinct = [value for _, value in dict.fromkeys((type(value), value) for value in checked)]
    if not 2 <= len(distinct) <= MOST_VALUES:
        raise InputError(f"A sweep takes from 2 to {MOST_VALUES} different values, not {len(distinct)}.")
    ordered = tuple(sorted(distinct, key=float) if parameter.numeric else distinct)
    return Sweep(parameter=key, values=ordered, default=parameter.default)


def with_value(base: Setting, key: str, value: Value) -> Setting:
    """A setting with another value of one parameter, labelled with it."""
    update: dict[str, Any] = {"label": label_of(key, value), "indexed": None}
    if key in (RETRIEVER, CHUNK, OVERLAP):
        update[key] = value
    else:
        update |= {"params": base.params | {key: value}, "indexed": base.indexed}
    return base.model_copy(update=update)


def label_of(key: str, value: Value) -> str:
    """Label of the setting of a value in tables."""
    sentences = key == CHUNK and value == SENTENCES
    return f"{key} = {'sentences' if sentences else format_value(value)}"


def title_of(strategy: str, key: str) -> str:
    """Title of a parameter of the strategy with this key; the parameter's key where it is not known any more."""
    if key in _OF_SEARCH:
        return _OF_SEARCH[key][0]
    known = strategies().get(strategy)
    field = known.params.model_fields.get(key) if known else None
    return _field_title(key, field) if field else key


def settings_to_run(base: Setting, sweep: Sweep, *, retrieval_only: bool) -> tuple[Setting, ...]:
    """The settings that have to be run: one per value, unless its evidence follows from runs of another value. The
    default is preferred if several settings would do.

    Args:
        sweep: As `sweep_of` gives it.
        retrieval_only: Whether the answer is left out. Answers cannot be recomputed: with them each value is run.
    """
    settings = [with_value(base, sweep.parameter, value) for value in sweep.values]
    if not retrieval_only or not asks_model(settings[0], retrieval_only):
        return tuple(settings)
    sources: list[Setting] = []
    default = _default_label(sweep)
    pending = sorted(settings, key=lambda setting: setting.label != default)
    while pending:
        best = max(pending, key=lambda source: sum(recomputable(source, target) for target in pending))
        sources.append(best)
        pending = [setting for setting in pending if setting is not best and not recomputable(best, setting)]
    return tuple(setting for setting in settings if setting in sources)


def new_sweep(
    dataset: DataSet, base: Setting, sweep: Sweep, *, seed: int | None, retrieval_only: bool
) -> New:
    """The evaluation that a sweep needs, ready to be begun; the default is its baseline, if it is run.

    Args:
        base: The setting that is swept; its other parameters stay.
        sweep: As `sweep_of` gives it.
        seed: Seed of the sample; None: all questions.
    """
    settings = settings_to_run(base, sweep, retrieval_only=retrieval_only)
    labels, default = [setting.label for setting in settings], _default_label(sweep)
    return New(dataset, settings, seed, retrieval_only, default if default in labels else labels[0], sweep)


def _default_label(sweep: Sweep) -> str:
    return "" if sweep.default is None else label_of(sweep.parameter, sweep.default)


def recomputable_parameters(strategy: str) -> tuple[str, ...]:
    """The parameters of the strategy with this key whose values can be told from a stored run."""
    known = strategies().get(strategy)
    return tuple(known.recomputation.rules) if known and known.recomputation else ()


def recomputable(stored: Setting, target: Setting) -> bool:
    """True if the evidence of a setting follows from the stored runs of another one."""
    strategy = get_strategy(stored.strategy)
    if not _alike(stored, target):
        return False
    before, after = strategy.parse(stored.params), strategy.parse(target.params)
    rules = strategy.recomputation.rules if strategy.recomputation else {}
    changed = [name for name in strategy.params.model_fields if getattr(before, name) != getattr(after, name)]
    return all(name in rules and rules[name](getattr(before, name), getattr(after, name)) for name in changed)


def same(first: Setting, second: Setting) -> bool:
    """True if two settings are the same, whatever they are called."""
    parse = get_strategy(first.strategy).parse
    return _alike(first, second) and parse(first.params) == parse(second.params)


def recompute(run: Record, target: Setting) -> Context:
    """The evidence that a run would have had with another setting, which must be `recomputable` from its own; raises
    `InputError` if what the run found is not stored as a whole."""
    strategy = get_strategy(target.strategy)
    if strategy.recomputation is None:
        raise InputError(f"Nothing of “{strategy.title}” can be recomputed from stored runs.")
    return strategy.recomputation.evidence(run, strategy.parse(target.params))


def _alike(stored: Setting, target: Setting) -> bool:
    """True if two settings differ in their parameters at most."""
    free = {"label", "params", "indexed", "prompt_hashes"}
    return stored.model_dump(exclude=free) == target.model_dump(exclude=free)


def _checked(strategy: AnyStrategy, base: Setting, key: str, value: object, max_tokens: int) -> Value:
    word = value.strip() if isinstance(value, str) else value
    if key == RETRIEVER:
        if word not in RETRIEVERS:
            raise InputError(f"There is no retriever '{word}'. Choose some of: {', '.join(RETRIEVERS)}.")
        return str(word)
    if key in (CHUNK, OVERLAP):
        try:
            number = chunk_size(word) if key == CHUNK else int(str(word))
        except ValueError:
            raise InputError(f"'{key}' takes whole numbers of tokens, but got '{word}'.") from None
        sizes = (number, base.overlap_tokens) if key == CHUNK else (base.chunk_tokens, number)
        chunk_sizes(max_tokens, *sizes)
        return number
    parsed: Value = getattr(strategy.parse({key: word}), key)
    return parsed


def _of_search(max_tokens: int) -> dict[str, Parameter]:
    size, overlap = chunk_sizes(max_tokens)
    chunks = sorted({*(tokens for tokens in _CHUNKS if SMALLEST_CHUNK <= tokens <= max_tokens), size})
    overlaps = sorted({*(tokens for tokens in _OVERLAPS if tokens <= size // 2), overlap})
    values: dict[str, tuple[Value, Iterable[Value]]] = {
        RETRIEVER: ("dense", RETRIEVERS),
        CHUNK: (size, chunks),
        OVERLAP: (overlap, overlaps),
    }
    return {
        key: Parameter(key, *_OF_SEARCH[key], default, tuple(suggested), numeric=key != RETRIEVER)
        for key, (default, suggested) in values.items()
    }


def _of_field(name: str, field: FieldInfo) -> Parameter | None:
    """A parameter of a strategy; None: its values cannot be listed."""
    kind: Any = field.annotation
    title, text = _field_title(name, field), field.description or ""
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return Parameter(name, title, text, field.default, choices, numeric=False)
    if kind is bool:
        return Parameter(name, title, text, field.default, (True, False), numeric=False)
    if kind is not int:
        return None
    low, high = bounds(field)
    steps = _STEPS if low is not None and high is not None and high - low <= _WIDE else _WIDE_STEPS
    inside = {step for step in steps if (low is None or step >= low) and (high is None or step <= high)} | {
        field.default
    }
    return Parameter(name, title, text, field.default, tuple(sorted(inside)), numeric=True)


def _field_title(name: str, field: FieldInfo) -> str:
    return field.title or name.replace("_", " ").capitalize()
