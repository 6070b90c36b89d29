"""The picture of rank fusion: numbers by hand, colours that stay, names that fit."""

from __future__ import annotations

from typing import Any

import pytest

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds.fusion import LEAD, TABLE, fusion_flow, fusion_parts, lists_flow
from core.cards.parts import Drawing, Fold, Note
from core.cards.stage import picture
from core.cards.texts import COLOURS, QUIET
from core.retrieval.fusion import fuse, fuse_again
from core.runs.record import record
from core.trace.artefacts import Fusion, Ranking
from core.trace.passages import Hit, Passage
from tests import examples


def passage(name: str, title: str = "", position: int = 0) -> Passage:
    return Passage(
        chunk=name, document=name, title=title or name, text=f"About {name}.", position=position, start=0, end=9,
        page=None, heading="",
    )  # fmt: skip


def ranking(query: str, *found: Passage, retriever: str = "dense") -> Ranking:
    hits = tuple(Hit(rank=rank, score=1 / rank, passage=one) for rank, one in enumerate(found, 1))
    return Ranking(query=query, retriever=retriever, score_name="BM25", k=max(1, len(hits)), hits=hits)


A, B, C, D = (passage(name) for name in "ABCD")
FUSION = fuse([ranking("What?", A, C, B), ranking("Why?", B, D, C)])
"""B 1/63 + 1/61, C 1/62 + 1/63, A 1/61, D 1/62."""


def chips(made: Fusion, before: Fusion | None = None) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = fusion_flow(made, before)["passages"]
    return shown


def test_each_passage_has_its_ranks_its_terms_and_their_sum() -> None:
    flow = fusion_flow(FUSION)
    assert (flow["formula"], flow["from"]) == ("1 / (60 + rank)", "")
    assert [(one["name"], one["meaning"]) for one in flow["lists"]] == [("Q1", "What?"), ("Q2", "Why?")]
    found = [(one["name"], one["places"], one["terms"], one["score"]) for one in flow["passages"]]
    assert found == [
        ("B", (3, 1), ["1/63", "1/61"], "0.0323"),  # .015873 + .016393
        ("C", (2, 3), ["1/62", "1/63"], "0.0320"),  # .016129 + .015873
        ("A", (1, None), ["1/61", ""], "0.0164"),
        ("D", (None, 2), ["", "1/62"], "0.0161"),
    ]
    assert flow["passages"][0]["sum"] == "1/63 + 1/61 = 0.0323"
    assert flow["passages"][0]["told"] == "rank 3 in Q1, rank 1 in Q2; 1/63 + 1/61 = 0.0323"
    assert [one["card"]["rank"] for one in flow["passages"]] == ["1", "2", "3", "4"]


def test_ranks_are_counted_as_the_formula_counts_them() -> None:
    flow = fusion_flow(fuse_again(FUSION, k=1, first_rank=0))
    assert (flow["formula"], flow["from"]) == ("1 / (1 + rank)", "ranks from 0")
    first = flow["passages"][0]
    assert (first["name"], first["places"], first["ranks"]) == ("B", (3, 1), ["2", "0"])
    assert (first["terms"], first["score"]) == (["1/3", "1/1"], "1.3333")


def test_with_another_k_a_passage_says_where_it_was_and_keeps_its_colour() -> None:
    # k = 1: B 1/4 + 1/2 = .75, C 1/3 + 1/4 = .5833, A 1/2, D 1/3: the same order. Three times third is beaten then.
    third = [ranking(query, *ahead, C) for query, ahead in (("1", (A, D)), ("2", (B, D)), ("3", (B, D)))]
    made = fuse(third)  # D 3/62 = .0484, C 3/63 = .0476, B 2/61 = .0328, A 1/61 = .0164
    assert [one["name"] for one in chips(made)] == ["D", "C", "B", "A"]
    other = fuse_again(
        made, k=1, first_rank=1
    )  # B 2/2 = 1 first seen after D 3/3 = 1, its best rank is better
    assert [(one["name"], one["was"]) for one in chips(other, made)] == [
        ("B", 3),
        ("D", 1),
        ("C", 2),
        ("A", 0),
    ]
    assert [one["score"] for one in chips(other, made)] == ["1.0000", "1.0000", "0.7500", "0.5000"]
    colours = {one["name"]: one["colour"] for one in chips(made)}
    assert {one["name"]: one["colour"] for one in chips(other, made)} == colours
    assert all(one["was"] == 0 for one in chips(made))


