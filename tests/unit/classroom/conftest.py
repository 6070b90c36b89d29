"""A workbench on each kind of database."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.runs.workbench import Workbench
from tests.bench import open_bench

PRICES = {"gpt-example": (1.0, 2.0)}


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.processes)])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Workbench:
    if request.param == "sqlite":
        return open_bench(tmp_path, model_prices=PRICES)
    url = request.getfixturevalue("postgres").new_database()
    return open_bench(tmp_path, model_prices=PRICES, database_url=url)
