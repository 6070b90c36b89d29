"""The demo corpus and its questions as a data set: its passages are the documents, found as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from core.corpora.documents import Document
from core.corpora.labels import read_questions
from core.models.embeddings import Embedder
from tools.demo_world.parsing import passages_of


def make_dataset(world: Path, documents: Sequence[Document], embedder: Embedder) -> tuple[int, int]:
    """Write `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; the number of passages and of questions.

    Left out are questions that nothing answers, since in a data set no gold passage means that none is known. Gold is
    the first passage that holds each piece of evidence; other places that say the same are not.

    Args:
        world: Where `questions.jsonl` is, and where to write.
        documents: Of the demo corpus.
        embedder: The built-in embeddings, by whose tokens documents are cut.

    Raises:
        InputError: Words that a question quotes are not in the document that it names.
    """
    passages = passages_of(documents, embedder)
    by_id = {document.id: document for document in documents}
    ids = {one.chunk: f"{PurePath(by_id[one.document].name).stem}-{one.position}" for one in passages}
    names = {document.name: document.id for document in documents}
    found = read_questions(world / "questions.jsonl", names, passages)
    questions = [question for question in found if question.evidence]
    _write(
        world / "corpus.jsonl",
        (
            _json({"id": ids[one.chunk], "title": by_id[one.document].title, "text": one.text})
            for one in passages
        ),
    )
    _write(
        world / "queries.jsonl",
        (
            _json({"id": one.id, "text": one.text, "type": one.type, "answers": one.answers})
            for one in questions
        ),
    )
    gold = {
        (question.id, ids[evidence.chunks[0]]): None
        for question in questions
        for evidence in question.evidence
    }
    _write(
        world / "qrels.tsv", ["qid\tdocid\trel", *(f"{question}\t{passage}\t1" for question, passage in gold)]
    )
    return len(passages), len(questions)


def _json(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)


def _write(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
