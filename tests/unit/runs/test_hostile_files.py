"""Files with an attack in every text are accepted as text: stored unchanged, and nothing of it becomes code."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.runs.comparisons import Comparison, ComparisonStore
from core.runs.notebook import notebook
from core.runs.record import record
from core.runs.store import RunStore
from core.runs.transfer import comparison_lines, import_file, to_lines
from core.trace.events import now
from core.trace.gold import Gold
from tests import examples
from tests.cases import cases
from tests.examples.materials import own_materials
from tests.hostile import EVIL, every_artefact, poisoned

REAL = frozenset({"strategy", "retriever", "embedding_model"})


def test_a_run_and_a_comparison_are_stored_as_they_are(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/runs.sqlite"
    store, comparisons = RunStore(url), ComparisonStore(url)
    runs = [every_artefact("plain"), every_artefact("hyde", keep=REAL)]
    run = import_file(EVIL, to_lines(runs[0]).encode(), store, comparisons, "me")
    assert isinstance(run, str)
    assert store.events(run)[1:] == runs[0][1:]
    gold = Gold(document=EVIL, title=EVIL, quote=EVIL, chunks=(EVIL,))
    made = Comparison("", "me", now(), EVIL, (), (gold,), EVIL[:200])
    stored = import_file(EVIL, comparison_lines(made, runs).encode(), store, comparisons, "me")
    assert isinstance(stored, Comparison)
    assert (stored.question, stored.gold) == (EVIL, made.gold)
    kinds = set()
    stored_run = record(store.events(stored.runs[1]))
    for _, artefact in stored_run.artefacts:
        assert "evil.example" in str(artefact.model_dump())
        assert card_of(artefact, Scene(stored_run, "#0072B2", "run")).parts
        kinds.add(artefact.kind)
    assert kinds == set(KINDS)


def _shapes(text: str) -> list[str]:
    """The syntax of each code cell, without what its constants are."""
    shapes = []
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code" and not cell["source"].startswith("%pip"):
            tree = ast.parse(cell["source"])
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant):
                    node.value, node.kind = None, None
            shapes.append(ast.dump(tree))
    return shapes


@cases("name", ["rag-fusion", "hyde", "ircot", "self-rag", "step-back"])
def test_in_a_notebook_only_constants_change(name: str) -> None:
    clean = examples.RUNS[name]()
    started = clean[0].model_copy(update={"params": {}, "prompts": {"answer.model": "{question} {context}"}})
    clean[0] = started
    evil = [poisoned(event, keep=REAL) for event in clean]
    before, after = (notebook(record(events), own_materials(record(events))) for events in (clean, evil))
    assert EVIL not in before
    assert _shapes(after) == _shapes(before)
    markdown = [
        [c["source"] for c in json.loads(text)["cells"] if c["cell_type"] == "markdown"]
        for text in (before, after)
    ]
    assert "evil.example" not in " ".join(markdown[1])
