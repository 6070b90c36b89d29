"""Background work: one event loop for the whole process, and jobs that outlive page reruns and navigation.

One loop, because the HTTP clients of the model libraries are cached per process and break when their loop is
closed under them.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections.abc import Awaitable, Coroutine, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AsyncExitStack
from functools import cache
from typing import Any, Generic, TypeVar
from weakref import finalize

from core.errors import LoupeError

T = TypeVar("T")
P = TypeVar("P")
log = logging.getLogger(__name__)

THREADS = 32
"""Blocking calls under way at once, such as searches, database writes and waiting for a service."""
LAST_SECONDS = 5.0
"""How long the end of the process waits for what is being closed."""
ALIVE_SECONDS = 15.0
"""How long after its last sign of life a stored run that is under way counts as interrupted."""
_CLOSING: set[Future[None]] = set()


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """The process's event loop, running in a daemon thread of its own."""
    loop = asyncio.new_event_loop()
    # Many sessions may wait for a service that starts; searches and writes must not queue up behind them.
    loop.set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="rag-loupe"))
    loop.set_exception_handler(_unwatched)
    threading.Thread(target=loop.run_forever, name="rag-loupe-loop", daemon=True).start()
    return loop


def _unwatched(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log errors that nobody waits for, except two harmless ones: the process ends with work under way, or the client
    closes what is closing already.

    The HTTP client leaves the generators of a reply unfinished, one inside the other. Where the garbage collector
    takes them together, asyncio closes each while the outer one closes the inner, and says that it is closing already.
    """
    error = context.get("exception")
    if not (_at_the_end(error) or "aclose(): asynchronous generator is already running" in str(error)):
        loop.default_exception_handler(context)


def _at_the_end(error: object) -> bool:
    """True if the process is ending, so that no thread accepts work: what was under way then did not fail by itself."""
    return isinstance(error, RuntimeError) and "cannot schedule new futures after" in str(error)


def run_blocking(work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
    """Run a coroutine on the loop and wait for its result, from any other thread.

    Raises:
        TimeoutError: It has not ended after `timeout` seconds, and is stopped.
    """
    future = asyncio.run_coroutine_threadsafe(work, event_loop())
    try:
        return future.result(timeout)
    finally:
        future.cancel()  # nobody waits for it any more, whatever the reason; of no effect where it has ended


def exit_stack_for(owner: object) -> AsyncExitStack:
    """A stack for contexts that are entered on the loop and stay open as long as its owner is there.

    Then it is closed on the loop, in order. Left to the garbage collector, the generators within would be closed each
    by itself, the inner ones while the outer ones close them, or, at the end of the process, not to their end.
    """
    stack = AsyncExitStack()
    finalize(owner, _close, stack).atexit = False  # runs that are under way then still need it
    return stack


def _close(stack: AsyncExitStack) -> None:
    closing = asyncio.run_coroutine_threadsafe(stack.aclose(), event_loop())
    _CLOSING.add(closing)
    closing.add_done_callback(_CLOSING.discard)


@atexit.register
def _wait_for_closing() -> None:
    """Wait for what is being closed."""
    wait(tuple(_CLOSING), LAST_SECONDS)


async def at_once(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of independent work, in its order; if one part fails, the others are stopped and it is raised."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class Job(Generic[T]):
    """A coroutine under way on the loop, to be watched, stopped and asked for its result."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self.stopping = False
        """Whether it was told to end."""
        self._task: asyncio.Task[T] | None = None
        self._stopped = False
        self._future: Future[T] = asyncio.run_coroutine_threadsafe(self._carry_out(work), event_loop())

    async def _carry_out(self, work: Coroutine[Any, Any, T]) -> T:
        self._task = asyncio.ensure_future(work)
        if self._stopped:
            self._task.cancel()
        try:
            return await self._task
        except LoupeError:
            raise
        except Exception as error:
            if not _at_the_end(error):
                log.exception("Work in the background failed")  # a page shows a sentence of our own alone
            raise

    @property
    def done(self) -> bool:
        """True once it has ended, well or not."""
        return self._future.done()

    def stop(self, patience: float = 0.0) -> None:
        """Cancel it. It is done when it has cleaned up, which is waited for, at most `patience` seconds."""
        self.stopping = True
        if not self.done:
            event_loop().call_soon_threadsafe(self._cancel)
        self.wait(patience)

    def _cancel(self) -> None:
        # The inner task, not the future: that one would count as done at once, with the work still ending.
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    def wait(self, timeout: float) -> None:
        """Wait, at most `timeout` seconds, until it has ended, well or not."""
        wait([self._future], timeout)

    def error(self) -> BaseException | None:
        """Why it ended, if it ended badly; None while it runs, when it was stopped or went well."""
        if not self._future.done() or self._future.cancelled():
            return None
        return self._future.exception()

    async def ended(self) -> T:
        """Its result, for a coroutine on the loop; cancelling that does not cancel the job."""
        return await asyncio.shield(asyncio.wrap_future(self._future))

    def result(self, timeout: float | None = None) -> T:
        """Its result; waits for it.

        Raises:
            concurrent.futures.CancelledError: It was stopped.
        """
        return self._future.result(timeout)


class WatchedJob(Job[T], Generic[T, P]):
    """A job that says how far it is."""

    def __init__(self, work: Coroutine[Any, Any, T], progress: P) -> None:
        """Begin work in the background that calls `tell` as it goes on; `progress`: how far it is before that."""
        self.progress = progress
        """How far it is; replaced as it goes on."""
        super().__init__(work)

    def tell(self, progress: P) -> None:
        """Note how far it is now."""
        self.progress = progress
