"""A home folder made by an earlier version of the app, and kept: what every later version has to open.

`python -m tests.home.make` made it; tests/data/home/README.md says what is in it.
"""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "home"
ARCHIVE = "home.tar.xz"
CONTENTS = "contents.json"

OWNER = "me"
CORPUS = "Films"
GRAPH = "Hypernodes"
QUESTION = "Who directed A Dangerous Age?"
GRAPH_QUESTION = "Which former husband of Elizabeth Taylor died in Chichester?"


@dataclass(frozen=True)
class Contents:
    """Ids of what the home holds."""

    runs: dict[str, str]
    """Strategy -> a finished run of it, with a scripted model."""
    builtin: str
    """A run of the built-in model."""
    stopped: str
    """A run that was stopped while it answered."""
    fork: str
    """A run that left the one of RAG-Fusion with other queries."""
    comparison: str
    evaluation: str
    """Finished: retrieval alone."""
    paused: str
    """An evaluation that was paused between its questions."""
    uploaded: str
    """A data set."""
    made: str
    """A data set whose questions were written on the page."""


def contents() -> Contents:
    """What the kept home holds."""
    return Contents(**json.loads((FOLDER / CONTENTS).read_text(encoding="utf-8")))


def unpack(folder: Path) -> Path:
    """A copy of the kept home in a folder, to be used and changed."""
    with tarfile.open(FOLDER / ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder / "home"
