"""Leases: how a service knows who uses it, also when a user is killed before it can say goodbye.

A lease is an empty file. Its name holds the user's process id and when that process was created, which tells
the user from a later process with the same id.
"""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import psutil

from core.services.service import find_process, process_alive


class Lease:
    """This process's claim on a service, from now until `release` or the process's death."""

    def __init__(self, folder: Path) -> None:
        self._pid = os.getpid()
        created = psutil.Process().create_time()
        self._file = folder / f"{self._pid}-{created:.2f}-{uuid.uuid4().hex[:8]}"
        self._file.touch(mode=0o600)

    def release(self) -> None:
        """Give the claim back; twice is harmless. A forked copy of the process cannot."""
        if os.getpid() == self._pid:
            self._file.unlink(missing_ok=True)


class LeaseWatch:
    """The service's view of its users."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._holders: dict[str, psutil.Process] = {}

    def any_alive(self) -> bool:
        """Whether anybody uses the service. Removes the leases of the dead."""
        names = {file.name for file in self._folder.iterdir()}
        self._holders = {name: holder for name, holder in self._holders.items() if name in names}
        for name in names:
            # A holder once recognised is kept: psutil follows it unmoved by later changes of the clock.
            holder = self._holders.get(name) or _holder(name)
            if holder is not None and process_alive(holder):
                self._holders[name] = holder
            else:
                self._holders.pop(name, None)
                (self._folder / name).unlink(missing_ok=True)
        return bool(self._holders)


def _holder(name: str) -> psutil.Process | None:
    """The process that a lease names; None if it is gone."""
    try:
        pid, created, _ = name.split("-")
        return find_process(int(pid), float(created))
    except ValueError:
        return None