def test_only_the_first_are_in_colour_and_whoever_comes_in_gets_one_that_is_free() -> None:
    many = [passage(f"P{number}") for number in range(LEAD + 2)]
    made = fuse([ranking("one", *many)])
    shown = chips(made)
    assert [one["colour"] for one in shown] == [*COLOURS, QUIET, QUIET]
    assert [one["leads"] for one in shown] == [True] * LEAD + [False] * 2
    moved = made.model_copy(update={"rows": (made.rows[-1], *made.rows[:-1])})
    came, *stayed = chips(moved, made)[:LEAD]
    assert came["colour"] == COLOURS[LEAD - 1]
    assert [one["colour"] for one in stayed] == list(COLOURS[: LEAD - 1])


def test_what_tells_passages_of_one_title_apart_stands_by_itself() -> None:
    title = "Letters to the Editor"
    alike = [passage(f"L{place}", title, place) for place in (2, 4)]
    shown = chips(fuse([ranking("one", *alike, passage("X", "Castle · Point"))]))
    assert [one["name"] for one in shown] == [f"{title} · chunk 3", f"{title} · chunk 5", "Castle · Point"]
    assert [one["card"]["title"] for one in shown] == [title, title, "Castle · Point"]
    assert [one["detail"] for one in shown] == ["chunk 3", "chunk 5", ""]
    headed = [
        one.model_copy(update={"heading": name}) for one, name in zip(alike, ("Guns", "Gulls"), strict=True)
    ]
    assert [one["detail"] for one in chips(fuse([ranking("one", *headed)]))] == ["Guns", "Gulls"]


def test_several_retrievers_for_one_query_are_columns_of_their_own() -> None:
    flow = fusion_flow(fuse([ranking("What?", A), ranking("What?", B, retriever="keyword")]))
    assert [one["name"] for one in flow["lists"]] == ["Q1 dense", "Q1 keyword"]


def test_before_the_lists_are_fused_nothing_of_their_order_is_there() -> None:
    events = examples.rag_fusion()
    for count in range(1, len(events) + 1):
        run = record(events[:count])
        made = picture(Scene(run, "#0072B2", "run"))
        if made is None or run.find(Fusion):
            continue
        flow: dict[str, Any] = next(dict(part.data) for part in made.parts if isinstance(part, Drawing))
        assert flow["fused"] is False
        assert {one["card"]["rank"] + one["score"] + one["sum"] for one in flow["passages"]} == {""}
        assert {(one["leads"], one["colour"]) for one in flow["passages"]} == {(False, QUIET)}
    flow = lists_flow([ranking("What?", A, C, B), ranking("Why?", B, D, C)])
    assert [(one["name"], one["told"]) for one in flow["passages"]] == [
        ("A", "rank 1 in Q1"),
        ("B", "rank 3 in Q1, rank 1 in Q2"),
        ("C", "rank 2 in Q1, rank 3 in Q2"),
        ("D", "rank 2 in Q2"),
    ]


def test_nothing_found_is_a_picture_too() -> None:
    flow = fusion_flow(fuse([ranking("What?"), ranking("Why?")]))
    assert (len(flow["lists"]), flow["passages"]) == (2, [])


@pytest.mark.parametrize("made", [None, examples.FUSION])
def test_the_picture_stands_above_the_folded_table(made: Fusion | None) -> None:
    parts = fusion_parts(examples.FUSION, made, Scene(record(examples.rag_fusion()), "#0072B2"))
    note = next(part.text for part in parts if isinstance(part, Note))
    assert note.startswith("In this run the lists were fused with k = 60")
    assert "answer" not in note  # there may be none
    flow = next(part for part in parts if isinstance(part, Drawing))
    table = next(part for part in parts if isinstance(part, Fold))
    assert parts.index(flow) < parts.index(table)
    assert (flow.name, table.title, table.open) == ("fusion_flow", TABLE, False)
    assert any(isinstance(part, Drawing) and part.name == "grid" for part in table.parts)
    kinds = [part.what for part in card_of(examples.FUSION, Scene(record([]), "#0072B2", "run")).parts]
    assert kinds.count("drawing") == 1
