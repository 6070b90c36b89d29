"""Parsing documents in processes of their own, so that no file can hang, bloat or crash the app.

A child is kept for the next file and leaves after a while without one. It is killed when a file takes too long or too
much memory, or when nobody wants the file any more; and it ends when this process does, however that ends.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import psutil

from core.corpora.documents import Document, to_document
from core.corpora.parser_child import TOO_MUCH_MEMORY, receive, send
from core.errors import DocumentError

_ROOT = Path(__file__).resolve().parents[2]
GLANCE = 0.05
"""Seconds between two looks at a child at work."""
_START_SECONDS = 60
"""Most time for a child to be ready, on a machine that is busy or has a slow disk."""
_PASSED_ON = frozenset(
    ["PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "HOME"]
)
"""Environment variables that a child gets: keys of model endpoints are not among them."""


class _ParserProcess:
    """One process, which parses one file at a time: watched while at work, and killed at a limit."""

    def __init__(self, seconds: float, memory_mb: int, arguments: Sequence[str]) -> None:
        self._seconds, self._memory_mb = seconds, memory_mb
        limits = ("--memory", str(memory_mb * 2**20), "--seconds", str(seconds))
        environment = {
            key: value
            for key, value in os.environ.items()
            if key.upper() in _PASSED_ON or key.startswith("PYTHON")
        }
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "core.corpora.parser_child", *limits, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            # A thread's stack and arena count as address space: linear algebra, which is not needed, gets one.
            env={**environment, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
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

    def ask(self, name: str, data: bytes, max_mb: int, cancel: threading.Event | None) -> dict[str, Any]:
        """Return the reply to a file.

        Raises:
            DocumentError: There is no reply; the child is dead.
        """
        crossed: list[DocumentError] = []
        done = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(name, done, cancel, crossed), daemon=True)
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
            raise self._too_large(name)
        raise DocumentError(
            f"“{name}” cannot be read: the program that reads such files broke down over it. "
            "Save the file again with the program it is from, or as another format."
        )

    def _watch(
        self,
        name: str,
        done: threading.Event,
        cancel: threading.Event | None,
        crossed: list[DocumentError],
    ) -> None:
        """Kill the child when it crosses a limit; whoever waits for its reply then finds the pipe closed."""
        while not done.wait(GLANCE):
            if time.monotonic() - self._since > (self._seconds if self._ready else _START_SECONDS):
                crossed.append(
                    DocumentError(
                        f"“{name}” takes more than {self._seconds:g} seconds to read and is left out. Split it."
                    )
                )
            elif cancel is not None and cancel.is_set():
                crossed.append(_given_up(name))
            elif self._memory() > self._memory_mb * 2**20:
                crossed.append(self._too_large(name))
            else:
                continue
            self._process.kill()
            return

    def _memory(self) -> int:
        with suppress(psutil.Error):
            return int(psutil.Process(self._process.pid).memory_info().rss)
        return 0

    def _too_large(self, name: str) -> DocumentError:
        return DocumentError(
            f"“{name}” takes more than {self._memory_mb:,} MB of memory to read and is left out. Split it."
        )


def _given_up(name: str) -> DocumentError:
    """Return the error for a file whose import was stopped."""
    return DocumentError(f"“{name}” was given up before it was read.")


log = logging.getLogger(__name__)
_MOST_LOGGED = 4000
"""Characters of what a child says of an error: it has read a hostile file."""


class Parsers:
    """A few processes that parse documents."""

    def __init__(
        self,
        *,
        children: int = 2,
        seconds: float = 60,
        memory_mb: int = 2048,
        idle_seconds: float = 60,
        arguments: Sequence[str] = (),
    ) -> None:
        """Parse as many files at a time as there are `children`, each in at most so many seconds and megabytes of
        memory.

        A child waits `idle_seconds` for the next file; `arguments` are more arguments for it.
        """
        self._idle_seconds = idle_seconds
        self._new_child = partial(_ParserProcess, seconds, memory_mb, arguments)
        self._places = threading.BoundedSemaphore(children)
        self._lock = threading.Lock()
        self._idle: list[tuple[float, _ParserProcess]] = []
        self._busy: set[_ParserProcess] = set()
        self._timer: threading.Timer | None = None
        # On Linux a child dies with the *thread* that started it, so that thread must live as long as the process.
        self._starter = ThreadPoolExecutor(1, "parser-starter")

    def parse(
        self, name: str, data: bytes, max_mb: int, cancel: threading.Event | None = None
    ) -> list[Document]:
        """Return the documents of a file; waits for a free child and for its reply. For name and size see
        `loaders.load`.

        Once `cancel` is set, the file is given up and its child is killed.

        Raises:
            DocumentError: The file cannot be used, takes too much time or memory, or was given up.
        """
        with self._child(name, cancel) as child:
            reply = child.ask(name, data, max_mb, cancel)
        if reply.get("why"):  # as a rule the file is damaged, but it may be a fault of the loader
            log.warning("A file could not be read: %s", str(reply["why"])[-_MOST_LOGGED:])
        if "error" in reply:
            raise DocumentError(reply["error"])
        return [to_document(fields) for fields in reply["documents"]]

    @contextmanager
    def _child(self, name: str, cancel: threading.Event | None) -> Iterator[_ParserProcess]:
        while not self._places.acquire(timeout=GLANCE):
            if cancel is not None and cancel.is_set():
                raise _given_up(name)
        try:
            child = self._take()
            try:
                yield child
            finally:
                self._put_back(child)
        finally:
            self._places.release()

    def _take(self) -> _ParserProcess:
        with self._lock:
            while self._idle:
                _, child = self._idle.pop()
                if child.alive:
                    self._busy.add(child)
                    return child
                child.kill()
        child = self._starter.submit(self._new_child).result()
        with self._lock:
            self._busy.add(child)
        return child

    def _put_back(self, child: _ParserProcess) -> None:
        with self._lock:
            self._busy.discard(child)
            if child.alive:
                self._idle.append((time.monotonic(), child))
                self._wake_later()

    def _wake_later(self) -> None:
        if self._idle and self._timer is None:
            self._timer = threading.Timer(self._idle_seconds, self._on_timer)
            self._timer.daemon = True
            self._timer.start()

    def _on_timer(self) -> None:
        with self._lock:
            self._timer = None
        self._retire(self._idle_seconds)

    def _retire(self, after: float) -> None:
        """End the children that have been idle for `idle_seconds`."""
        with self._lock:
            due = time.monotonic() - after
            leaving = [child for since, child in self._idle if since <= due]
            self._idle = [entry for entry in self._idle if entry[0] > due]
            self._wake_later()
        for child in leaving:
            child.kill()

    def stop(self) -> None:
        """End all children, including those at work; the next file starts a new one."""
        with self._lock:
            busy = list(self._busy)
        for child in busy:
            child.kill()
        self._retire(0)


PARSERS = Parsers()
"""The parsers that all imports of this process share."""
atexit.register(PARSERS.stop)
