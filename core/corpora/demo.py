"""The demo corpus: Wikipedia passages with multi-hop questions, indexed on the first start."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.corpora.catalogue import Catalogue
from core.corpora.entries import Question
from core.corpora.ingestion import ingest
from core.corpora.reports import IndexReport, Progress

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

DEMO_CORPUS = "Wikipedia demo (60 questions)"
FOLDER = Path(__file__).parents[2] / "data" / "2wiki_demo60"


def read_questions(folder: Path) -> list[Question]:
    """The questions of a data set's folder, with the documents that hold their evidence."""
    gold: dict[str, list[str]] = defaultdict(list)
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            gold[row["qid"]].append(row["docid"])
    with (folder / "queries.jsonl").open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [
        Question(
            text=item["text"],
            id=item["id"],
            type=item.get("type", ""),
            answers=tuple(item.get("answers", ())),
            gold=tuple(gold[item["id"]]),
        )
        for item in records
    ]


async def ensure_demo(
    *,
    catalogue: Catalogue,
    vectors: str,
    embedder: Embedder,
    max_mb: int,
    progress: Callable[[Progress], None],
) -> IndexReport:
    """Index what is missing of the demo corpus; cheap when nothing is. Arguments and errors as of `ingest`."""
    report = await ingest(
        [FOLDER],
        DEMO_CORPUS,
        catalogue=catalogue,
        vectors=vectors,
        embedder=embedder,
        max_mb=max_mb,
        progress=progress,
    )

    def add_questions() -> None:
        corpus = catalogue.corpus(DEMO_CORPUS)
        if not corpus.questions:
            catalogue.set_questions(corpus.id, read_questions(FOLDER))

    await asyncio.to_thread(add_questions)
    return report
