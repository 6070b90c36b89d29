"""A corrective run as it is shown: scores on a line, strips, no loops."""

from __future__ import annotations

import pytest

from core.cards.groups import rows
from core.cards.kind import YOURS, PickField, Scene
from core.cards.kinds import KINDS
from core.cards.kinds.grades import scale_data
from core.cards.kinds.refinement import passages_data, with_strips
from core.cards.parts import Drawing
from core.cards.turns import kept_strips, turns
from core.runs.record import record
from core.trace.artefacts import Grade, Refinement
from tests.examples import REFINEMENT, corrective
from tests.examples.correcting import ELSEWHERE, GRADES, SCORES

RUN = record(corrective())


def test_scores_stand_on_one_line_with_their_thresholds() -> None:
    scale = scale_data(GRADES)
    assert scale is not None
    (lower, _), (upper, _) = scale["thresholds"]
    places = [mark["at"] for mark in scale["marks"]]
    assert [mark["number"] for mark in scale["marks"]] == [1, 2, 3]
    assert sorted(places, reverse=True) == places
    assert [place >= lower for place in places] == [score >= 0.43 for score in SCORES]
    assert all(0 < place < 100 for place in (*places, lower, upper))


@pytest.mark.parametrize(
    "grades",
    [(), (Grade(what="Search", verdict="correct", passes=True),), (GRADES[0].model_copy(update={"thresholds": None}),)],
)  # fmt: skip
def test_where_scores_cannot_be_compared_there_is_no_line(grades: tuple[Grade, ...]) -> None:
    assert scale_data(grades) is None


def test_grades_are_numbered_as_the_search_found_the_passages() -> None:
    shuffled = record(corrective())
    step = next(step for step in shuffled.steps if step.node == "grade")
    step.artefacts.reverse()
    card = next(
        row.shown[0].card
        for row in rows(Scene(shuffled, "#000000", "a"))
        if row.shown[0].card.kind == "grade"
    )
    drawing = next(part for part in card.parts if isinstance(part, Drawing))
    assert drawing.data["scale"] == scale_data(GRADES)
    assert card.subtitle == "2 partly, 1 no"


def test_strips_are_told_apart_and_can_be_put_back() -> None:
    kept = [[strip["kept"] for strip in one["strips"]] for one in passages_data(REFINEMENT)]
    assert kept[0] == [True, False]
    assert not any(kept[2])
    assert kept_strips(REFINEMENT) == "2 of 5 strips kept, in 2 of 3 passages"
    edit = KINDS["refinement"].edit
    assert edit is not None
    (field,) = edit.fields(REFINEMENT)
    assert isinstance(field, PickField)
    assert edit.change(REFINEMENT, [field.chosen]) is REFINEMENT
    every = edit.change(REFINEMENT, [list(field.options)])
    assert isinstance(every, Refinement)
    assert kept_strips(every) == "5 of 5 strips kept, in 3 of 3 passages"
    nothing = with_strips(REFINEMENT, ())
    assert (nothing.note, edit.lines(nothing)) == (YOURS, [])


@pytest.mark.parametrize("both", [False, True], ids=["as stored before", "refined"])
def test_what_is_found_elsewhere_is_drawn_as_the_rest(both: bool) -> None:
    run = record(corrective(both=both))
    data = turns(Scene(run))
    assert data is not None
    first, other = ([(box["place"], box["name"]) for box in turn["boxes"]] for turn in data["turns"])
    assert first == [
        (0, "Search"),
        (1, "Grade passages"),
        (2, "Judge the search"),
        (3, "Keep what is needed"),
    ]
    judged = [(2, "Grade passages"), (3, "Keep what is needed")] if both else []
    assert other == [(0, "Rewrite"), (1, "Search elsewhere"), *judged]
    if both:
        *_, grades, kept = data["turns"][1]["boxes"]
        assert [item["verdict"] for item in grades["items"]] == ["partly", *["no"] * (len(ELSEWHERE) - 1)]
        assert kept["said"] == "1 of 6 strips kept, in 1 of 3 passages"
    assert data["turns"][0]["boxes"][3]["said"] == kept_strips(REFINEMENT)


def test_it_says_which_way_it_went() -> None:
    gist = KINDS["grade"].gist
    assert gist is not None
    assert (
        gist.says(RUN)
        == "The search was judged ambiguous: what it found is refined, and another way is tried"
    )
