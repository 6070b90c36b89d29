"""One Chroma server for all tests of corpora, and for each test a catalogue of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.servers.corpora.bench import Bench


@pytest.fixture(scope="package")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    supervisor = Supervisor(tmp_path_factory.mktemp("home"))
    yield supervisor.ensure(LOCAL_CHROMA).url
    supervisor.release()


@pytest.fixture
def bench(tmp_path: Path, vectors: str) -> Bench:
    return Bench(tmp_path, vectors)
