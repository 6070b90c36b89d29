"""One process that parses documents, seen from the app: asked for a file, watched while at work, killed at a limit."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

import psutil

from core.corpora.parser_child import TOO_MUCH_MEMORY, receive, send
from core.errors import DocumentError

_ROOT = Path(__file__).resolve().parents[2]
GLANCE = 0.05
"""Seconds between two looks at a child at work."""
_START_SECONDS = 60
"""Most time for a child to be ready, on a machine that is busy or has a slow disk."""
_KEPT = {
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "HOME",
}
"""Environment variables that a child gets: keys of model endpoints are not among them."""


class ParserProcess:
    """One process, which parses one file at a time."""

    def __init__(self, arguments: Sequence[str]) -> None:
        kept = {
            key: value
            for key, value in os.environ.items()
            if key.upper() in _KEPT or key.startswith("PYTHON")
        }
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "core.corpora.parser_child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            # A thread's stack and arena count as address space: linear algebra, which is not needed, gets one.
            env={**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
        )

        self._since = time.monotonic()
        self._ready = False

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End it now. It holds nothing that would have to be finished."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # unwritten data is of no use any more
                    pipe.close()

    def ask(
        self,
        name: str,
        data: bytes,
        max_mb: int,
        cancel: threading.Event | None,
        seconds: float,
        memory_mb: int,
    ) -> dict[str, Any]:
        """The reply to a file.

        Raises:
            DocumentError: There is no reply; the child is dead.
        """
        crossed: list[DocumentError] = []
        done = threading.Event()
        watcher = threading.Thread(
            target=self._watch, args=(name, done, cancel, seconds, memory_mb, crossed), daemon=True
        )
        watcher.start()
        reply: dict[str, Any] = {"failure": "broken"}
        try:
            with suppress(OSError, EOFError, ValueError):
                if not self._ready:
                    receive(cast(BinaryIO, self._process.stdout))
                    self._ready = True
                self._since = time.monotonic()
                send(
                    cast(BinaryIO, self._process.stdin),
                    {"name": name, "max_mb": max_mb, "size": len(data)},
                    data,
                )
                reply = receive(cast(BinaryIO, self._process.stdout))
        finally:
            done.set()
            watcher.join()
            if crossed or "failure" in reply:
                self.kill()
        if crossed:
            raise crossed[0]
        if "failure" not in reply:
            return reply
        if reply["failure"] == TOO_MUCH_MEMORY:
            raise _too_large(name, memory_mb)
        raise DocumentError(
            f"“{name}” cannot be read: the program that reads such files broke down over it. "
            "Save the file again with the program it is from, or as another format."
        )

    def _watch(
        self,
        name: str,
        done: threading.Event,
        cancel: threading.Event | None,
        seconds: float,
        memory_mb: int,
        crossed: list[DocumentError],
    ) -> None:
        """Kill the child when it crosses a limit; whoever waits for its reply then finds the pipe closed."""
        while not done.wait(GLANCE):
            if time.monotonic() - self._since > (seconds if self._ready else _START_SECONDS):
                crossed.append(
                    DocumentError(
                        f"“{name}” takes more than {seconds:g} seconds to read and is left out. Split it."
                    )
                )
            elif cancel is not None and cancel.is_set():
                crossed.append(given_up(name))
            elif self._memory() > memory_mb * 2**20:
                crossed.append(_too_large(name, memory_mb))
            else:
                continue
            self._process.kill()
            return

    def _memory(self) -> int:
        with suppress(psutil.Error):
            return int(psutil.Process(self._process.pid).memory_info().rss)
        return 0


def given_up(name: str) -> DocumentError:
    """The error for a file whose import was stopped."""
    return DocumentError(f"“{name}” was given up before it was read.")


def _too_large(name: str, memory_mb: int) -> DocumentError:
    return DocumentError(
        f"“{name}” takes more than {memory_mb:,} MB of memory to read and is left out. Split it."
    )
