"""Fixtures that several kinds of test use."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

from core.models import dialect
from tests.postgres import PostgresServer
from tests.scripted import ScriptedServer

gc.set_threshold(20_000)  # as in the app


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores, at least two: each has browsers and servers of its own at work, and 1 GB of memory.

    More would end no sooner, as the cores are never idle, and every page would be that much slower to answer.
    """
    return min(6, max(2, os.cpu_count() or 1))


@pytest.fixture(scope="session")
def scripted_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def scripted(scripted_server: ScriptedServer) -> ScriptedServer:
    """The scripted endpoint, as new: what was learned of it before is forgotten."""
    scripted_server.reset()
    dialect._DIALECTS.clear()
    return scripted_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; each test makes a database of its own on it."""
    server = PostgresServer()
    yield server
    server.close()
