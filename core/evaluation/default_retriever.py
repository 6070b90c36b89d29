"""With which retriever the documents of a data set are searched where nobody chose one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.retrieval.corpus import SAMPLE
from core.retrieval.defaults import FALLBACK, Default
from core.runs.sources.defaults import recorded_default
from core.strategies import get_strategy

if TYPE_CHECKING:
    from core.evaluation.datasets import DataSet
    from core.evaluation.plan import Setting
    from core.models.choice import ChatChoice
    from core.runs.sources.sources import Sources


@dataclass(frozen=True)
class _Told:
    languages: Mapping[str, float]
    questions: frozenset[str]


_TOLD: dict[tuple[int, str], _Told] = {}
"""Sources and key of a data set -> what is needed of it again and again."""


def default_of(sources: Sources, key: str, strategy: str, chat: ChatChoice) -> Default:
    """How a strategy searches the data set with this key: as a recording that plays did with its questions, else as
    `core.retrieval.defaults` has it. Blocks for a second the first time."""
    if (id(sources), key) not in _TOLD:
        try:
            dataset = data_sets_of(sources).open(key)
        except LoupeError:  # the page says what is wrong with it
            return Default(FALLBACK)
        _TOLD[id(sources), key] = _told(sources, dataset)
    return _default(sources, _TOLD[id(sources), key], strategy, chat)


def with_defaults(
    sources: Sources, dataset: DataSet, settings: Sequence[Setting], chat: ChatChoice
) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """Settings with their default retrievers, but for strategies that search in one way only; and why, in sentences."""
    told = _told(sources, dataset)
    found = {
        one.strategy: _default(sources, told, one.strategy, chat)
        for one in settings
        if get_strategy(one.strategy).choosable
    }
    made = (
        one.model_copy(update={"retriever": found[one.strategy].retriever}) if one.strategy in found else one
        for one in settings
    )
    return tuple(made), tuple(dict.fromkeys(one.why for one in found.values() if one.why))


def _default(sources: Sources, told: _Told, strategy: str, chat: ChatChoice) -> Default:
    if chat.play:
        runs = sources.recordings.store.runs(chat.play.recording.id)
        if found := recorded_default(chat.play.recording.name, runs, strategy, questions=told.questions):
            return found
    return sources.corpora.defaults.among(told.languages)


def _told(sources: Sources, dataset: DataSet) -> _Told:
    documents = dataset.documents
    sample = documents[:: max(1, len(documents) // SAMPLE)][:SAMPLE]
    shares = sources.corpora.languages_of(dataset.key, [f"{one.title}\n{one.text}" for one in sample])
    return _Told(shares, frozenset(question.text for question in dataset.questions))
