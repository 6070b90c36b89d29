"""Where the drawings put what they draw: pure functions of their scripts, under node, with plain values."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from random import Random
from typing import Any

from core.drawings import FOLDER
from core.explorables import stored
from tests.examples.networks import HOSTILE
from tests.explorables import companion
from tests.unit.drawings.node import evaluated

ROUNDS = 25


def called(script: str, function: str, arguments: list[list[Any]]) -> list[Any]:
    """Return the results of an exported function, one for each list of arguments; it must give the same ones twice."""
    code = f"(module, all) => all.map((values) => module.{function}(...values))"
    results, again = evaluated([(FOLDER / script, code, [arguments])] * 2)
    assert results == again
    return list(results)


def box(left: float, top: float, width: float = 100, height: float = 40) -> dict[str, float]:
    """A rectangle as a browser describes it."""
    return {
        "left": left, "top": top, "width": width, "height": height, "right": left + width, "bottom": top + height
    }  # fmt: skip


ZERO = box(7, 11, 800, 600)
"""The picture that boxes lie on: it does not begin where the page does."""


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


def test_marks_of_grades_do_not_cover_one_another() -> None:
    random = Random(7)
    scales: list[list[float]] = [[], [50], [50] * 6, [random.uniform(0, 100) for _ in range(40)]]
    marks = [[{"at": at, "number": number} for number, at in enumerate(scale)] for scale in scales]
    for scale, placed in zip(marks, called("grades.js", "levels", [[scale] for scale in marks]), strict=True):
        assert sorted((mark["number"] for mark, _ in placed)) == [mark["number"] for mark in scale]
        for (mark, level), (other, height) in combinations(placed, 2):
            assert level != height or abs(mark["at"] - other["at"]) >= 4
        assert {level for _, level in placed} == set(range(len({level for _, level in placed})))
    assert [level for _, level in called("grades.js", "levels", [[marks[2]]])[0]] == [0, 1, 2, 3, 4, 5]


LAID = """({ compute, laid }, data, states) => states.map((triples) => {
  const { boxes, pills } = laid(compute(data, { triples, graph: "hidden" }).graph)
  return [Object.fromEntries(boxes), Object.fromEntries(pills)]
})"""


def test_triples_that_are_stored_by_hand_have_cells_of_their_own() -> None:
    part = stored("storing_a_graph")
    assert part is not None
    random = Random(7)
    states = [companion("storing_a_graph").state(part.data, random)["triples"] for _ in range(ROUNDS)]
    states += [[], [part.data["first"]]]
    (laid,) = evaluated([(FOLDER / f"{part.name}.js", LAID, [part.data, states])])
    assert laid[-2] == [{}, {}]
    for triples, (boxes, pills) in zip(states, laid, strict=True):
        cells = [(cell["column"], cell["row"]) for cell in (*boxes.values(), *pills.values())]
        assert len(cells) == len(set(cells)), triples
        assert len(pills) <= len(triples)
        for pill in pills.values():
            assert pill["from"] in (boxes | pills)
            assert pill["to"] in boxes
            assert (boxes | pills)[pill["from"]]["column"] < pill["column"], triples
            assert pill["chunks"]


PLACE = """({ place }, nodes, edges, unit) =>
  place(nodes, edges, (one, pixels) => 0.6 * pixels * one.name.length, unit).map(({ one, box }) => [one.id, box])"""


def test_names_on_a_graph_cover_no_node_and_no_other_name() -> None:
    random = Random(7)
    spots = [(random.uniform(-500, 500), random.uniform(-300, 300)) for _ in range(40)]
    nodes: list[dict[str, Any]] = [
        {
            "id": f"n{at}",
            "name": f"The node {at}",
            "first": at == 39,
            "size": at,
            "box": box(x - 13, y - 13, 26, 26),
        }
        for at, (x, y) in enumerate(spots)
    ]
    edges = []
    for at, (here, there) in enumerate(pairwise(spots)):
        points = [[here[side] + part * (there[side] - here[side]) for side in (0, 1)] for part in (0.5, 0.3)]
        edges.append({"id": f"e{at}", "name": "was in service with", "first": False, "points": points})
    placed, near = evaluated([(FOLDER / "labels.js", PLACE, [nodes, edges, unit]) for unit in (1, 0.25)])
    assert placed[0][0] == "n39", "what is lit is named first"
    assert {len(placed), len(near)} & {0, 79} == set()
    assert len(placed) < len(near), "zooming in makes room for more names"
    for found in (placed, near):
        boxes = [node["box"] for node in nodes] + [box_ for _, box_ in found]
        for one, other in combinations(boxes[len(nodes) :], 2):
            assert not meet(one, other)
        assert not any(meet(node, name) for node in boxes[: len(nodes)] for _, name in found)


def meet(one: dict[str, float], other: dict[str, float]) -> bool:
    across = one["left"] < other["right"] and other["left"] < one["right"]
    return across and one["top"] < other["bottom"] and other["top"] < one["bottom"]


def test_a_curve_leads_from_the_right_side_of_one_box_to_the_left_side_of_the_other() -> None:
    (path,) = called("picture.js", "curve", [[box(107, 31), box(407, 231), ZERO]])
    x, y, *bend, u, v = numbers(path)
    assert (x, y, u, v) == (200, 40, 400, 240)
    assert bend == [300, 40, 300, 240]


def test_arrows_of_a_chain_keep_to_the_boxes_they_join() -> None:
    beside, below = box(307, 31), box(7, 231)
    straight, around, narrow = called(
        "links.js",
        "arrow",
        [
            [box(7, 31), beside, ZERO, False],
            [box(307, 31), below, ZERO, False],
            [box(7, 31), below, ZERO, True],
        ],
    )
    assert numbers(straight)[-2:] == [297, 46]  # three pixels before the box, for the tip
    assert numbers(straight)[0] == 100
    assert around.startswith("M 400 ")
    assert "V 132" in around  # between the rows
    assert numbers(narrow) == [22, 60, 217]


def chain(*links: tuple[str, str | None], begins: float = 1.0) -> dict[str, Any]:
    """Passages of a walk, each with the one that most come from."""
    passages = [
        {"id": id_, "via": via, "visits": [0.0 if via else begins, 0.5], "title": HOSTILE[0]}
        for id_, via in links
    ]
    return {"columns": [{"passages": passages}]}


def test_a_way_to_a_passage_begins_at_a_first_hit_and_ends_there() -> None:
    data = chain(("a", None), ("b", "a"), ("c", "b"), ("apart", "gone"))
    round_ = chain(("x", "y"), ("y", "x"))
    ways = called("walk.js", "wayTo", [[data, "c"], [data, "a"], [data, "nobody"], [round_, "x"]])
    assert [[passage["id"] for passage in way] for way in ways[:3]] == [["a", "b", "c"], ["a"], []]
    assert all(passage["title"] == HOSTILE[0] for passage in ways[0])
    assert len(ways[3]) <= 3  # a circle ends


def test_all_readers_of_a_walk_are_somewhere_at_every_step() -> None:
    """The share that has stopped at passages and the share that goes on add up to 1, for every restart probability."""
    visits = [[1.0, 0.25, 0.5, 0.125], [0.0, 0.75, 0.5, 0.875]]
    for restart in (0.0, 0.15, 1.0):
        for step in range(4):
            shares = called("walk.js", "shares", [[own, restart, step] for own in visits])
            assert math.isclose(sum(share["stopped"] + share["going"] for share in shares), 1)
            assert all(share["going"] == 0 for share in shares) or step < 3


def test_a_name_is_parted_without_a_loss() -> None:
    names = [
        *HOSTILE,
        "Minutes of the Meeting 2018 · p. 4",
        "officers.csv · chunk 4",
        "Statute Book 1991",
        "2019",
    ]
    for name, parts in zip(names, called("picture.js", "parted", [[name] for name in names]), strict=True):
        assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", name), name
    assert called("picture.js", "parted", [["Minutes 2018 · p. 4"]]) == [["Minutes", "2018 · p. 4"]]
