"""A graph whose every text is an attack."""

from __future__ import annotations

import json
from pathlib import Path

from core.knowledge.store.graphs import Graphs
from core.knowledge.store.importing import import_file
from tests.hostile import EVIL

NAME = "Hostile <b onmouseover=alert(1)> graph"
BAD = "<img src=x onerror=alert('graph')> <b>"
CONTROL = "left\u202eright\u2066\u0007 \u05e9\u05dc\u05d5\u05dd ![p](http://attacker.example/p.png)"
LONG = "x" * 10_000


def import_hostile(graphs: Graphs, folder: Path, name: str = NAME) -> None:
    """Import it from a file."""
    names = [BAD, EVIL[:250], CONTROL, LONG, "\"'`$(rm)` <script>alert('node')</script>"]
    lines = []
    for place, entity in enumerate(names):
        object_ = {"type": "entity", "name": names[(place + 1) % len(names)]}
        subject = {"type": "entity", "name": entity, "kind": BAD}
        statement = {"type": "statement", "subject": subject, "relation": BAD, "object": object_}
        source = {"chunk": BAD, "document": EVIL[:200], "quote": EVIL}
        lines += [
            {"subject": subject, "relation": BAD, "object": object_, "source": source},
            {
                "subject": statement,
                "relation": "<script>",
                "object": {"type": "entity", "name": BAD},
                "source": source,
            },
        ]
    file = folder / "hostile.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    import_file(graphs, file, name, origin=EVIL[:300])
