"""Collects all that the app shows of the packages that are installed beside it:

    python places_of_a_plugin.py DATASET WORD …

The words are those of a command that asks. Prints one JSON object. For a process of its own, whose path the packages
are on.
"""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.servers.places_of_a_strategy import core, lineups, opened, playground


def main(dataset: str, *words: str) -> None:
    """Ask, evaluate, and look at the pages."""
    with redirect_stderr(StringIO()) as complaints:
        listed = json.loads(core("strategies", "--json"))["strategies"]
    asked = json.loads(core(*words))
    setting = ("--strategy", "long-words", "--retriever", "keyword", "--retrieval-only", "--limit", "2")
    with TemporaryDirectory() as folder:
        report = Path(folder, "run.html")
        core("runs", "export", asked["run"], "--output", str(report))
        page = report.read_text(encoding="utf-8")
        file = Path(folder, "ferry.rst")
        file.write_text("The ferry\n=========\n\nOn Sunday the ferry was late.", encoding="utf-8")
        indexed = json.loads(core("index", str(file), "--corpus", "Notes of a package", "--json"))
    notes = ("--strategy", "plain", "--corpus", "Notes of a package", "--retriever", "first-words", "--json")
    seen: dict[str, Any] = {
        "listed": [strategy["key"] for strategy in listed],
        "complaints": complaints.getvalue(),
        "asked": asked,
        "indexed": indexed,
        "searched": json.loads(core("ask", "Was the ferry late on Sunday?", *notes)),
        "evaluated": json.loads(core("evaluate", "--dataset", dataset, *setting, "--json"))["strategies"],
        "playground": playground("long-words", asked["run"]),
        "warnings": [one.value for one in opened("pages/playground.py").warning],
        "compare": lineups("pages/compare.py", "compare", "Search with something else"),
        "evaluate": lineups("pages/evaluate.py", "evaluation", "Does searching with something else help?"),
        "report": page,
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
