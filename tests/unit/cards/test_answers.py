"""An answer in doubt says so wherever it is shown."""

from __future__ import annotations

from core.cards.texts import doubt, doubt_note, doubted, ending
from core.charts.columns import columns
from core.charts.difference import same_answers
from core.drawings.presenter import _answer
from core.drawings.side_by_side import _column
from core.runs.record import Record, record
from core.skills.answer import LACKS, SUGGESTS
from core.trace.artefacts import Answer
from tests import examples
from tests.cases import cases

SURE = Answer(text="It was Ada.", sentences=("It was Ada.",), short="Ada")
UNSURE = SURE.model_copy(update={"suggested": True})
PART = SURE.model_copy(update={"incomplete": True})
NONE = Answer(text="Nobody says it.", abstained=True)


def run(answer: Answer) -> Record:
    script = examples.Script()
    script.start("plain")
    script.step("s", "answer", 0)
    script.make("s", answer)
    script.done("s")
    return record(script.events)


@cases(
    ("answer", "said", "note"),
    [
        (SURE, "", ""),
        (UNSURE, "suggested, not stated", SUGGESTS),
        (UNSURE.model_copy(update={"note": f"{SUGGESTS} More."}), "suggested, not stated", ""),
        (PART, "incomplete", LACKS),
        (NONE, "no answer", "No answer: nothing in the evidence was found to support one."),
    ],
)
def test_answers_in_words(answer: Answer, said: str, note: str) -> None:
    assert doubt(answer) == said
    assert doubt_note(answer) == note
    assert doubted("Ada", answer) == (f"Ada ({said})" if said and not answer.abstained else "Ada")


def test_pictures_slides_and_comparisons_say_it() -> None:
    unsure = run(UNSURE)
    assert ending(unsure)["answer"] == "It was Ada. (suggested, not stated)"
    assert "".join(part["text"] for part in _answer(unsure)) == "It was Ada. (suggested, not stated)"
    sure, other = columns([run(SURE), unsure])
    assert _column(other, (), 0)["note"] == SUGGESTS
    assert _column(sure, (), 0)["note"] == ""
    (same,) = same_answers([sure, other])
    assert same.quoted == f"“It was Ada” (suggested, not stated: {other.mark})"
