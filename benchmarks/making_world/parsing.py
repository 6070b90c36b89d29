"""Every document of the world through the app's own loaders, and cut into passages as the app cuts them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.corpora.demo import DEMOS, OVERLAP
from core.corpora.documents import Document
from core.corpora.loaders import load
from core.corpora.splitting import Splitter, chunk_sizes
from core.models.embeddings import Embedder
from core.trace.passages import Passage

FOLDERS = tuple(demo.folder for demo in DEMOS)
"""The corpora."""
QUESTIONS = "questions.jsonl"
"""Lies beside some documents, and is none."""
_MAX_MB = 5


def parse_world(world: Path) -> dict[str, list[Document]]:
    """The documents of each corpus, sorted by name.

    Raises:
        DocumentError: One cannot be read.
        ValueError: Two documents of a corpus have the same name but for its ending, or one holds several.
    """
    return {folder: _parse(world / folder) for folder in FOLDERS}


def _parse(folder: Path) -> list[Document]:
    found: dict[str, Document] = {}
    for file in sorted(folder.glob("[!.]*")):
        if file.name == QUESTIONS:
            continue
        if file.stem in found:
            raise ValueError(f"{file} and {found[file.stem].name} would have the same passages by their ids.")
        [found[file.stem]] = load(file.name, file.read_bytes(), _MAX_MB)
    return list(found.values())


def passages_of(
    documents: Sequence[Document], embedder: Embedder, sizes: tuple[int, int] | None = None
) -> list[Passage]:
    """The passages of documents in order.

    Args:
        documents: To be cut.
        embedder: Whose tokens count.
        sizes: Size and overlap in tokens; None: those of the demo corpora.
    """
    sizes = sizes or chunk_sizes(embedder.max_tokens, overlap=OVERLAP)
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *sizes)
    return [passage for document in documents for passage in splitter.split(document)]
