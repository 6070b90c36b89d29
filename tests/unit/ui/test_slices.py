"""How `core.ui` is laid out: a folder per page, and folders that several pages use."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.cases import cases

UI = Path(__file__).parents[3] / "core" / "ui"
PAGES = {"playground", "compare", "evaluate", "documents", "knowledge", "runs", "learn", "classroom"}
SHARED = {"shell", "forms", "cards", "run", "fixes"}
"""What several pages use."""


def imported(path: Path) -> set[str]:
    """The modules that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_a_module_lies_with_its_page_or_with_what_pages_share() -> None:
    assert {path.name for path in UI.glob("*.py")} == {"__init__.py"}
    assert {path.parent.name for path in UI.glob("*/__init__.py")} == PAGES | SHARED


LENT = {"evaluate": {"compare"}}
"""A question of an evaluation is compared: the form of Compare is filled in."""


@cases("page", sorted(PAGES))
def test_a_page_uses_no_other_page(page: str) -> None:
    used = {
        name.split(".")[2]
        for path in (UI / page).rglob("*.py")
        for name in imported(path)
        if name.startswith("core.ui.")
    }
    assert used & PAGES - {page} == LENT.get(page, set())
