"""A run through its loops: what each lap shows, at every moment."""

from __future__ import annotations

from core.cards.iterations import iterations
from core.cards.kinds.grades import grade_data, grades_summary
from core.trace.artefacts import Answer, AnyArtefact, Grade, Rewrite
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
    draft("Two.", final=True, note="Cap reached: at most 1 rewrite allowed."),
)  # fmt: skip


def test_a_lap_per_search_and_one_per_regeneration() -> None:
    found = iterations(RUN)
    assert [lap.title for lap in found] == ["Search 1", "Search 2", "Same passages"]
    assert [lap.found for lap in found] == [3, 3, None]
    assert [lap.number for lap in found] == [0, 1, 2]
    assert [lap.way for lap in found] == ["back", "back", "cap"]
    assert found[0].led.startswith("IsRel: none of the 3 passages")
    assert found[1].led.startswith("Not supported")
    assert found[2].led == "Cap reached: draft 2 is the best there is, and is returned."
    assert [lap.returned for lap in found] == [False, False, True]
    assert [grade["verdict"] for grade in found[2].answer] == ["partially", "2 of 5"]


def test_every_moment_has_laps() -> None:
    assert iterations(()) == []
    for end in range(1, len(RUN)):
        assert iterations(RUN[:end])[-1].way in ("open", "back")


def test_how_it_ends() -> None:
    good = iterations((*RUN[3:6], grade("IsSup", "fully", True), draft("One.", final=True)))
    assert (good[-1].way, good[-1].led) == ("done", "Good enough: draft 1 is the answer.")
    nothing = iterations((*RUN[:2], draft("No relevant passage.", final=True, note="Cap reached.")))
    assert nothing[-1].led == "Cap reached: no answer is given."
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
