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
    from core.models.chat_models import ChatModel
    from core.runs.workbench import Workbench


@dataclass(frozen=True)
class _Told:
    languages: Mapping[str, float]
    questions: frozenset[str]


_TOLD: dict[tuple[int, str], _Told] = {}
"""Workbench and key of a data set -> what is needed of it again and again."""


def default_of(bench: Workbench, key: str, strategy: str, chat: ChatModel) -> Default:
    """How a strategy searches the data set with this key: as a recording that plays did with its questions, else as
    `core.retrieval.defaults` has it. Blocks for a second the first time."""
    if (id(bench), key) not in _TOLD:
        try:
            dataset = data_sets_of(bench).open(key)
        except LoupeError:  # the page says what is wrong with it
            return Default(FALLBACK)
        _TOLD[id(bench), key] = _told(bench, dataset)
    return _default(bench, _TOLD[id(bench), key], strategy, chat)


def with_defaults(
    bench: Workbench, dataset: DataSet, settings: Sequence[Setting], chat: ChatModel
) -> tuple[tuple[Setting, ...], tuple[str, ...]]:
    """Settings with their default retrievers, but for strategies that search in one way only; and why, in sentences."""
    told = _told(bench, dataset)
    found = {
        one.strategy: _default(bench, told, one.strategy, chat)
        for one in settings
        if get_strategy(one.strategy).choosable
    }
    made = (
        one.model_copy(update={"retriever": found[one.strategy].retriever}) if one.strategy in found else one
        for one in settings
    )
    return tuple(made), tuple(dict.fromkeys(one.why for one in found.values() if one.why))


def _default(bench: Workbench, told: _Told, strategy: str, chat: ChatModel) -> Default:
    if chat.play:
        runs = bench.recordings.store.runs(chat.play.recording.id)
        if found := recorded_default(chat.play.recording.name, runs, strategy, questions=told.questions):
            return found
    return bench.corpora.defaults.among(told.languages)


def _told(bench: Workbench, dataset: DataSet) -> _Told:
    documents = dataset.documents
    sample = documents[:: max(1, len(documents) // SAMPLE)][:SAMPLE]
    shares = bench.corpora.languages_of(dataset.key, [f"{one.title}\n{one.text}" for one in sample])
    return _Told(shares, frozenset(question.text for question in dataset.questions))
