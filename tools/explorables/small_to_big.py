"""Small to big with handles: hits alone, with neighbours, whole documents or everything, into so many tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from core.corpora.demo import DEMOS, own_documents
from core.retrieval.widening import Give, Selection, Widener, Widening, cost_of, counting
from core.runs.budget import gold_of
from core.trace.gold import holds_evidence
from core.trace.passages import Hit, Passage, merged
from tools.explorables.recorded import shown
from tools.explorables.world import World, world

HITS, DEEP = 6, 40
"""Hits that are given, and those that are measured against more text: as many as have the same number of tokens."""
FEWEST, MOST, START = 200, 4000, 3000
ASKED = ("q40", "q20")
"""Questions: neighbours bring what is missing; with few tokens, wide is worse than narrow."""
GIVEN = (
    ("0", "the hits alone"),
    ("1", "1 neighbour on either side"),
    ("2", "2 neighbours"),
    ("documents", "documents"),
    ("everything", "everything"),
)
HOW = (
    "Choose what is given with each hit, and set how many tokens it may have. ★ marks evidence. Choose a page to read "
    "it, or another question."
)
Place = tuple[int, int]
"""A chunk: its document, in the order of their names, and where it stands there."""


@cache
def documents() -> tuple[tuple[Passage, ...], ...]:
    """The chunks of the demo's documents, by their names."""
    chunks: dict[str, list[Passage]] = defaultdict(list)
    for one in world().passages:
        chunks[one.document].append(one)
    names = {one.id: one.name for one in own_documents(DEMOS[0])}
    return tuple(tuple(chunks[one]) for one in sorted(chunks, key=lambda document: names[document]))


@cache
def widener() -> Widener:
    """The app's own, over documents that lie on no server."""
    every = {one.chunk: one for each in documents() for one in each}
    entries = [
        SimpleNamespace(
            id=each[0].document, ready=True, chunks=len(each), characters=max(one.end for one in each)
        )
        for each in documents()
    ]
    corpus: Any = SimpleNamespace(
        corpus=SimpleNamespace(id=""),
        catalogue=SimpleNamespace(
            entries=lambda _, wanted: [one for one in entries if one.id in wanted],
            documents=lambda _, offset=0, most=None: entries[offset:][:most],
        ),
        snapshot=lambda: SimpleNamespace(documents={one.id for one in entries}),
        chunks=SimpleNamespace(chunks=lambda ids: {one: every[one] for one in ids if one in every}),
        matching=lambda _: {one.id for one in entries},
    )
    return Widener(corpus, world().embedder)


def make() -> dict[str, Any]:
    """Return the tokens of each chunk of each document, and for each question its hits and its evidence."""
    count = counting(world().embedder.token_count)
    sizes = []
    for each in documents():
        title = count(f"{each[0].title}\n")
        tokens = [count(one.text) for one in each]
        if cost_of(merged(each, ()), count) != title + sum(tokens):
            raise ValueError(f"{each[0].title}: its tokens are not those of its chunks")
        sizes.append({"title": title, "chunks": tokens})
    return {
        "question": "How much around a hit does the answer need?",
        "about": f"Questions on Pellamar, searched with the built-in embeddings: {HITS} hits, in all "
        f"{len(sizes)} documents. Tokens are counted as the app counts them.",
        "how": HOW,
        "hits": HITS,
        "range": [FEWEST, MOST, START],
        "given": GIVEN,
        "documents": sizes,
        "asked": [_asked(world(), key) for key in ASKED],
    }


def _asked(found: World, key: str) -> dict[str, Any]:
    asked = found.questions[key]
    gold = gold_of(asked, found.titles)
    places = _places()
    hits = [places[one.chunk] for one, _ in found.nearest(asked.text, DEEP)]
    seen = list(dict.fromkeys(document for document, _ in hits[:HITS]))
    every = [one for document in seen for one in documents()[document]]
    stars = {one.chunk for one in every if holds_evidence(gold, one)}
    cards = iter(shown(every, None, stars))
    return {
        "question": asked.text,
        "hits": hits,
        "pieces": [
            sorted(places[one.chunk] for one in found.passages if piece.held_by(one)) for piece in gold
        ],
        "pages": [
            {
                "document": document,
                "title": documents()[document][0].title,
                "chunks": [_chunk(next(cards)) for _ in documents()[document]],
            }
            for document in seen
        ],
    }


def _chunk(card: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "star": card["card"]["starred"],
        "text": "".join(one["text"] for one in card["card"]["pieces"]),
    }


@cache
def _places() -> dict[str, Place]:
    return {one.chunk: (at, one.position) for at, each in enumerate(documents()) for one in each}


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The chunks that are `given`, their `cost` in tokens, the pieces of evidence in them (`held`), and those in the
    hits alone with as many tokens (`beside`).

    Args:
        data: As `make` gives it.
        values: `give`, `most`: tokens, and `asked`: the place of a question.
    """
    asked, give, most = data["asked"][int(values["asked"])], values["give"], values["most"]
    if give == "everything":
        found = widener().everything(most)
    else:
        known: dict[str, Give] = {"documents": "documents"}
        how = Widening(known.get(give, "surroundings"), int(give) if give.isdigit() else 1, most)
        found = _widened(asked["hits"], HITS, how)
    count = counting(world().embedder.token_count)
    cost = sum(cost_of(one, count) for one, _ in found.given)
    beside = _widened(asked["hits"], DEEP, Widening("surroundings", 0, cost))
    return {
        "given": _given(found),
        "cost": cost,
        "held": _held(asked["pieces"], _given(found)),
        "beside": _held(asked["pieces"], _given(beside)),
    }


def _widened(hits: Sequence[Sequence[int]], used: int, how: Widening) -> Selection:
    ranked = [
        Hit(passage=documents()[document][place], rank=rank, score=0.0)
        for rank, (document, place) in enumerate(hits, 1)
    ]
    return widener().widen(ranked, used, how)


def _given(found: Selection) -> list[list[int]]:
    return sorted(list(_places()[chunk]) for one, _ in found.given for chunk in one.chunks)


def _held(pieces: Sequence[Sequence[Sequence[int]]], given: Sequence[Sequence[int]]) -> int:
    return sum(any(list(place) in given for place in piece) for piece in pieces)
