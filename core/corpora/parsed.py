"""Documents as their loaders parsed them, kept in a file: what comes with the app need not be parsed again."""

from __future__ import annotations

import json
from pathlib import Path

from core.corpora.about import values_of
from core.corpora.documents import Document


def read_parsed(file: Path, folder: str) -> tuple[Document, ...]:
    """The documents of one folder, in the order of the file. Blocks for a moment.

    Args:
        file: JSON Lines, as `tools.demo_world` writes them.
        folder: Name of the folder.
    """
    found = []
    # Not `splitlines`, which would also part lines at characters that stand within a text.
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line and (record := json.loads(line))["folder"] == folder:
            headings = tuple((int(offset), str(text)) for offset, text in record["headings"])
            found.append(
                Document(
                    id=record["id"],
                    name=record["name"],
                    title=record["title"],
                    text=record["text"],
                    pages=tuple(map(int, record["pages"])),
                    headings=headings,
                    about=values_of(record["about"]),
                    reader=int(record["reader"]),
                )
            )
    return tuple(found)
