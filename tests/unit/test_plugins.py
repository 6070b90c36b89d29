"""What installed packages add is found by their entry points; what cannot be used is named and left out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import plugins
from core.plugins import load, problems
from core.strategies.base import AnyStrategy, Strategy
from core.strategies.plain import STRATEGY as PLAIN
from tests.plugins import EXAMPLE, install

GROUP = "rag_loupe.strategies"


@pytest.fixture
def adds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules, whose packages are found."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    plugins._installed.cache_clear()
    monkeypatch.setattr(plugins, "_problems", {})
    monkeypatch.setattr("core.plugins.log.warning", lambda sentence: None)
    yield folder
    plugins._installed.cache_clear()


def package(folder: Path, point: str, code: str, group: str = GROUP) -> None:
    """A package whose entry point `adds` leads to a place in its module."""
    info = folder / "other-1.0.dist-info"
    info.mkdir()
    (folder / "other.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\nadds = {point}\n", encoding="utf-8")


def key(strategy: AnyStrategy) -> str:
    return str(strategy.key)


def test_an_installed_package_adds_its_strategy(adds: Path) -> None:
    install(EXAMPLE, adds)
    loaded = load(GROUP, Strategy, {PLAIN.key}, key)
    assert (list(loaded), problems()) == (["long-words"], [])
    assert loaded["long-words"].diagram().nodes["choose"] == "Choose and search"


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
    adds: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    package(adds, "other:STRATEGY", code)
    monkeypatch.delitem(sys.modules, "other", raising=False)
    loaded = load(GROUP, Strategy, {PLAIN.key}, key)
    assert not loaded
    assert problems() == [f"The strategy 'adds' of the package 'other' is left out: {why}."]
