"""In which order example questions are offered."""

from core.corpora.entries import Question
from core.ui.forms.question import order_questions

QUESTIONS = [
    Question(text="A?", type="two hops", strategies=("ircot",)),
    Question(text="B?", type="near miss", strategies=("self-rag",)),
    Question(text="C?", type="two hops", strategies=("ircot", "least-to-most")),
    Question(text="D?", type="near_miss"),
]


def test_those_for_a_strategy_come_first_and_kinds_alternate() -> None:
    assert list(order_questions(QUESTIONS, {"self-rag"})) == ["B?", "A?", "D?", "C?"]
    assert list(order_questions(QUESTIONS, {"ircot", "plain"})) == ["A?", "C?", "B?", "D?"]
    assert list(order_questions(QUESTIONS, set())) == ["A?", "B?", "D?", "C?"]
    assert list(order_questions(QUESTIONS, {"self-rag"}, {"C?", "D?"})) == ["B?", "C?", "D?", "A?"]
    assert order_questions(QUESTIONS, set(), {"D?"})["D?"] == "D? · near miss · recorded"


def test_those_that_the_model_was_seen_to_answer_come_before_all() -> None:
    questions = [one.model_copy(update={"id": one.text[0]}) for one in QUESTIONS]
    found = order_questions(questions, {"ircot"}, (), {"B", "C"})
    assert list(found) == ["C?", "B?", "A?", "D?"]
    assert found["B?"] == "B? · near miss · answered"


def test_those_that_are_recorded_through_every_strategy_come_first_and_are_marked() -> None:
    found = order_questions(QUESTIONS, {"self-rag"}, {"C?", "D?"}, (), {"C?"})
    assert list(found) == ["C?", "B?", "D?", "A?"]
    assert found["C?"] == "◎ C? · two hops · recorded"


def test_a_label_ends_with_the_kind() -> None:
    assert order_questions(QUESTIONS, set())["D?"] == "D? · near miss"
    assert order_questions([Question(text="E?")], set()) == {"E?": "E?"}
