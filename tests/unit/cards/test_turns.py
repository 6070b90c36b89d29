"""The picture of runs that grade: what each turn kept and threw out, and where it led."""

from __future__ import annotations

from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.grades import grade_data, grades_summary
from core.cards.stage import picture
from core.cards.turns import iterations, turns
from core.runs.record import record
from core.trace.artefacts import Answer, AnyArtefact, Grade, Rewrite
from core.trace.events import Event
from tests import examples


def grade(what: str, verdict: str, passes: bool) -> Grade:
    passage = examples.PASSAGES[0] if what == "IsRel" else None
    return Grade.model_validate(
        {"what": what, "verdict": verdict, "passes": passes, "passage": passage, "reason": "Because."}
    )


def draft(text: str, *, final: bool = False, note: str = "") -> Answer:
    return Answer(text=text, final=final, note=note)


REWRITE = Rewrite(before="a", after="b", cause="IsRel: none of the 3 passages found is relevant.")
RUN: tuple[AnyArtefact, ...] = (
    examples.ranking(0), grade("IsRel", "no", False), REWRITE,
    examples.ranking(1), grade("IsRel", "yes", True), draft("One."),
    grade("IsSup", "no", False), grade("IsUse", "5", True), draft("Two."),
    grade("IsSup", "partially", True), grade("IsUse", "2", False),
    draft("Two.", final=True, note="Limit reached: at most 1 rewrite allowed."),
)  # fmt: skip


def test_a_lap_per_search_and_one_per_regeneration() -> None:
    found = iterations(RUN)
    assert [lap.title for lap in found] == ["Search 1", "Search 2", "Same passages"]
    assert [lap.ranking and len(lap.ranking.used) for lap in found] == [3, 3, None]
    assert [lap.number for lap in found] == [0, 1, 2]
    assert [lap.way for lap in found] == ["back", "back", "cap"]
    assert found[0].led.startswith("IsRel: none of the 3 passages")
    assert found[1].led.startswith("Not supported")
    assert found[2].led == "Limit reached: draft 2 is the best there is, and is returned."
    assert [lap.returned for lap in found] == [False, False, True]
    assert [grade.verdict for grade in found[2].answer] == ["partially", "2"]


def test_every_moment_has_laps() -> None:
    assert iterations(()) == []
    for end in range(1, len(RUN)):
        assert iterations(RUN[:end])[-1].way in ("open", "back")


def test_how_it_ends() -> None:
    good = iterations((*RUN[3:6], grade("IsSup", "fully", True), draft("One.", final=True)))
    assert (good[-1].way, good[-1].led) == ("done", "Good enough: draft 1 is the answer.")
    nothing = iterations((*RUN[:2], draft("No relevant passage.", final=True, note="Limit reached.")))
    assert nothing[-1].led == "Limit reached: no answer is given."
    former = iterations(
        (*RUN[:-1], draft("Two.", final=True, note="Cap reached: at most 1 rewrite allowed."))
    )
    assert former[-1].led == "Limit reached: draft 2 is the best there is, and is returned."
    memory = iterations((grade("Retrieve", "no", False), draft("Four.")))
    assert [lap.title for lap in memory] == ["From memory"]
    searched = iterations((draft("Four."), grade("IsUse", "1", False), examples.ranking(0)))
    assert searched[0].led == "Not useful, so documents are searched."


def test_grades_in_words() -> None:
    assert grades_summary([grade("IsRel", "yes", True), grade("IsRel", "no", False)]) == (
        "IsRel: 1 of 2 relevant"
    )
    assert grades_summary([grade("IsSup", "partially", True), grade("IsUse", "4", True)]) == (
        "IsSup: partially, IsUse: 4 of 5"
    )
    assert grade_data(grade("IsSup", "partially", True))["half"]
    assert not grade_data(grade("IsSup", "fully", True))["half"]


def drawn(events: list[Event]) -> dict[str, Any]:
    data = turns(Scene(record(events)))
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
    graded = examples.places_of(events, "grade")
    assert turns(Scene(record(events[: graded[0] - 1]))) is None
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
