"""The languages of corpora, kept in the home: detecting them takes a second in a new process."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from core.home import make_file


class _Known(TypedDict):
    version: int
    languages: list[str]


_FILE: TypeAdapter[dict[str, _Known]] = TypeAdapter(dict[str, _Known])
MOST_KNOWN = 500
"""Corpora whose languages are kept."""


class KnownLanguages:
    """The languages of each corpus as of one version of it; thread-safe.

    A file that cannot be read or written costs that second, and nothing else.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()

    def of(self, corpus: str, version: int) -> tuple[str, ...] | None:
        """The languages of a version of a corpus, given by its id; None: they are not known."""
        kept = self._read().get(corpus)
        return tuple(kept["languages"]) if kept and kept["version"] == version else None

    def note(self, corpus: str, version: int, found: Sequence[str]) -> None:
        """Keep what was told by a sample."""
        with self._lock, suppress(OSError):
            every = {**self._read(), corpus: {"version": version, "languages": list(found)}}
            draft = self._file.with_suffix(f".{os.getpid()}.new")
            make_file(draft)
            draft.write_text(json.dumps(dict(list(every.items())[-MOST_KNOWN:])), encoding="utf-8")
            draft.replace(self._file)

    def _read(self) -> dict[str, _Known]:
        try:
            return _FILE.validate_json(self._file.read_bytes())
        except (OSError, ValidationError):  # there is none yet, or it is damaged
            return {}
