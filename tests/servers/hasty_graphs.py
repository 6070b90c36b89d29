"""The local graph server, whose limit on a statement's time can be set while it runs: for queries that have no end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.services import arcadedb
from core.services.arcadedb import LOCAL_GRAPHS, QUERY_SECONDS
from core.services.service import Service, Serving

HASTY_GRAPHS = Service(LOCAL_GRAPHS.key, LOCAL_GRAPHS.title, __name__, LOCAL_GRAPHS.health_path)
HASTY_SECONDS = 0.5
_USUAL, _WANTED, _SET = "limit-usual", "limit-wanted", "limit-set"
"""Files in the home folder, by which a test and the server agree."""


def serve(home: Path) -> Serving:
    serving = arcadedb.serve(home)
    threading.Thread(target=_obey, args=(home,), daemon=True).start()
    return serving


def usual_limit(home: Path) -> float:
    """The limit with which the server was started, in seconds."""
    return int((home / _USUAL).read_text()) / 1000


@contextmanager
def in_haste(home: Path) -> Iterator[None]:
    """With a limit of `HASTY_SECONDS`; afterwards with the usual one, so that what must not be ended is not."""
    _set_limit(home, HASTY_SECONDS)
    yield
    _set_limit(home, QUERY_SECONDS)


def _set_limit(home: Path, seconds: float) -> None:
    (home / _SET).unlink(missing_ok=True)
    (home / _WANTED).write_text(str(int(seconds * 1000)))
    for _ in range(6000):
        if (home / _SET).exists():
            return
        time.sleep(0.01)
    raise AssertionError("The server does not listen.")


def _obey(home: Path) -> None:
    from jpype import JClass

    limit = JClass("com.arcadedb.GlobalConfiguration").COMMAND_TIMEOUT
    (home / _USUAL).write_text(str(limit.getValueAsLong()))
    while True:
        try:
            wanted = int((home / _WANTED).read_text())
        except (FileNotFoundError, ValueError):  # not there, or not written yet
            time.sleep(0.02)
            continue
        (home / _WANTED).unlink()
        limit.setValue(wanted)
        (home / _SET).touch()
