"""A workbench, graphs and a kernel, each shared by the tests that change nothing in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import demo_graph
from core.runs.workbench import Workbench
from tests.bench import open_bench
from tests.graphs import Place
from tests.homes import Homes
from tests.memory import embedded_once
from tests.notebooks import Kernel
from tests.scripted import ScriptedServer


@pytest.fixture(scope="package", autouse=True)
def texts_are_embedded_once() -> Iterator[None]:
    with embedded_once():
        yield


@pytest.fixture(scope="package")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """With the scripted endpoint and a small corpus. What a test leaves there, the next one finds: ask, change
    nothing; a test that changes the corpus or the settings has a fixture of its own under this name."""
    bench = open_bench(homes.indexed(), scripted_server)
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture(scope="package")
def place(homes: Homes) -> Iterator[Place]:
    """The small graphs that come with the app, on one running graph server; others may be made beside them."""
    place = Place(homes.new())
    for graph in DEMO_GRAPHS[2:]:  # those before are larger
        demo_graph(place.graphs, graph.name)
    yield place
    place.close()


@pytest.fixture(scope="package")
def kernel(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Runs notebooks; it imports their libraries and reads the model once."""
    with Kernel(scripted_server, tmp_path_factory.mktemp("notebooks")) as kernel:
        yield kernel
