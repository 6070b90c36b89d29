"""The home folder: for its user alone, since questions and the ids by which browsers are known stand in it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

DATABASE = "rag-loupe.sqlite"
"""What a folder holds that is a home already, unless its database is elsewhere."""


def make_home(folder: Path) -> None:
    """Make the folder, readable by its user only; one that is there is closed to others if it is a home or empty.

    A folder that is used for other things, too, or belongs to somebody else, stays as it is.

    Raises:
        OSError: It cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.name != "posix":
        return
    status = folder.stat()
    if not status.st_mode & 0o077 or status.st_uid != os.geteuid():
        return
    if (folder / DATABASE).exists() or not any(folder.iterdir()):
        with suppress(OSError):  # a file system that has no such rights
            folder.chmod(0o700)


def make_file(path: Path) -> None:
    """Make an empty file, readable by its user only, where there is none.

    What SQLite puts beside it (its log) gets the same rights.

    Raises:
        OSError: It cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
