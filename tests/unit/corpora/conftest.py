"""A web site, as new for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.corpora.site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()
