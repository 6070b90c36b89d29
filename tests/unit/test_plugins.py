"""What installed packages add is found by their entry points; what cannot be used is named and left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from core import plugins
from core.plugins import load, problems
from core.strategies.base import AnyStrategy, Strategy
from core.strategies.plain import STRATEGY as PLAIN
from tests.packages import EXAMPLE, install, installed

GROUP = "rag_loupe.strategies"


def key(strategy: AnyStrategy) -> str:
    return str(strategy.key)


def test_an_installed_package_adds_its_strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(install(EXAMPLE, tmp_path / "site")))
    plugins._installed.cache_clear()
    loaded = load(GROUP, Strategy, {PLAIN.key}, key)
    assert (list(loaded.objects), loaded.problems) == (["long-words"], ())
    plugins._installed.cache_clear()
    assert loaded.objects["long-words"].diagram().nodes["choose"] == "Choose and search"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit('no licence')", "SystemExit: no licence"),
        ("STRATEGY = 'plain'", "it is of type str, not Strategy"),
        ("from core.strategies.plain import STRATEGY", "the key 'plain' is taken"),
        ("", "AttributeError: module 'other' has no attribute 'STRATEGY'"),
    ],
)
def test_what_cannot_be_used_is_named_and_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    monkeypatch.setattr(plugins, "_problems", {})
    with installed(tmp_path, "other", code, {GROUP: {"adds": "other:STRATEGY"}}):
        loaded = load(GROUP, Strategy, {PLAIN.key}, key)
    assert not loaded.objects
    assert problems() == [f"The strategy 'adds' of the package 'other' is left out: {why}."]
