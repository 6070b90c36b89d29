"""How commands print."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=1, default=str)
    print()


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns wide enough for their longest cell; the last one may be as long as it likes."""
    lines = [list(header), *([printable(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line[:-1], widths, strict=True)]
        print("  ".join([*cells, line[-1]]))


def printable(text: str) -> str:
    """Text from a document or a model without the control characters that could drive a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


def progress(message: str) -> None:
    """A line of progress on standard error, where it does not disturb the result."""
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def end_progress() -> None:
    """Clear the line of progress."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
