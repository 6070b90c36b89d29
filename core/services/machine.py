"""Cores and memory that this process may use: the machine's, or its container's where that has less."""

from __future__ import annotations

import os
import re
from math import ceil
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")


def memory_left() -> int:
    """Bytes of memory that may be taken."""
    left = int(psutil.virtual_memory().available)
    try:
        most = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        # What was read from files is given back when needed.
        cached = re.search(r"^inactive_file (\d+)$", (_CGROUP / "memory.stat").read_text(), re.MULTILINE)
    except (OSError, ValueError):  # another system, or without a limit
        return left
    return max(0, min(left, most - used + (int(cached[1]) if cached else 0)))


def cores() -> int:
    """Cores that may compute at the same time, at least 1.

    The two threads of one core share its arithmetic units, so a core counts once. A process may be bound to some of
    them, and a container may be given a share of their time.
    """
    logical = os.cpu_count() or 1
    physical = psutil.cpu_count(logical=False) or logical
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else logical
    # Bound to all threads of some cores, as containers are: each core is there twice.
    own = physical if bound >= logical else max(1, ceil(bound * physical / logical))
    try:
        quota, period = (_CGROUP / "cpu.max").read_text().split()
        share = max(1, int(quota) // int(period))
    except (OSError, ValueError):  # another system, or without a limit
        return own
    return min(own, share)
