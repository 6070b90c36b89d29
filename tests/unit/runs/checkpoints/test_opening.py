"""Checkpoints in a file: a run that is stopped while one is written locks nobody out."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from core.runs.checkpoints.opening import open_checkpoints
from core.strategies.agentic_state import ReadyQuestion, Request
from core.strategies.kg_rag_steps import Trail

CONFIG: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}


@pytest.mark.parametrize("method", ["aput", "aput_writes"])
async def test_a_write_that_has_begun_is_finished(tmp_path: Path, method: str) -> None:
    async with open_checkpoints(tmp_path) as saver:
        connection = cast("Any", saver).conn
        written, go, commit = asyncio.Event(), asyncio.Event(), connection.commit

        async def committed() -> None:
            written.set()
            await go.wait()
            await commit()

        connection.commit = committed
        arguments: tuple[Any, ...] = (
            (empty_checkpoint(), {}, {}) if method == "aput" else ([("question", "Why?")], "task")
        )
        writing = asyncio.ensure_future(getattr(saver, method)(CONFIG, *arguments))
        await written.wait()
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        go.set()
        await asyncio.to_thread(another_process_writes, tmp_path / "checkpoints.sqlite")


@pytest.mark.parametrize("turns", range(12))
async def test_it_closes_when_all_is_written(tmp_path: Path, turns: int) -> None:
    """A workbench that nobody holds any more closes its checkpoints, perhaps in the middle of writing one."""
    async with open_checkpoints(tmp_path) as saver:
        writing = asyncio.ensure_future(saver.aput(CONFIG, empty_checkpoint(), {}, {}))
        for _ in range(turns):  # of the loop, so that the write is met in each of its moments
            await asyncio.sleep(0)
        writing.cancel()
    with closing(sqlite3.connect(tmp_path / "checkpoints.sqlite", timeout=0)) as connection:
        rows = connection.execute("SELECT COUNT(*) FROM checkpoints").fetchone()[0]
        assert rows == bool(turns)


async def test_what_the_nodes_of_a_strategy_hand_on_is_revived(tmp_path: Path) -> None:
    """A run that goes on after a restart, or is forked, has its own values again, and not mere mappings."""
    asked = ReadyQuestion(index=0, asked="Who?", question="Who is it?")
    values = [asked, Request(asked=asked, tool="t"), Trail(starts=("A",))]
    async with open_checkpoints(tmp_path) as saver:
        assert saver.serde.loads_typed(saver.serde.dumps_typed(values)) == values


def another_process_writes(file: Path) -> None:
    """Wait for one's turn and write.

    Raises:
        sqlite3.OperationalError: The file stays locked.
    """
    with closing(sqlite3.connect(file, timeout=20, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
