"""Which documents become ready together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from core.corpora.documents import Document
from core.corpora.gathering import Work
from core.corpora.pipeline import _GROUP, _group
from core.trace.passages import Passage


async def test_small_documents_go_together_and_wait_for_no_large_one() -> None:
    sizes = [1, 2, _GROUP - 1, 3, 10 * _GROUP, 4, _GROUP, 5]

    async def works() -> AsyncIterator[Work]:
        for size in sizes:
            passage = Passage(chunk="", document="", title="", text="", position=0, start=0, end=0)
            yield Work(Document(id="", name="", title="", text=""), [passage] * size, None)

    groups: asyncio.Queue[list[Work] | None] = asyncio.Queue()
    await _group(works(), groups)
    found = []
    while group := await groups.get():
        found.append([len(work.passages) for work in group])
    assert found == [[1, 2, _GROUP - 1], [3], [10 * _GROUP], [4], [_GROUP], [5]]
