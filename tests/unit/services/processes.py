"""What the tests of services need of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from core.services.service import process_alive

ROOT = Path(__file__).parents[3]


class User:
    """Another process that uses the tiny service."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.services.tiny_user", str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def service_pid(self) -> int:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        return int(json.loads(line)["pid"])

    def leave(self) -> None:
        self.process.communicate(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def starts(home: Path) -> list[int]:
    """Process ids of the tiny services started so far."""
    file = home / "starts"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and process_alive(psutil.Process(pid))


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
