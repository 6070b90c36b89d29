"""One Chroma server for all tests of corpora, and for each test a catalogue of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.homes import Homes
from tests.servers.corpora.bench import Bench


@pytest.fixture(scope="package")
def vectors(homes: Homes) -> Iterator[str]:
    supervisor = Supervisor(homes.new())
    yield supervisor.ensure(LOCAL_CHROMA).url
    supervisor.release()


@pytest.fixture
def bench(tmp_path: Path, vectors: str) -> Bench:
    return Bench(tmp_path, vectors)
