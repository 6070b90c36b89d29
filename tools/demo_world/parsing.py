"""Every document of the world through the app's own loaders, and cut into passages as the app cuts them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from core.corpora.demo import DEMOS, OVERLAP, STARTERS
from core.corpora.documents import About, Document, about
from core.corpora.entries import chunk_sizes
from core.corpora.loaders import load
from core.corpora.splitting import Splitter
from core.models.embeddings import Embedder
from core.trace.passages import Passage

FOLDERS = tuple(demo.folder for demo in DEMOS)
"""The corpora."""
QUESTIONS = "questions.jsonl"
"""Lies beside some documents, as `STARTERS` do, and is none."""
ABOUT = "about.toml"
"""What the documents are, which their files do not say."""
_MAX_MB = 5


def parse_world(world: Path) -> dict[str, list[Document]]:
    """The documents of each corpus, sorted by name.

    Raises:
        DocumentError: One cannot be read.
        ValueError: Two documents of a corpus have the same name but for its ending, or one holds several.
    """
    table = tomllib.loads((world / ABOUT).read_text(encoding="utf-8"))
    return {folder: _parse(world / folder, table) for folder in FOLDERS}


def _parse(folder: Path, table: Mapping[str, Mapping[str, str]]) -> list[Document]:
    found: dict[str, Document] = {}
    for file in sorted(folder.glob("[!.]*")):
        if file.name in (QUESTIONS, STARTERS):
            continue
        if file.stem in found:
            raise ValueError(f"{file} and {found[file.stem].name} would have the same passages by their ids.")
        [document] = load(file.name, file.read_bytes(), _MAX_MB)
        # Not what the files say of themselves: that is when and by which library they were made.
        found[file.stem] = replace(document, about=_about(file.stem, table))
    return list(found.values())


def _about(stem: str, table: Mapping[str, Mapping[str, str]]) -> About:
    kind = next(kind for beginning, kind in table["kinds"].items() if stem.startswith(beginning))
    return about([("kind", kind), ("date", table["dates"].get(stem, ""))])


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


def dump_parsed(documents: Mapping[str, Sequence[Document]]) -> str:
    """Documents by folder as JSON Lines."""
    lines = [
        {"folder": folder, **{key: value for key, value in asdict(document).items() if key != "key"}}
        for folder, found in documents.items()
        for document in found
    ]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
