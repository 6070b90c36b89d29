"""The example in docs/add-a-strategy.md is whole: dropped into the package, it is found, drawn and run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

RUN = """
import sys, core.strategies
core.strategies.__path__.append(sys.argv[1])
from core.strategies import strategies
strategy = strategies()["back-and-forth"]
print(sorted(strategy.diagram().nodes))

import asyncio, time
from pathlib import Path
from types import SimpleNamespace
from core.runs.checkpoints import open_checkpoints
from core.runs.engine import StepTracer, execute
from core.runs.store import now
from core.skills.base import SkillContext
from core.strategies.base import RunContext
from core.trace.artefacts import Ranking
from core.trace.events import RunStarted
from core.trace.passages import Hit, Passage

class Searcher:
    async def search(self, query, k, depth=10):
        passage = Passage(chunk=query[:1], document="d", title="T", text=query, position=0, start=0, end=1)
        hits = (Hit(rank=1, score=1, passage=passage),)
        return Ranking(query=query, retriever="dense", score_name="s", k=k, hits=hits)

class Chat:
    async def text(self, messages, **options):
        return "It is so [1]."

async def main():
    origin = time.monotonic()
    tracer = StepTracer(origin)
    skills = SkillContext(chat=Chat(), embedder=None, tracer=tracer, builtin=False)
    context = RunContext(params=strategy.params(), skills=skills, tracer=tracer, retriever=Searcher())
    about = dict(strategy=strategy.key, params={}, chat_model="m", builtin=False)
    started = RunStarted(run="r", created=now(), question="one two", **about)
    async with open_checkpoints(Path(sys.argv[1])) as saver:
        async for event in execute(strategy, context, started, saver, origin):
            print(event.type, getattr(getattr(event, "artefact", None), "kind", ""))

asyncio.run(main())
"""


def test_the_example_runs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "add-a-strategy.md").read_text(encoding="utf-8")
    code = re.search(r"<!-- example -->\n```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    (tmp_path / "back_and_forth.py").write_text(code[1], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == "['__end__', '__start__', 'answer', 'retrieve']"
    for kind in ("ranking", "fusion", "context", "answer"):
        assert f"artefact {kind}" in lines
    assert lines[-1] == "run_finished"
