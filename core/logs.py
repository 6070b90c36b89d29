"""The log of a home: what went wrong unexpectedly, with tracebacks and without secrets, for its user only.

Secrets are those that this process works with, and what stands where secrets usually do.
The command line loads this before it knows what is asked, so what takes time is imported where it is used.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit
from weakref import WeakValueDictionary

from core.errors import LoupeError

if TYPE_CHECKING:
    from pydantic import BaseModel, SecretStr

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
    from core.settings import get_settings, make_home

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
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(text)


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


HIDDEN = "•••"
SHORTEST_SECRET = 4
"""Characters; nothing shorter is a secret worth hiding, and hiding it would garble the text."""
_WATCHED: WeakValueDictionary[int, SecretStr] = WeakValueDictionary()
"""Secrets by their identity, held only as long as somebody else holds them."""
_LOOKS_SECRET = re.compile(
    r"(?<=Bearer )[^\s'\"]+"
    r"|(?<=://)[^\s/@'\"]+(?=@)"  # user and password of an address
    r"|\bsk-[\w-]{8,}"
)


def watch(secret: SecretStr) -> None:
    """Hide a secret in texts from now on, as long as something holds it."""
    _WATCHED[id(secret)] = secret


def watch_all(settings: BaseModel) -> None:
    """Hide every secret among the fields of a model."""
    from pydantic import SecretStr

    for value in vars(settings).values():
        if isinstance(value, SecretStr):
            watch(value)


def redact(text: str) -> str:
    """A text in which the watched secrets, and what looks like one, are replaced."""
    return _LOOKS_SECRET.sub(HIDDEN, without(text, list(_WATCHED.values())))


def without(text: str, secrets: Iterable[SecretStr]) -> str:
    """A text in which these secrets are replaced, also where they are written as a part of an address."""
    for form in sorted(_forms(secrets), key=len, reverse=True):  # one may be a part of another
        text = text.replace(form, HIDDEN)
    return text


def beginning_of_secret(text: str, secrets: Iterable[SecretStr]) -> int:
    """How many characters at the end of a text may begin one of these secrets: the rest of it may follow."""
    ends = (
        size
        for form in _forms(secrets)
        for size in range(min(len(form) - 1, len(text)), 0, -1)
        if text.endswith(form[:size])
    )
    return max(ends, default=0)


def _forms(secrets: Iterable[SecretStr]) -> set[str]:
    """The ways in which texts may write secrets; of one that is the address of a database, also the password in it."""
    plain = [secret.get_secret_value() for secret in secrets]
    for address in [value for value in plain if "://" in value]:
        with suppress(ValueError):  # no address after all
            plain.append(unquote(urlsplit(address).password or ""))
    forms = {form for value in plain for form in (value, quote(value, safe=""))}
    return {form for form in forms if len(form) >= SHORTEST_SECRET}
