"""At the command line, too, the names of what comes with the app are taken; no server is asked for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.corpora.demo import DEMO_CORPUS
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from tests.app.pages import NOWHERE
from tests.commands import core_here

MOVIES = DEMO_GRAPHS[2]


@pytest.mark.parametrize(
    "words",
    [
        ("index", str(MOVIES.file), "--corpus", DEMO_CORPUS),
        ("index", str(MOVIES.file), "--corpus", DEMO_CORPUS.upper()),
        ("graph", "import", str(MOVIES.file), "--graph", MOVIES.name),
        ("graph", "import", str(MOVIES.file), "--graph", MOVIES.name.lower()),
        ("graph", "build", "--corpus", "Notes", "--graph", f" {MOVIES.name} "),
    ],
)
def test_what_comes_with_the_app_keeps_its_name(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = core_here(tmp_path, *words, **NOWHERE)
    assert done.returncode == 1
    assert "comes with the app" in done.stderr
    assert done.stderr.count("\n") == 1
