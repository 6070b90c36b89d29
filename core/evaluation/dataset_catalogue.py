"""The catalogue of data sets: those that come with the app, uploaded ones, and those made in the browser."""

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
            replace(entry, documents=documents.get(entry.corpus, documents.get(entry.corpus_name, 0)))
            if entry.origin == "made"
            else entry
            for entry in self.store.list(owners)
        ]
        first = recorded_set(self._sources)
        shipped = ({RECORDED: first} if first else {}) | {key: _shipped(key) for key in SHIPPED}
        return stored + [
            DataSetEntry(key, dataset.name, "shipped", len(dataset.questions), len(dataset.documents))
            for key, dataset in shipped.items()
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
            if dataset := recorded_set(self._sources):
                return dataset
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
            entry = self.store.get(key)
        except InputError:
            return None
        return entry if entry.pinned or entry.owner in owners else None


@lru_cache(maxsize=1)
def data_sets_of(sources: Sources) -> DataSets:
    """The data sets of a process."""
    return DataSets(sources)


def find_data_set(sources: Sources, name: str) -> DataSet:
    """The data set with this key or name, of any owner: users of the command line have the database anyway. Raises
    `InputError` where there is none, or several have the name."""
    sets = data_sets_of(sources)
    entries = sets.described(None)
    matches = [entry for entry in entries if entry.id == name]
    matches = matches or [entry for entry in entries if entry.name == name]
    if len(matches) == 1:
        return sets.open(matches[0].id)
    if matches:
        keys = ", ".join(entry.id for entry in matches)
        raise InputError(f"{len(matches)} data sets are called “{name}”. Name one by its key: {keys}.")
    names = ", ".join(f"“{entry.name}”" for entry in entries[:20])
    raise InputError(f"“{name}” is not a folder and no stored data set. Stored: {names}.")


@lru_cache(maxsize=len(SHIPPED))
def _shipped(key: str) -> DataSet:
    return replace(read_folder(DATA / key), name=SHIPPED[key])


@lru_cache(maxsize=4)
def _read(sets: DataSets, key: str) -> DataSet:
    """An uploaded set never changes, so it is read once."""
    files = sets.store.files(key)
    if not files:
        raise InputError("This data set is no longer stored in this app.")
    return read_files(key, files)


_built = lru_cache(maxsize=4)(build_data_set)
"""Cached until a question, a mark, or the version of the corpus changes."""


def recorded_set(sources: Sources) -> DataSet | None:
    """The data set that the shipped recording covers whole: demo questions that went through every strategy of it.
    None: no recording comes with the app, or it holds no such question. Blocks for a moment.

    With it a first evaluation takes seconds and costs nothing, and its differences are those of a capable model.
    """
    recordings = sources.recordings
    shipped = (r for r in recordings.store.listed([APP.owner]) if r.owner == APP.owner)
    runs = (run for recording in shipped for run in recordings.runs_of(RecordedModel(recording)))
    return _set_of(recorded_for_all(runs))


@lru_cache(maxsize=2)
def _set_of(texts: Collection[str]) -> DataSet | None:
    demo = DEMOS[0]
    questions = tuple(
        LabelledQuestion(q.id, q.text, q.type, q.answers, {passage.document: 1 for passage in q.evidence})
        for q in demo_questions(demo)
        if q.text in texts
    )
    if not questions:
        return None
    own = own_documents(demo)
    documents = tuple(DataDocument(entry.id, entry.title or entry.name, entry.text) for entry in own)
    return replace(data_set(RECORDED_NAME, documents, questions), corpus=demo.name)
