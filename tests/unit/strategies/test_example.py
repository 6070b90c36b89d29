"""The example in docs/add-a-strategy.md is whole: dropped into the package, it is found, drawn and run."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import core.strategies
from core.models.chat import Chat
from core.models.embeddings import Embedder
from core.retrieval.searcher import Searcher
from core.runs.beginnings import Beginning
from core.runs.checkpoints import open_checkpoints
from core.runs.engine import StepTracer, execute
from core.skills.base import SkillContext
from core.strategies import strategies
from core.strategies.base import RunContext, Strategy
from core.trace.artefacts import Ranking
from core.trace.events import ArtefactMade, RunFinished, RunStarted, now
from core.trace.passages import Hit, Passage

ROOT = Path(__file__).parents[3]
MODULE = "core.strategies.back_and_forth"


class Finder:
    """Finds the query itself."""

    async def search(self, query: str, k: int, depth: int = 10) -> Ranking:
        passage = Passage(chunk=query[:1], document="d", title="T", text=query, position=0, start=0, end=1)
        hits = (Hit(rank=1, score=1, passage=passage),)
        return Ranking(query=query, retriever="dense", score_name="s", k=k, hits=hits)


class Answerer:
    """Always says the same."""

    async def text(self, messages: object, **options: object) -> str:
        return "It is so [1]."


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Strategy[Any]]:
    text = (ROOT / "docs" / "add-a-strategy.md").read_text(encoding="utf-8")
    code = re.search(r"<!-- example -->\n```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    (tmp_path / "back_and_forth.py").write_text(code[1], encoding="utf-8")
    monkeypatch.setattr(core.strategies, "__path__", [*core.strategies.__path__, str(tmp_path)])
    strategies.cache_clear()
    yield strategies()["back-and-forth"]
    strategies.cache_clear()
    sys.modules.pop(MODULE, None)
    vars(core.strategies).pop("back_and_forth", None)


async def test_the_example_runs(example: Strategy[Any], tmp_path: Path) -> None:
    assert sorted(example.diagram().nodes) == ["__end__", "__start__", "answer", "retrieve"]
    origin = time.monotonic()
    tracer = StepTracer(origin)
    skills = SkillContext(cast("Chat", Answerer()), cast("Embedder", None), tracer, builtin=False)
    context = RunContext(
        params=example.params(), skills=skills, tracer=tracer, retriever=cast("Searcher", Finder())
    )
    started = RunStarted(
        run="r",
        created=now(),
        question="one two",
        strategy=example.key,
        params={},
        chat_model="m",
        builtin=False,
    )
    beginning = Beginning(started, started)
    async with open_checkpoints(tmp_path) as saver:
        events = [event async for event in execute(example, context, beginning, saver, origin)]
    made = {event.artefact.kind for event in events if isinstance(event, ArtefactMade)}
    assert made == {"ranking", "fusion", "context", "answer"}
    assert isinstance(events[-1], RunFinished)
