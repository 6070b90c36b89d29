"""Line-ups of Compare, and which of them a recording knows."""

from core.cards.starters import starter_questions
from core.models.recordings.items import KeptRun
from core.models.recordings.open_recording import digest
from core.strategies.lineups import QUESTIONS
from core.ui.compare.line_ups import FIRST, LINEUPS, offered, question_of, recorded, usual_columns
from core.ui.forms.setting import SettingDraft

ASKED = "Who was Warden?"


def runs(question: str, *strategies: str) -> list[KeptRun]:
    return [
        KeptRun(
            key=digest(one + question), question=question, strategy=one, params={"k": 6}, retriever="dense"
        )
        for one in strategies
    ]


def test_a_column_was_recorded_as_it_is_set() -> None:
    known = runs(ASKED, "plain")
    assert recorded(SettingDraft("plain"), known)
    assert recorded(SettingDraft("plain", "dense", {"k": 6}), known)
    assert not recorded(SettingDraft("plain", "keyword"), known)
    assert not recorded(SettingDraft("plain", params={"k": 4}), known)
    assert not recorded(SettingDraft("hyde"), known)


def test_the_usual_columns_are_those_that_the_recording_knows_for_the_question() -> None:
    apart = "Take the question apart"
    known = [
        *runs(ASKED, *(one.strategy for one in LINEUPS[apart])),
        *runs("When?", "rag-fusion", "plain"),
        *runs("Why?", "plain"),
    ]
    assert usual_columns(known, ASKED) == LINEUPS[apart]
    assert [one.strategy for one in usual_columns(known, "When?")] == ["plain", "rag-fusion"]
    for text in ("Why?", "Unheard of", ""):
        assert usual_columns(known, text) == LINEUPS[FIRST]
    assert usual_columns((), ASKED) == LINEUPS[FIRST]


def test_a_line_up_is_offered_with_a_recorded_question_whose_answers_differ() -> None:
    name = "With and without documents"
    columns = [one.strategy for one in LINEUPS[name]]
    same, other = (one.text for one in list(starter_questions().values())[:2])
    alike = [one.model_copy(update={"verdict": "right"}) for one in runs(same, *columns)]
    first, *rest = runs(other, *columns)
    apart = [first.model_copy(update={"verdict": "wrong"}), *rest]
    assert question_of(name, [*alike, *apart]) == other
    assert question_of(name, alike) == same
    assert question_of(name, [*alike, *runs(QUESTIONS[name], *columns)]) == QUESTIONS[name]
    assert question_of(name, ()) == QUESTIONS[name]


def test_line_ups_that_are_recorded_for_some_question_come_first() -> None:
    own = "With and without documents"
    known = runs(QUESTIONS[own], *(one.strategy for one in LINEUPS[own]))
    found = offered(known, "")
    assert next(iter(found)) == own
    assert [name for name, there in found.items() if there] == [own]
    assert found.keys() == LINEUPS.keys()
    assert list(offered((), "")) == list(LINEUPS)
