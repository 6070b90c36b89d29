"""What can stand on the stage of a run, what stands there by itself, and where nodes of the diagram lead."""

import pytest

from core.cards.kind import Scene
from core.cards.stage import PASSAGES, PICTURE, PLAYBACK, Entry, centre, entries, of_node
from core.runs.record import record
from tests import examples
from tests.cases import cases


def scene(name: str, end: int | None = None) -> Scene:
    run = record(examples.RUNS[name]()[:end])
    return Scene(run, "#0072B2", "key")


def titles(found: list[Entry]) -> list[str]:
    return [entry.title for entry in found]


@cases("name", sorted(examples.RUNS.keys() - {"step-back"}))  # its searches move into its card
def test_keys_are_unique_and_stay_while_the_run_goes_on(name: str) -> None:
    whole = len(examples.RUNS[name]())
    before: list[str] = []
    for end in (*range(1, whole, 5), whole):
        keys = [entry.key for entry in entries(scene(name, end))]
        assert len(set(keys)) == len(keys)
        assert set(before) - {PICTURE} <= set(
            keys
        )  # it stands in the card of a step, as soon as there is one
        before = keys


def test_an_ended_run_shows_what_tells_most() -> None:
    for name, title in (("rag-fusion", "Rank fusion"), ("plain", "Passages")):
        shown = scene(name)
        found = entries(shown)
        assert next(entry.title for entry in found if entry.key == centre(found, shown)) == title


@pytest.mark.parametrize(("name", "end"), [("plain", 8), ("hyde", 14), ("rag-fusion", 14), ("kg-rag", 14)])
def test_a_run_under_way_shows_its_picture_or_its_newest_step(name: str, end: int) -> None:
    shown = scene(name, end)
    found = entries(shown)
    assert shown.record.state == "running"
    pictures = [entry.key for entry in found if entry.central]
    steps = [entry.key for entry in found if entry.row]
    assert centre(found, shown) == (pictures or steps[::-1])[0]
    assert bool(pictures) == (name != "plain")


def test_a_run_that_has_done_nothing_shows_nothing() -> None:
    shown = scene("rag-fusion", 1)
    assert entries(shown) == []
    assert centre([], shown) == ""


def test_pictures_of_several_steps_come_first() -> None:
    assert entries(scene("self-rag"))[0].key == PICTURE
    assert [entry.key for entry in entries(scene("kg-rag"))][:2] == [PICTURE, PLAYBACK]


def test_a_node_leads_to_its_steps_one_after_the_other() -> None:
    found = entries(scene("self-rag"))
    node = next(
        node for entry in found for node in entry.nodes if sum(node in one.nodes for one in found) > 1
    )
    own = [entry.key for entry in found if node in entry.nodes]
    chosen = ""
    seen = [chosen := of_node(found, node, chosen) for _ in own]
    assert seen == own
    assert of_node(found, node, chosen) == own[0]
    assert of_node(found, "nowhere", chosen) == ""


def test_the_answer_leads_to_its_passages() -> None:
    assert of_node(entries(scene("rag-fusion")), "answer", "") == PASSAGES


def test_lines_are_short_and_count() -> None:
    for name in examples.RUNS:
        for entry in entries(scene(name)):
            assert len(entry.summary) <= 90
            assert "\n" not in entry.summary
    said = {entry.title: entry.summary for entry in entries(scene("rag-fusion"))}
    assert said["Queries"] == "5 queries, 2 dropped"
    assert said["Ranking"] == "5 searches, 7 different passages"
