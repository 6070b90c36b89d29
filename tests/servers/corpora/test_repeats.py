"""Two versions of a page take one place, in a search of any kind; on a real Chroma server."""

from __future__ import annotations

import pytest

from tests.servers.corpora.bench import OAK, SHIP, WREN, Bench

FERRY = (
    "The ferry sails at dawn from the harbour of Lanark. The ferry carries cars and people to the islands. Tickets for "
    "the ferry are sold on board, and children travel free. In a storm the ferry rests in the harbour all day."
)
VERSIONS = [
    (f"ferry-{number}.md", f"# Ferry {number}\n\n{text}".encode())
    for number, text in enumerate(
        (
            FERRY,
            FERRY.replace(". ", ".\n\n"),
            f"{FERRY} The moor lies behind.",
            FERRY.replace("free", "at 5 pounds"),
        )
    )
]


@pytest.mark.parametrize("kind", ["dense", "keyword", "hybrid", "linked"])
async def test_versions_of_a_page_take_one_place(bench: Bench, kind: str) -> None:
    await bench.index(*VERSIONS, SHIP, WREN, OAK)
    retriever = await bench.open(kind)
    asked = "When does the ferry sail from the harbour?"
    found = await retriever.search(asked, 2, depth=2)
    titles = [hit.passage.title for hit in found.used]
    assert sorted(titles) == ["Ferry 2", "Ferry 3"]  # the longest of three, and the one with another rule
    assert sum(hit.repeats is not None for hit in found.hits) == 2
    stays = next(hit.passage for hit in found.used if hit.passage.title == "Ferry 2")
    assert len(stays.documents) == 3
    (mean,) = [await retriever.search_mean(asked, [FERRY], with_question=True, k=2, depth=2)]
    assert sorted(hit.passage.title for hit in mean.used) == titles or len(mean.used) == 2
    for ranking in await retriever.lists(asked, 2, depth=2):
        assert len({hit.passage.title for hit in ranking.used} - {"Ferry 0", "Ferry 1"}) == 2
