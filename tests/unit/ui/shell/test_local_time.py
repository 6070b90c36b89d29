"""Moments are said as the browser's clock has them, and in UTC, named, where that is not known."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import streamlit as st

from core.ui.shell.local_time import DAY, column_of, moment, when

WINTER = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
SUMMER = datetime(2026, 7, 1, 12, 5, tzinfo=UTC)


def browser(patch: pytest.MonkeyPatch, zone: str | None) -> None:
    patch.setattr(st, "context", SimpleNamespace(timezone=zone))


def test_the_browser_s_clock_with_its_summer_time(monkeypatch: pytest.MonkeyPatch) -> None:
    browser(monkeypatch, "Europe/Berlin")
    assert moment(WINTER) == "2026-02-01 00:30"
    assert moment(WINTER, DAY) == "2026-02-01"
    assert moment(SUMMER) == "2026-07-01 14:05"
    assert column_of("Asked") == "Asked"
    assert when()["type_config"]["timezone"] == "Europe/Berlin"  # type: ignore[index, typeddict-item]


@pytest.mark.parametrize(
    "zone", [None, "", "Nowhere/Atall", "../../etc/passwd", "Europe", "/etc/localtime", "\0"]
)
def test_where_it_is_not_known_utc_is_named(monkeypatch: pytest.MonkeyPatch, zone: str | None) -> None:
    browser(monkeypatch, zone)
    assert moment(WINTER) == "2026-01-31 23:30 UTC"
    assert moment(WINTER, DAY) == "2026-01-31"
    assert column_of("Asked") == "Asked (UTC)"
    assert when()["type_config"]["timezone"] == "UTC"  # type: ignore[index, typeddict-item]
