"""All data sets: those that come with the app, uploaded ones, and those made in the browser."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property, lru_cache

from core.corpora.demo import DEMOS, WORLD, demo_questions, own_documents
from core.errors import InputError
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import DATA, WIKIPEDIA, DataSet, data_set, read_files, read_folder
from core.evaluation.making import build_data_set, corpus_of_set
from core.evaluation.set_store import DataSetEntry, MadeQuestions, SetStore
from core.models.chat_models import RecordedModel
from core.models.recordings.covers import recorded_for_all
from core.runs.sources.sources import Sources
from core.users import APP

SHIPPED: dict[str, str] = {
    WORLD.name: "Pellamar, single passages",
    WIKIPEDIA.name: "Wikipedia, multi-hop questions",
    "strategyqa_dev229": "StrategyQA, implicit yes/no questions",
    "belebele_ko60": "Belebele, questions in Korean",
}
"""Folder in `data` -> name on the page."""
RECORDED, RECORDED_NAME = "recorded", "Pellamar, recorded questions"
"""Key and name of the data set that the shipped recording covers whole."""


class DataSets:
    """The data sets of one process."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    @cached_property
    def store(self) -> SetStore:
        """The uploaded data sets and those made in the browser."""
        return SetStore(self._sources.settings.database)

    @cached_property
    def questions(self) -> MadeQuestions:
        """The questions of data sets made in the browser."""
        return MadeQuestions(self.store)

    def described(self, owners: Collection[str] | None) -> list[DataSetEntry]:
        """The data sets that these owners (None: all) may use: their own, pinned ones, and those that come with the
        app."""
        documents = {
            key: corpus.documents
            for corpus in self._sources.corpora.catalogue.corpora()
            for key in (corpus.name, corpus.id)
        }
        stored = [
            replace(one, documents=documents.get(one.corpus, documents.get(one.corpus_name, 0)))
            if one.origin == "made"
            else one
            for one in self.store.list(owners)
        ]
        first = recorded_set(self._sources)
        shipped = ({RECORDED: first} if first else {}) | {key: _shipped(key) for key in SHIPPED}
        return stored + [
            DataSetEntry(key, one.name, "shipped", len(one.questions), len(one.documents))
            for key, one in shipped.items()
        ]

    def open(self, key: str) -> DataSet:
        """The data set with this key; blocks while it is read.

        Raises:
            InputError: There is no such data set, or it cannot be used yet; see `build_data_set`.
            ServiceError, StoreError: The database, or the index of its corpus, fails.
        """
        if key in SHIPPED:
            return _shipped(key)
        if key == RECORDED:
            if found := recorded_set(self._sources):
                return found
            raise InputError(
                "No recording comes with this app, so no question is recorded. Choose another data set."
            )
        entry = self.store.get(key)
        if entry.origin == "made":
            corpus = corpus_of_set(self._sources.corpora, entry)
            return _built(self._sources.corpora, entry, corpus, self.questions.list(key))
        return replace(_read(self, key), name=entry.name)

    def visible(self, key: str, owners: Collection[str]) -> DataSetEntry | None:
        """The entry of a stored data set, if these owners may see it."""
        try:
            found = self.store.get(key)
        except InputError:
            return None
        return found if found.pinned or found.owner in owners else None


@lru_cache(maxsize=1)
def data_sets_of(sources: Sources) -> DataSets:
    """The data sets of a process."""
    return DataSets(sources)


def find_data_set(sources: Sources, name: str) -> DataSet:
    """The data set with this key or name, of any owner: users of the command line have the database anyway. Raises
    `InputError` where there is none, or several have the name."""
    known = data_sets_of(sources)
    there = known.described(None)
    found = [one for one in there if one.id == name] or [one for one in there if one.name == name]
    if len(found) == 1:
        return known.open(found[0].id)
    if found:
        keys = ", ".join(one.id for one in found)
        raise InputError(f"{len(found)} data sets are called “{name}”. Name one by its key: {keys}.")
    names = ", ".join(f"“{one.name}”" for one in there[:20])
    raise InputError(f"“{name}” is not a folder and no stored data set. Stored: {names}.")


@lru_cache(maxsize=len(SHIPPED))
def _shipped(key: str) -> DataSet:
    return replace(read_folder(DATA / key), name=SHIPPED[key])


@lru_cache(maxsize=4)
def _read(sets: DataSets, key: str) -> DataSet:
    """An uploaded set never changes, so it is read once."""
    files = sets.store.files(key)
    if not files:
        raise InputError("This data set is not stored here any more.")
    return read_files(key, files)


_built = lru_cache(maxsize=4)(build_data_set)
"""Cached until a question, a mark, or the version of the corpus changes."""


def recorded_set(sources: Sources) -> DataSet | None:
    """The data set that the shipped recording covers whole: demo questions that went through every strategy of it.
    None: no recording comes with the app, or it holds no such question. Blocks for a moment.

    With it a first evaluation takes seconds and costs nothing, and its differences are those of a capable model.
    """
    shipped = (one for one in sources.recordings.store.listed([APP.owner]) if one.owner == APP.owner)
    runs = (run for one in shipped for run in sources.recordings.runs_of(RecordedModel(one)))
    return _set_of(recorded_for_all(runs))


@lru_cache(maxsize=2)
def _set_of(texts: Collection[str]) -> DataSet | None:
    demo = DEMOS[0]
    questions = tuple(
        LabelledQuestion(
            one.id,
            one.text,
            one.type,
            one.answers,
            dict.fromkeys((evidence.document for evidence in one.evidence), 1),
        )
        for one in demo_questions(demo)
        if one.text in texts
    )
    if not questions:
        return None
    documents = tuple(DataDocument(one.id, one.title or one.name, one.text) for one in own_documents(demo))
    return replace(data_set(RECORDED_NAME, documents, questions), corpus=demo.name)
