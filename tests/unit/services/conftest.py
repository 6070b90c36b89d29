from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from core.services.supervisor import Supervisor
from tests.unit.services.processes import User, alive, starts


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home folder; whatever the test started for it is ended."""
    yield tmp_path
    for pid in starts(tmp_path):
        if alive(pid) and "core.services.child" in psutil.Process(pid).cmdline():
            psutil.Process(pid).kill()


@pytest.fixture
def supervisor(home: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(home)
    yield supervisor
    supervisor.release()


@pytest.fixture
def user(home: Path) -> Iterator[Callable[[], User]]:
    users: list[User] = []

    def start() -> User:
        users.append(User(home))
        return users[-1]

    yield start
    for one in users:
        one.kill()
