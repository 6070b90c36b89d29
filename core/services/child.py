"""The process of one local service: serves, tells where, and leaves with its last user.

Started by the supervisor as `python -m core.services.child KEY MODULE HEALTH_PATH HOME START_SECONDS ARGUMENT ...`.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from core.services.service import LeaseWatch, ServiceFiles, Serving, answers

POLL_SECONDS = 0.5
GRACE_SECONDS = 2.0
"""How long the service outlives its last user: the command line is often called twice in a row."""


def main(
    key: str, module: str, health_path: str, home: Path, start_seconds: float, arguments: Sequence[str]
) -> None:
    """Serve until the last user is gone; ends by ending the process."""
    files = ServiceFiles(home, key)
    alive = FileLock(files.alive)
    alive.acquire(timeout=5)
    ready = threading.Event()
    watch = threading.Thread(target=_leave_with_last_user, args=(files, ready, start_seconds), daemon=True)
    watch.start()
    serving: Serving = importlib.import_module(module).serve(home, *arguments)
    while not answers(serving.url, health_path):
        time.sleep(0.02)
    files.write_info(serving)
    ready.set()
    watch.join()
    os._exit(1)  # only a watch that failed returns, and a service that nobody watches must not stay


def _leave_with_last_user(files: ServiceFiles, ready: threading.Event, start_seconds: float) -> None:
    """Poll the leases and end the process when it is not needed, or not ready in time."""
    watch = LeaseWatch(files.leases)
    now = time.monotonic()
    give_up, last_used = now + start_seconds, now
    while True:
        time.sleep(POLL_SECONDS)
        now = time.monotonic()
        if watch.any_alive():
            last_used = now
        if now - last_used > GRACE_SECONDS:
            _leave_unless_claimed(files, watch)
        if now > give_up and not ready.is_set():
            print(f"Not ready after {start_seconds:.0f} s.", flush=True)  # noqa: T201 (standard output is the log)
            os._exit(3)


def _leave_unless_claimed(files: ServiceFiles, watch: LeaseWatch) -> None:
    """End the process, unless somebody came meanwhile.

    A user takes its lease first and then the start lock, so no new user comes while that lock is held.
    """
    start = FileLock(files.start)
    try:
        start.acquire(blocking=False)
    except Timeout:
        return
    if watch.any_alive():
        start.release()
        return
    files.info.unlink(missing_ok=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), float(sys.argv[5]), sys.argv[6:])
