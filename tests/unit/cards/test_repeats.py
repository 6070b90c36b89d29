"""A passage that gave way to another one says so wherever passages are listed; where none did, nothing is said."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds.evidence import context_view
from core.cards.kinds.fusion import fusion_flow, fusion_grid
from core.cards.kinds.union import pool, union_grid
from core.cards.parts import Drawing, Fold, Part
from core.cards.reranking import changes, rank_changes
from core.retrieval.fusion import fuse, unite
from core.retrieval.repeats import mark_repeats, without_repeats
from core.runs.record import record
from core.strategies.nodes import given_first
from core.trace.artefacts import AnyArtefact, Baseline, Ranking
from core.trace.passages import Hit
from tests import examples

SCENE = Scene(record(examples.plain_reranked()), "#123456", "run")
LONG = examples.PASSAGES[0].model_copy(
    update={
        "text": "A long page says many things of some length. It says them twice, and each time in capitals."
    }
)
COPY = LONG.model_copy(update={"chunk": "copy-0", "document": "copy", "text": LONG.text.upper()})
SAID = "says the same as rank 1"


def found(*before: int) -> Ranking:
    """A page, its copy, and two others, of which two are used."""
    hits = [
        Hit(rank=rank, score=1 / rank, passage=passage, before=before[rank - 1] if before else None)
        for rank, passage in enumerate((LONG, COPY, *examples.PASSAGES[1:3]), 1)
    ]
    return mark_repeats(examples.ranking(0).model_copy(update={"k": 2, "hits": tuple(hits)}))


def cards(artefact: AnyArtefact) -> list[Any]:
    parts = list[Part]()
    for one in card_of(artefact, SCENE).parts:
        parts += one.parts if isinstance(one, Fold) else [one]
    drawn = [part.data for part in parts if isinstance(part, Drawing)]
    return [data["cards"] for data in drawn if "cards" in data]


def test_a_ranking_shows_it_among_what_is_used() -> None:
    used, rest = cards(found())
    assert [(one["rank"], one["badge"], one["faint"]) for one in used] == [
        ("1", "", False), ("2", SAID, True), ("3", "", False),
    ]  # fmt: skip
    assert [(one["rank"], one["badge"], one["faint"]) for one in rest] == [("4", "", True)]


def test_plain_retrieval_shows_it_and_gives_as_many_others() -> None:
    made = Baseline(retriever="dense", score_name="s", hits=found().used_as_found)
    (drawn,) = cards(made)
    assert [(one["badge"], one["faint"]) for one in drawn] == [
        ("", False),
        (SAID, True),
        ("only here", False),
    ]
    assert [one.chunk for one in made.passages] == [LONG.chunk, examples.PASSAGES[1].chunk]


def test_pools_say_it_in_their_rows() -> None:
    first = examples.ranking(0).model_copy(update={"k": 1, "hits": found().hits[:1]})
    second = examples.ranking(1).model_copy(update={"k": 1, "hits": (Hit(rank=1, score=1, passage=COPY),)})
    united, fused = unite([first, second]), fuse([first, second])
    for grid in (union_grid(united), fusion_grid(fused)):
        assert [(row.card.badge, row.card.faint) for row in grid.rows] == [("", False), (SAID, True)]
    assert [one.get("repeats") for one in fusion_flow(fused)["passages"]] == [None, SAID]
    drawn = pool(united, SCENE)["passages"]
    assert [one.get("repeats") for one in drawn] == [None, SAID]
    assert drawn[1]["told"] == f"found by Q2 at rank 1; {SAID}, which takes the place of both"


def test_orders_side_by_side_say_it() -> None:
    told = rank_changes(found(), found())
    assert [stand.remark for stand in told.left] == ["", SAID, "", ""]
    anew = changes(found(3, 1, 2, 4))  # the search had the copy first
    assert next((one.card.rank, one.remark) for one in anew.left) == ("1", "says the same as rank 3")


def test_evidence_says_how_many_others_it_stands_for() -> None:
    given = given_first(without_repeats([(LONG, 1.0), (COPY, 0.5)]), 2)
    assert [one.badge for one in context_view(given)[0]] == ["1 other says the same"]


@pytest.mark.parametrize("artefact", [examples.ranking(0), unite([examples.ranking(0), examples.ranking(1)])])
def test_a_run_of_an_earlier_version_is_drawn_as_it_was(artefact: AnyArtefact) -> None:
    drawn = card_of(artefact, SCENE)
    assert "says the same" not in str(drawn)
    assert all("repeats" not in str(asdict(part)) for part in drawn.parts if isinstance(part, Drawing))
