"""Calls the tools of the demo graph whose results explorables show, and writes these down: it takes a graph server.

    python -m tools.explorables.graph_tools

`tests/servers/test_demo_queries.py` holds what is written against the tools.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from core.knowledge.ask.asking import Asker
from core.runs.gallery import DEMO_GRAPH
from core.runs.workbench import Workbench
from core.settings import Settings
from tools.explorables.agentic import RESULTS, graph_calls


async def results(asker: Asker) -> list[dict[str, Any]]:
    """Return the results of the calls, in their order."""
    made = []
    for one in graph_calls():
        template = next(each for each in asker.templates if each.name == one.tool)
        table, note = await asker.run_template(template, one.arguments)
        made.append(
            {
                "tool": one.tool,
                "about": template.description,
                "cypher": template.cypher.strip(),
                "table": table.model_dump(mode="json"),
                "note": note,
            }
        )
    return made


def main() -> None:
    """Start, ask, write."""
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=Path(home)))
        try:
            bench.corpora.demo().result()
            found = asyncio.run(results(Asker(bench.graphs.prepare(DEMO_GRAPH).result())))
        finally:
            bench.graphs.graphs.close()
            bench.backends.supervisor.release()
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in found)
    RESULTS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(found)} results")


if __name__ == "__main__":
    main()
