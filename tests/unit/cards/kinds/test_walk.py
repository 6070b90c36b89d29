"""The card of a walk: columns by distance, the chain of mentions to each passage, and what is said without one."""

from __future__ import annotations

from typing import Any

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.kinds.evidence import score_name
from core.cards.parts import Aid, Drawing, Note
from core.runs.record import record
from core.trace.artefacts import Walk
from tests.examples import QUESTION, WALK, linked_passages

SCENE = Scene(record(linked_passages()), "#123456", "run")


def drawn() -> dict[str, Any]:
    (drawing,) = [part for part in card_of(WALK, SCENE).parts if isinstance(part, Drawing)]
    return dict(drawing.data)


def test_passages_stand_in_columns_by_their_distance() -> None:
    columns = drawn()["columns"]
    assert [column["title"] for column in columns] == ["First hits", "1 step", "Found, not reached"]
    titles = [[one["title"] for one in column["passages"]] for column in columns]
    assert sorted(titles[1]) == ["George Marshall (director)", "Larry Cohen"]
    assert titles[2] == ["High School Confidential!"]
    given = [one["rank"] for column in columns for one in column["passages"] if one["given"]]
    assert sorted(given) == [1, 2, 3, 4]


def test_every_passage_that_was_walked_to_has_a_link_with_its_sentence() -> None:
    data = drawn()
    links = {frozenset((link["source"], link["target"])): link for link in data["links"]}
    for one in data["columns"][1]["passages"]:
        link = links[frozenset((one["id"], one["via"]))]
        (marked,) = [piece["text"] for piece in link["pieces"] if piece["marked"]]
        assert marked in one["title"]
        assert "".join(piece["text"] for piece in link["pieces"]).endswith(".")
    assert all(abs(sum(at) - 1) < 1e-4 for at in zip(*(one.visits for one in WALK.passages), strict=True))


def test_what_the_walk_made_of_a_passage_is_told() -> None:
    data = drawn()
    first, *_ = data["columns"][0]["passages"]
    assert first["told"].endswith("given to the answer.")
    assert "of the readers begin here" in first["told"]
    apart = data["columns"][-1]["passages"][0]
    assert apart["told"].startswith("No mention leads here")
    assert data["summary"] == "The walk goes from 3 first hits; 2 of the first 6 passages come by a mention."
    assert data["others"] == 0


def test_passages_joined_by_an_entity_say_so() -> None:
    links = [link.model_copy(update={"entity": True, "name": "Cohen"}) for link in WALK.links]
    aid, drawing, *_ = card_of(WALK.model_copy(update={"links": links}), SCENE).parts
    assert isinstance(aid, Aid)
    assert isinstance(drawing, Drawing)
    assert aid.text.endswith("entity of a knowledge graph.")
    data: dict[str, Any] = dict(drawing.data)
    assert {(link["entity"], link["name"]) for link in data["links"]} == {(True, "Cohen")}


def test_without_a_walk_the_card_says_why() -> None:
    none = Walk(query=QUESTION, seeds=5, restart=0.35, weight=0.5, note="There was nothing.")
    card = card_of(none, SCENE)
    assert [part.text for part in card.parts if isinstance(part, Note)] == ["There was nothing."]
    assert not any(isinstance(part, Drawing) for part in card.parts)


def test_the_run_in_a_line_and_what_its_scores_are() -> None:
    gist = KINDS["walk"].gist
    assert gist is not None
    walked = "a walk from 3 first hits; 2 of the first 6 passages come by a mention"
    assert gist.says(SCENE.record) == f"1 search, and {walked}"
    assert score_name(SCENE.record) == "walk and cosine"
