"""A workbench that tests which only ask questions share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.runs.workbench import Workbench
from tests.bench import CORPUS, open_bench, small_corpus
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
