from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil

from core.services.service import Lease, LeaseWatch


def test_held_until_released(tmp_path: Path) -> None:
    first, second = Lease(tmp_path), Lease(tmp_path)
    watch = LeaseWatch(tmp_path)
    first.release()
    first.release()
    assert watch.any_alive()
    second.release()
    assert not watch.any_alive()


def test_leases_of_others_are_not_mistaken(tmp_path: Path) -> None:
    """A process that got the id of a dead user, and a name that means nothing, hold no lease."""
    created = psutil.Process().create_time()
    (tmp_path / f"{os.getpid()}-{created - 60:.2f}-aaaaaaaa").touch()
    (tmp_path / "scribble").touch()
    assert not LeaseWatch(tmp_path).any_alive()
    assert list(tmp_path.iterdir()) == []


def test_uncollected_dead_process_holds_no_lease(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    created = psutil.Process(holder.pid).create_time()
    (tmp_path / f"{holder.pid}-{created:.2f}-aaaaaaaa").touch()
    watch = LeaseWatch(tmp_path)
    assert watch.any_alive()
    holder.kill()
    os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)  # dead, and still in the process table
    assert not watch.any_alive()
    holder.communicate()
