"""The changes of docs/add-a-kind.md, made in a copy of the app, are a kind of artefact on the page and in reports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "add-a-kind.md"
FILES = ("core/trace/artefacts/estimates.py", "core/cards/kinds/estimate.py", "core/drawings/estimate.js")
"""The new files of the example, in the order of the document."""


def code_of(path: str) -> str:
    """The code that the document shows under a path."""
    found = re.search(
        rf"^## `{re.escape(path)}`\n.*?```\w+\n(.*?)```", DOCUMENT.read_text("utf-8"), re.M | re.S
    )
    assert found, path
    return found[1]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the app with the kind shows of it."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("core", "tests/examples"):
        shutil.copytree(ROOT / name, copy / name)
    (copy / "tests" / "__init__.py").touch()
    for name in ("data", "static", ".streamlit"):
        (copy / name).symlink_to(ROOT / name)
    for path in FILES:
        assert not (copy / path).exists()
        (copy / path).write_text(code_of(path), encoding="utf-8")
    artefacts = copy / "core/trace/artefacts/__init__.py"
    text = artefacts.read_text(encoding="utf-8")
    first = "from core.trace.artefacts.answers"
    changed = text.replace(first, f"from core.trace.artefacts.estimates import Estimate\n{first}", 1)
    changed = changed.replace("| Answer,", "| Answer | Estimate,")
    artefacts.write_text(changed, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "pages_of_a_kind.py")],
        cwd=copy,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(copy)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_page_draws_its_card(seen: dict[str, Any]) -> None:
    said = " ".join(seen["said"])
    assert re.search(r"\*\*Estimate\*\* .{1,40} · 2 outcomes", said)
    assert "A guess" in said
    (data,) = [data for data in seen["drawn"] if "bars" in data]
    assert data["bars"] == [["rain", 0.7], ["<b>sun</b>", 0.3]]


def test_a_report_draws_the_same(seen: dict[str, Any]) -> None:
    report = seen["report"]
    assert 'data-kind="estimate"' in report
    assert 'data-drawing="estimate"' in report
    assert "<b>sun</b>" not in report


def test_a_replay_says_its_sentence(seen: dict[str, Any]) -> None:
    assert "The likeliest of 2 outcomes is “rain”, at 70%." in seen["scenes"]


def test_the_changes_are_the_files_that_the_document_lists() -> None:
    text = DOCUMENT.read_text("utf-8")
    shown = re.findall(r"^## `([^`]+)`$", text, re.M)
    assert shown == list(FILES)
    listed = re.findall(r"^\| `(core/[^`]+)` \|", text, re.M)
    assert [str(Path(path).parent) for path in listed if "__init__" not in path] == [
        str(Path(path).parent) for path in FILES
    ]
