"""A workbench and graphs, each shared by the tests that change nothing in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.knowledge.importing import demo_graphs
from core.runs.workbench import Workbench
from tests.bench import CORPUS, open_bench, small_corpus
from tests.graphs import Place
from tests.scripted import ScriptedServer


@pytest.fixture(scope="package")
def bench(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """With the scripted endpoint and a small corpus. What a test leaves there, the next one finds: ask, change
    nothing; a test that changes the corpus or the settings has a fixture of its own under this name."""
    home = tmp_path_factory.mktemp("home")
    bench = open_bench(home, scripted_server)
    bench.library.index([small_corpus(home)], CORPUS).report()
    yield bench
    bench.engines.supervisor.release()


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The graphs that come with the app, on one running graph server; others may be made beside them."""
    place = Place(tmp_path_factory.mktemp("graphs"))
    demo_graphs(place.graphs)
    yield place
    place.close()
