"""Loaders that do to a process what a hostile file might; given to the parser by `--loaders`."""

from __future__ import annotations

import ctypes
import os
import re
import time
from pathlib import Path

from core.corpora.documents import Document, TextBuilder
from core.errors import DocumentError


def _document(name: str, data: bytes, text: str) -> list[Document]:
    builder = TextBuilder()
    builder.block(text)
    return [builder.build(name, data)]


def _hang(name: str, data: bytes) -> list[Document]:
    if data.startswith(b"/"):
        Path(data.decode()).write_text(str(os.getpid()))
    while True:
        pass


def _stall(name: str, data: bytes) -> list[Document]:
    """Stay in one step of the interpreter, so that no other thread has a turn."""
    if data.startswith(b"/"):
        Path(data.decode()).write_text(str(os.getpid()))
    re.match("(a+)+$", "a" * 60 + "b")
    return []


def _bloat(name: str, data: bytes) -> list[Document]:
    held = []
    while True:
        held.append(b"x" * 2**24)


def _crash(name: str, data: bytes) -> list[Document]:
    ctypes.string_at(0)
    return []


def _leave(name: str, data: bytes) -> list[Document]:
    os._exit(3)


def _chatter(name: str, data: bytes) -> list[Document]:
    print("a library that prints")
    os.write(1, b"and one that is written in C")
    return _document(name, data, "said")


def _process(name: str, data: bytes) -> list[Document]:
    return _document(name, data, str(os.getpid()))


def _meet(name: str, data: bytes) -> list[Document]:
    """Wait until another process reads such a file too."""
    folder = Path(data.decode())
    (folder / str(os.getpid())).touch()
    for _ in range(3000):
        if len(list(folder.iterdir())) > 1:
            return _process(name, data)
        time.sleep(0.02)
    raise DocumentError("Nobody came.")


def _environment(name: str, data: bytes) -> list[Document]:
    return _document(name, data, " ".join(os.environ))


LOADERS = {
    ".hang": _hang,
    ".stall": _stall,
    ".bloat": _bloat,
    ".crash": _crash,
    ".leave": _leave,
    ".chatter": _chatter,
    ".process": _process,
    ".meet": _meet,
    ".environment": _environment,
}
