"""What several strategies share."""

from __future__ import annotations

import asyncio

from core.strategies.nodes import search_for_new
from core.strategies.self_rag_state import Params
from tests.cases import cases
from tests.unit.strategies.stored import passage, runtime


@cases(
    ("known", "new", "deep"),
    [
        ("", "abcd", 4),
        ("ac", "bdef", 6),
        ("abcdefghijkl", "mnop", 16),
        ("abcdefghijklmnopqr", "st", 20),  # there are no more
        ("abcdefghijklmnopqrst", "", 4),
    ],
)
def test_a_search_reads_on_until_enough_is_new(known: str, new: str, deep: int) -> None:
    context = runtime(Params(k=4), *"abcdefghijklmnopqrst").context
    ranking, found = asyncio.run(search_for_new(context, "q", [passage(one) for one in known]))
    assert "".join(hit.passage.chunk for hit in found) == new
    assert ranking.k == deep
    assert context.retriever.depth == max(10, 4 + len(known))
