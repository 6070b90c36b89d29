"""Parsing documents in processes of their own, so that no file can hang, bloat or crash the app.

A child is kept for the next file and leaves after a while without one. It is killed when a file takes too long or too
much memory, or when nobody wants the file any more; and it ends when this process does, however that ends.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from core.corpora.about import values_of
from core.corpora.documents import Document
from core.corpora.parser_process import GLANCE, ParserProcess, given_up
from core.errors import DocumentError

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
        """
        Args:
            children: Number of files that are parsed at a time.
            seconds: Longest time for a file.
            memory_mb: Most memory for a file, in megabytes.
            idle_seconds: Time that a child waits for the next file.
            arguments: More arguments for the child.
        """
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._idle_seconds = idle_seconds
        self._arguments = arguments
        self._places = threading.BoundedSemaphore(children)
        self._lock = threading.Lock()
        self._idle: list[tuple[float, ParserProcess]] = []
        self._busy: set[ParserProcess] = set()
        self._timer: threading.Timer | None = None
        # On Linux a child dies with the *thread* that started it, so that thread must live as long as the process.
        self._starter = ThreadPoolExecutor(1, "parser-starter")

    def parse(
        self, name: str, data: bytes, max_mb: int, cancel: threading.Event | None = None
    ) -> list[Document]:
        """The documents of a file; waits for a free child and for its reply.

        Args:
            name: What the file is called; its ending says how it is read.
            data: Its bytes.
            max_mb: Largest size accepted, in megabytes.
            cancel: Once it is set, the file is given up and its child is killed.

        Raises:
            DocumentError: The file cannot be used, takes too much time or memory, or was given up.
        """
        with self._child(name, cancel) as child:
            reply = child.ask(name, data, max_mb, cancel, self._seconds, self._memory_mb)
        if reply.get("why"):  # as a rule the file is damaged, but it may be a fault of the loader
            log.warning("A file could not be read: %s", str(reply["why"])[-_MOST_LOGGED:])
        if "error" in reply:
            raise DocumentError(reply["error"])
        return [_document(fields) for fields in reply["documents"]]

    @contextmanager
    def _child(self, name: str, cancel: threading.Event | None) -> Iterator[ParserProcess]:
        while not self._places.acquire(timeout=GLANCE):
            if cancel is not None and cancel.is_set():
                raise given_up(name)
        try:
            child = self._take()
            try:
                yield child
            finally:
                self._put_back(child)
        finally:
            self._places.release()

    def _take(self) -> ParserProcess:
        with self._lock:
            while self._idle:
                _, child = self._idle.pop()
                if child.alive:
                    self._busy.add(child)
                    return child
                child.kill()
        limits = ["--memory", str(self._memory_mb * 2**20), "--seconds", str(self._seconds)]
        child = self._starter.submit(ParserProcess, [*limits, *self._arguments]).result()
        with self._lock:
            self._busy.add(child)
        return child

    def _put_back(self, child: ParserProcess) -> None:
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


def _document(fields: dict[str, Any]) -> Document:
    headings = tuple((int(offset), str(text)) for offset, text in fields["headings"])
    pages, about = tuple(map(int, fields["pages"])), values_of(fields["about"])
    return Document(**{**fields, "pages": pages, "headings": headings, "about": about})


PARSERS = Parsers()
"""The parsers that all imports of this process share."""
atexit.register(PARSERS.stop)
