"""Fixtures that several kinds of test use."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator

import pytest
from xdist.remote import Producer

from core.models import calling, capabilities
from tests.homes import Homes
from tests.postgres import PostgresServer
from tests.scheduling import RoomScheduling, order
from tests.scripted import Double, ScriptedServer
from tests.surroundings import make_our_own

gc.disable()  # until all tests are found: what is loaded till then stays
gc.set_threshold(20_000)  # as in the app


def pytest_configure() -> None:
    make_our_own()


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores, at least two: each has browsers and servers of its own at work, and 1 GB of memory.

    More would end no sooner, as the cores are never idle, and every page would be that much slower to answer.
    """
    return min(6, max(2, os.cpu_count() or 1))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> RoomScheduling:
    return RoomScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second worker finds the tests from the last one on: where nothing is compiled yet, as in a new clone, two
    that begin with the same file both compile all of them, and so each compiles a half."""
    report = yield
    if isinstance(collector, pytest.Directory) and os.environ.get("PYTEST_XDIST_WORKER", "")[-1:] in {
        *"13579"
    }:
        report.result.reverse()
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [items[place] for place in order([item.nodeid for item in items])]


def pytest_collection_finish() -> None:
    """Libraries and tests live as long as the process: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def scripted_server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def scripted(
    scripted_server: ScriptedServer, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> ScriptedServer:
    """The scripted endpoint, as new: what was learned of it before is forgotten.

    What this process asks, a double replies, without HTTP; with the marker `over_http` the endpoint itself does.
    """
    scripted_server.reset()
    capabilities._CAPABILITIES.clear()
    if request.node.get_closest_marker("over_http") is None:
        monkeypatch.setattr(calling, "stream", Double(scripted_server).stream)
    return scripted_server


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Homes]:
    """Home folders that share one Chroma, one graph server and one built-in model."""
    homes = Homes(tmp_path_factory)
    yield homes
    homes.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; each test makes a database of its own on it."""
    server = PostgresServer()
    yield server
    server.close()
