"""The log of a home: what went wrong unexpectedly, with tracebacks and without secrets, for its user only.

The command line loads this before it knows what is asked, so what takes time is imported where it is used.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from core.errors import LoupeError

LOG = Path("logs", "rag-loupe.log")
"""Place in the home folder."""
MOST_BYTES = 500_000
"""Size from which the log is put aside as `rag-loupe.log.1`; what lay there before goes."""
_FORM = "%(asctime)s [%(process)d] %(levelname)s %(name)s: %(message)s"
_STREAMLIT = "streamlit.error_util"
"""Streamlit's logger of what a page did not catch; as it comes, it hands nothing on to the root logger."""
log = logging.getLogger(__name__)


class _Redacting(logging.Formatter):
    """Formats a record, its traceback included, without secrets and without what could drive a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        from core.redaction import redact

        text = redact(super().format(record))
        return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


class HomeLog(logging.Handler):
    """Appends warnings and errors to the log in the home folder, which is looked up with the first of them.

    A home that cannot be written must not make a second error of the first: `file` tells.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.setFormatter(_Redacting(_FORM))
        self.file: Path | None = None
        """The log with the last record in it; None: there is no record, or it could not be written."""

    def emit(self, record: logging.LogRecord) -> None:
        self.file = None
        try:
            file = _log_file()
            _append(file, self.format(record) + "\n")
        except (OSError, LoupeError):  # the home cannot be written, or a setting is not usable
            return
        self.file = file


def _log_file() -> Path:
    """The log of the home in the settings, whose secrets are hidden from now on.

    Raises:
        InputError: A setting is not usable.
        OSError: The folder cannot be made.
    """
    from core.home import make_home
    from core.redaction import watch_all
    from core.settings import get_settings

    settings = get_settings()
    watch_all(settings)
    make_home(settings.rag_loupe_home)
    file = settings.rag_loupe_home / LOG
    file.parent.mkdir(mode=0o700, exist_ok=True)
    return file


def _append(file: Path, text: str) -> None:
    """Add a text; opened each time, since several processes write here and one of them may put the file aside."""
    if file.exists() and file.stat().st_size >= MOST_BYTES:
        file.replace(file.with_name(f"{file.name}.1"))
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as opened:
        opened.write(text)


@contextmanager
def logged(*, shown: bool) -> Iterator[HomeLog]:
    """Keep the log meanwhile, also of what a thread did not catch; `shown`: standard error gets the same."""
    home, root, uncaught = HomeLog(), logging.getLogger(), threading.excepthook
    handlers = [home, _console()] if shown else [home]
    threading.excepthook = _note_thread
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield home
    finally:
        threading.excepthook = uncaught
        for handler in handlers:
            root.removeHandler(handler)


@cache
def keep_log() -> None:
    """Have the process of the app keep the log from now on, beside what it prints; once is enough."""
    for handler in (HomeLog(), _console()):
        logging.getLogger().addHandler(handler)
    threading.excepthook = _note_thread
    pages = logging.getLogger(_STREAMLIT)
    pages.handlers.clear()  # Streamlit's own prints secrets
    pages.propagate = True


def _console() -> logging.Handler:
    """Prints the same to standard error."""
    console = logging.StreamHandler(sys.stderr)
    console.setLevel(logging.WARNING)
    console.setFormatter(_Redacting(_FORM))
    return console


def _note_thread(failed: threading.ExceptHookArgs) -> None:
    if failed.exc_value is not None and not isinstance(failed.exc_value, SystemExit):
        name = failed.thread.name if failed.thread else "?"
        log.error("Nothing caught an error in the thread %s", name, exc_info=failed.exc_value)
