"""The process that parses documents for `core.corpora.parsing`: `python -m core.corpora.parser_child`.

It says when it is ready. A request is a JSON header, which says how many bytes of the file follow; the reply is one
JSON message. Each message is preceded by its length. Nothing but plain data crosses the pipes in either direction.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import importlib
import json
import os
import queue
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, BinaryIO

from core.corpora.loaders import LOADERS, load
from core.errors import DocumentError

LENGTH = struct.Struct(">Q")
MAX_MESSAGE = 2**28
"""Bytes. The parent holds a reply in memory, so a child must not choose its size."""
TOO_MUCH_MEMORY = "memory"
"""Reply in place of documents: the parser reached a limit."""

_PR_SET_PDEATHSIG = 1
_MOST_TRACEBACK = 4000
"""Characters of a traceback, its end."""
_GRACE = 10
"""Seconds beyond the parent's time limit after which the child ends itself, should the parent be stuck."""


def send(stream: BinaryIO, message: dict[str, Any], data: bytes = b"") -> None:
    """Write one message, and bytes behind it."""
    # Names of files on disk may hold lone surrogates.
    encoded = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(LENGTH.pack(len(encoded)) + encoded)
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any]:
    """Read one message.

    Raises:
        EOFError: The other side is gone, or it announces more than it may send.
    """
    (length,) = LENGTH.unpack(read_exactly(stream, LENGTH.size))
    if length > MAX_MESSAGE:
        raise EOFError
    message: dict[str, Any] = json.loads(read_exactly(stream, length).decode("utf-8", "surrogatepass"))
    return message


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    """Return exactly this number of bytes.

    Raises:
        EOFError: The other side closed the pipe before.
    """
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main() -> None:
    """Parse what is sent until the pipe is closed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=int, default=0, help="bytes of address space; 0: unlimited")
    parser.add_argument("--seconds", type=float, default=60, help="longest time for a file")
    parser.add_argument(
        "--loaders", help="module whose LOADERS are added: files for tests that hang or crash"
    )
    arguments = parser.parse_args()
    requests, replies = _take_pipes()
    _die_with_parent()
    _limit_memory(arguments.memory)
    if arguments.loaders:
        LOADERS.update(importlib.import_module(arguments.loaders).LOADERS)
    waiting: queue.SimpleQueue[tuple[dict[str, Any], bytes]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting.put), daemon=True).start()
    send(replies, {"ready": True})  # starting up does not count as time for the file
    while True:
        header, data = waiting.get()
        # This clock needs no turn of the interpreter, so it also ends code that never gives one.
        faulthandler.dump_traceback_later(arguments.seconds + _GRACE, exit=True)
        send(replies, _parse(header, data))
        faulthandler.cancel_dump_traceback_later()
        del data


def _take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes to the parent, out of the reach of a library that prints or reads."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches it too; the parent decides
    return requests, replies


def _die_with_parent() -> None:
    # The end of the pipe tells it too, but only between two steps of the interpreter.
    if sys.platform == "linux":
        parent = os.getppid()
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def _limit_memory(size: int) -> None:
    if size and sys.platform == "linux":  # elsewhere the parent measures
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _listen(requests: BinaryIO, put: Callable[[tuple[dict[str, Any], bytes]], None]) -> None:
    """Take requests; end the process, whatever it is doing, when the parent is gone."""
    try:
        while True:
            header = receive(requests)
            put((header, read_exactly(requests, header["size"])))
    finally:
        os._exit(0)


def _parse(header: dict[str, Any], data: bytes) -> dict[str, Any]:
    try:
        documents = load(header["name"], data, header["max_mb"])
        if sum(len(document.text) for document in documents) > MAX_MESSAGE // 4:
            millions = MAX_MESSAGE // 4 // 10**6
            return {"error": f"“{header['name']}” holds more than {millions} million characters. Split it."}
        return {"documents": [asdict(document) for document in documents]}
    except DocumentError as error:
        why = (
            "".join(traceback.format_exception(error.__cause__))[-_MOST_TRACEBACK:] if error.__cause__ else ""
        )
        return {"error": str(error), "why": why}
    except MemoryError:
        return {"failure": TOO_MUCH_MEMORY}


if __name__ == "__main__":
    main()
