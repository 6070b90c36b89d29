"""Labelled data sets with the vectors of their chunks and questions, kept in files: what fusions are measured on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.corpora.documents import Document
from core.corpora.entries import chunk_sizes
from core.corpora.splitting import Splitter, embedded_text, short_title
from core.evaluation.datasets import DataSet, read_folder, sample
from core.models.embedding_vectors import PrecomputedEmbeddings, load_vectors
from core.models.embeddings import Embedder
from core.retrieval.keyword import KeywordIndex
from core.trace.passages import Passage
from tools.demo_world.vectors import save_vectors

Vectors = NDArray[np.float32]
SETS: Mapping[str, str] = {
    "belebele_ko_en/ko": "Korean",
    "belebele_ko_en/en": "English",
    "jsquad_valid_ja": "Japanese",
    "hotpotqa_train100": "English",
    "2wiki_train500": "English",
    "musique_train100": "English",
    "strategyqa_dev229": "English",
    "cranfield": "English",
    "scifact": "English",
}
"""Folder -> language; beside these, `xquad` has a folder per language."""
XQUAD: Mapping[str, str] = {
    "zh": "Chinese",
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "ro": "Romanian",
    "ru": "Russian",
    "tr": "Turkish",
    "el": "Greek",
    "ar": "Arabic",
    "hi": "Hindi",
    "vi": "Vietnamese",
    "th": "Thai",
}
"""Folder in `xquad` -> language; those that are missing are left out."""
EMBEDDED_AT_ONCE = 200


@dataclass(frozen=True)
class Sizes:
    """How much of each set is measured."""

    questions: int = 300
    documents: int = 600
    seed: int = 0


@dataclass(frozen=True)
class SearchedSet:
    """A data set, cut and embedded as the app would do it."""

    name: str
    language: str
    data: DataSet
    """With a sample of its questions, those that have evidence."""
    passages: list[Passage]
    titles: dict[str, str]
    """Id of a document -> its title."""
    chunks: Vectors
    """A row of unit length per passage."""
    questions: Vectors
    """A row of unit length per question."""

    def keyword_index(self) -> KeywordIndex:
        """The app's own index of the passages."""
        return KeywordIndex(self.passages, self.titles)


def folders(data: Path) -> Iterator[tuple[str, str]]:
    """Folder and language of each set that is there."""
    known = {f"xquad/{folder}": language for folder, language in XQUAD.items()} | dict(SETS)
    yield from ((name, language) for name, language in known.items() if (data / name).is_dir())


def fewer_documents(dataset: DataSet, most: int, seed: int) -> DataSet:
    """At most so many documents: those with evidence for a question, and others that are drawn."""
    gold = {document for one in dataset.questions for document in one.gold}
    others = sorted(one.id for one in dataset.documents if one.id not in gold)
    random.Random(seed).shuffle(others)
    chosen = gold | set(others[: max(0, most - len(gold))])
    return replace(dataset, documents=tuple(one for one in dataset.documents if one.id in chosen))


def searched_set(
    name: str, language: str, data: Path, kept: Path, embedder: Embedder, sizes: Sizes
) -> SearchedSet:
    """Read, cut and embed; vectors that are in `kept` are not made again."""
    whole = sample(read_folder(data / name), sizes.questions, sizes.seed)
    whole = replace(whole, questions=tuple(one for one in whole.questions if one.gold))
    dataset = fewer_documents(whole, sizes.documents, sizes.seed)
    cut = chunk_sizes(embedder.max_tokens)
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *cut)
    titles = {one.id: one.title for one in dataset.documents}
    passages = [
        passage
        for one in dataset.documents
        for passage in splitter.split(Document(one.id, one.id, one.title, one.text, key=one.id))
    ]
    short = {
        key: short_title(title, embedder.tokenizer, embedder.max_tokens) for key, title in titles.items()
    }
    texts = [embedded_text(short[one.document], one.text) for one in passages]
    questions = [one.text for one in dataset.questions]
    file = kept / f"{name.replace('/', '-')}.npz"
    vectors = _vectors(texts, file, embedder)
    asked = _vectors(questions, file.with_suffix(".questions.npz"), embedder)
    return SearchedSet(name, language, dataset, passages, titles, vectors, asked)


def _vectors(texts: list[str], file: Path, embedder: Embedder) -> Vectors:
    wanted = list(dict.fromkeys(texts))
    known = PrecomputedEmbeddings(embedder.embeddings, load_vectors(file, embedder.key))
    if not known.knows(wanted):
        made = [
            vector
            for start in range(0, len(wanted), EMBEDDED_AT_ONCE)
            for vector in known.embed_documents(wanted[start : start + EMBEDDED_AT_ONCE])
        ]
        file.parent.mkdir(parents=True, exist_ok=True)
        save_vectors(file, embedder.key, wanted, made)
        known = PrecomputedEmbeddings(embedder.embeddings, load_vectors(file, embedder.key))
    return np.array(known.embed_documents(texts), dtype=np.float32)
