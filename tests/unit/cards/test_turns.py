"""The picture of runs that grade: what each turn kept and threw out, and where it led."""

from __future__ import annotations

from typing import Any

from core.cards.kind import Scene
from core.cards.picture import picture
from core.cards.turns import turns
from core.runs.record import record
from core.trace.events import ArtefactMade, Event
from tests import examples


def drawn(events: list[Event]) -> dict[str, Any]:
    data = turns(record(events))
    assert data is not None
    return data


def boxes(turn: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [(box["place"], box["name"], box["said"]) for box in turn["boxes"]]


def test_self_rag_goes_round_until_it_may_not_any_more() -> None:
    data = drawn(examples.self_rag())
    first, second, third = data["turns"]
    assert boxes(first) == [(0, "Search 1", "3 passages"), (1, "Grade passages", "0 of 3 kept")]
    assert boxes(second)[1:] == [
        (1, "Grade passages", "3 of 3 kept"),
        (2, "Draft 1", ""),
        (3, "Grade the answer", ""),
    ]
    assert boxes(third)[:2] == [(0, "Same passages", ""), (2, "Draft 2", "returned")]
    assert [turn["way"] for turn in data["turns"]] == ["back", "back", "cap"]
    assert data["summary"] == "3 turns; 6 passages graded, 3 thrown out"
    grades = [(item["name"], item["verdict"], item["kept"]) for item in third["boxes"][-1]["items"]]
    assert grades == [("IsSup", "partially", True), ("IsUse", "2 of 5", False)]


def test_each_passage_has_its_own_grade() -> None:
    first, second, _ = drawn(examples.self_rag())["turns"]
    for turn, kept in ((first, False), (second, True)):
        for item in turn["boxes"][1]["items"]:
            assert item["kept"] is kept
            assert item["card"]["title"] == item["name"]


def test_a_loop_is_there_from_the_first_grade() -> None:
    events = examples.self_rag()
    graded = [
        place
        for place, event in enumerate(events, 1)
        if isinstance(event, ArtefactMade) and event.artefact.kind == "grade"
    ]
    assert turns(record(events[: graded[0] - 1])) is None
    data = drawn(events[: graded[1]])
    assert boxes(data["turns"][0])[1] == (1, "Grade passages", "0 of 2 kept")
    assert (data["turns"][0]["way"], data["running"], data["answer"]) == ("open", True, "")


def test_what_is_corrected_goes_another_way_once() -> None:
    data = drawn(examples.corrective())
    first, other = data["turns"]
    assert [name for _, name, _ in boxes(first)] == [
        "Search",
        "Grade passages",
        "Judge the search",
        "Keep what is needed",
    ]
    assert first["led"] == "Ambiguous: what it found is refined, and another way is tried."
    assert [item["half"] for item in first["boxes"][1]["items"]] == [True, True, False]
    assert [name for _, name, _ in boxes(other)] == ["Rewrite", "Search elsewhere"]
    assert (first["way"], other["way"]) == ("back", "done")


def test_formatting_is_not_shown_as_text() -> None:
    data = drawn(examples.self_rag())
    assert "**" not in data["answer"]
    assert "**" not in "".join(box["text"] for turn in data["turns"] for box in turn["boxes"])


def test_each_of_the_two_is_read_in_its_own_way() -> None:
    loop, once = (
        picture(Scene(record(run()), "#123456", "run")) for run in (examples.self_rag, examples.corrective)
    )
    assert loop is not None
    assert once is not None
    assert (loop.title, once.title) == ("The loop", "The search and its correction")
    assert loop.parts[0] != once.parts[0]
