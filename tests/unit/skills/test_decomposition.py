"""Sub-questions: cleaning, order, references, and citations that count all the evidence."""

from __future__ import annotations

from core.skills.frame import framed_pairs
from core.skills.resolve import by_rule, main_name
from core.skills.sub_questions import cleaned
from core.skills.synthesise import as_run_answer, pair_of, renumber_citations
from core.trace.artefacts import Citation, DroppedQuery, Pair, SubAnswer
from core.trace.passages import Passage
from tests.cases import cases

QUESTION = "Are the director of Sacro Gra and the director of Das Boot from the same country?"


def passage(chunk: str, text: str = "It is so.") -> Passage:
    return Passage(chunk=chunk, document=chunk, title=chunk, text=text, position=0, start=0, end=len(text))


def sub_answer(text: str, *chunks: str, cites: tuple[str, ...] = (), abstained: bool = False) -> SubAnswer:
    return SubAnswer(
        index=0,
        question="Who?",
        searched="Who?",
        passages=tuple(map(passage, chunks)),
        text=text,
        citations=tuple(Citation(sentence=0, chunk=chunk, quote="It is so.") for chunk in cites),
        abstained=abstained,
    )


def test_sub_questions_keep_their_order_and_lose_numbers_copies_and_blanks() -> None:
    rejected = [DroppedQuery(text="x", reason="odd")]
    raw = ["2. Who made it?", "", "- When?", "who made it", QUESTION.lower(), "Where?", "Why?"]
    found, dropped = cleaned(QUESTION, raw, rejected, 3)
    assert found == ("Who made it?", "When?", "Where?")
    assert [drop.reason for drop in dropped] == [
        "odd",
        "empty",
        "a copy of an earlier variant",
        "a copy of the question",
        "only 3 were asked for",
    ]
    assert cleaned(QUESTION, [QUESTION], [], 3)[0] == ()


@cases(
    ("question", "resolved"),
    [
        ("When was he born?", "When was Alfred Santell born?"),
        ("What is his nationality?", "What is Alfred Santell's nationality?"),
        ("Where was the director born?", "Where was Alfred Santell born?"),
        ("Where was the director's mother born?", "Where was Alfred Santell's mother born?"),
        ("Who married her?", "Who married Alfred Santell?"),
        ("When did her film come out?", "When did Alfred Santell's film come out?"),
        ("Where was the director of Jaws born?", "Where was the director of Jaws born?"),
        ("When was Ohio founded?", "When was Ohio founded?"),
    ],
)
def test_the_rule_fills_in_the_last_answers_main_name(question: str, resolved: str) -> None:
    earlier = Pair(
        question="Who directed Daddy Long Legs?",
        answer="Daddy Long Legs is a 1931 American film directed by Alfred Santell and starring Janet Gaynor.",
    )
    made = by_rule(question, [Pair(question="x", answer="Not This One."), earlier])
    assert made.text == resolved
    assert made.note


def test_the_rule_says_when_there_is_no_name() -> None:
    made = by_rule("When was he born?", [Pair(question="Who?", answer="nobody knows")])
    assert made.text == "When was he born?"
    assert "no name" in made.note
    assert main_name(Pair(question="Where is Jaws set?", answer="Jaws is set in Ohio.")) == "Ohio"


def test_marks_count_all_the_evidence() -> None:
    evidence = [passage("a"), passage("b"), passage("c")]
    assert (
        renumber_citations(sub_answer("So [1]. And so [2, 1].", "c", "a"), evidence)
        == "So [3]. And so [1] [3]."
    )
    assert renumber_citations(sub_answer("So [7].", "c", "a"), evidence) == "So."
    assert renumber_citations(sub_answer("It is so.", "c", "b", cites=("b",)), evidence) == "It is so. [2]"
    assert renumber_citations(sub_answer("So [1].", "gone"), evidence) == "So."


def test_later_questions_are_given_answers_without_marks() -> None:
    assert pair_of(sub_answer("So [1]. And so [2, 1].", "c")).answer == "So. And so."
    remark = "Jane Smith\n\nThe passages show a second husband, without a name [1]."
    assert pair_of(sub_answer(remark, "c")).answer.endswith("a second husband, without a name.")
    assert pair_of(sub_answer("Made by Cohen [1].", "c", abstained=True)).answer.endswith(" Made by Cohen.")
    assert "<question>Who?</question>\n<answer>He.</answer>\n" in framed_pairs(
        [Pair(question="Who?", answer="He.")]
    )


def test_a_sub_answer_taken_over_cites_the_evidence() -> None:
    made = as_run_answer(sub_answer("It is so [1].", "c"), [passage("a"), passage("c")])
    assert made.text == "It is so [2]."
    assert [citation.chunk for citation in made.citations] == ["c"]
    assert made.final
    assert as_run_answer(sub_answer("No.", abstained=True), []).abstained
