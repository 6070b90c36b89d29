"""What differs between the columns of a comparison, in a sentence; which answers are the same."""

from __future__ import annotations

import pytest

from core.cards.outcome import NOT_THERE
from core.charts.columns import Column
from core.charts.difference import difference, given_apart, same_answers, truth
from core.corpora.sentence_spans import sentences
from core.drawings.side_by_side import live_columns
from core.runs.record import Call, State, record
from core.trace.artefacts import Answer, Context, ContextPassage
from core.trace.gold import Gold, Known
from core.trace.passages import Passage
from tests import examples
from tests.cases import cases

TITLES = {"A": "Plain", "B": "Fusion", "C": "IRCoT"}


def column(
    mark: str, given: str, said: str, title: str = "", short: str = "", state: State = "finished"
) -> Column:
    """A column with one passage per letter, and this answer."""
    run = record(examples.plain())
    run.state = state
    for step in run.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Context):
                step.artefacts[place] = Context(
                    passages=tuple(
                        ContextPassage(rank=rank, score=0.0, passage=passage(letter), given=True)
                        for rank, letter in enumerate(given, 1)
                    )
                )
            if isinstance(artefact, Answer):
                step.artefacts[place] = Answer(text=said, sentences=tuple(sentences(said)), short=short)
    return Column(mark, title or TITLES[mark], "", "#000000", f"run-{mark}", run)


def passage(letter: str) -> Passage:
    return Passage(chunk=letter, document=f"d-{letter}", title="", text="…", position=0, start=0, end=1)


def gold(letters: str) -> tuple[Gold, ...]:
    return tuple(Gold(document=f"d-{letter}", title="") for letter in letters)


X, Y = "It was Imre Dacre [1].", "Anna Dacre [1]."
NONE = "The passages do not say."


@cases(
    ("runs", "known", "said"),
    [
        # Where the evidence differs, it leads.
        (
            [("xa", X), ("xy", X)],
            Known(gold("xy")),
            "Fusion found 2 of 2 pieces of evidence, Plain 1; both answer “It was Imre Dacre”.",
        ),
        (
            [("x", X), ("xy", Y), ("b", NONE)],
            Known(gold("xy"), ("Anna Dacre",)),
            "Fusion found 2 of 2 pieces of evidence, Plain 1, IRCoT none; only it got the answer right.",
        ),
        (
            [("x", X), ("a", X), ("x", Y)],
            Known(gold("x"), ("Imre Dacre",)),
            "Plain and IRCoT found the evidence, Fusion did not; Plain and Fusion got the answer right: “It was Imre "
            "Dacre”, IRCoT did not.",
        ),
        # Where it does not, the answers lead.
        (
            [("xy", X), ("xyz", Y), ("xya", Y)],
            Known(gold("xy"), ("Imre Dacre",)),
            "Only Plain got the answer right: “It was Imre Dacre”; all three found all of the evidence.",
        ),
        # Ties are ties.
        (
            [("xa", X), ("xb", X), ("xc", X)],
            Known(gold("xy")),
            "All three answer “It was Imre Dacre”; all three found the same 1 of 2 pieces of evidence.",
        ),
        (
            [("x", X), ("y", X)],
            Known(gold("xy"), ("Imre Dacre",)),
            "Both found 1 of 2 pieces of evidence, but not the same; both got the answer right: “It was Imre Dacre”.",
        ),
        (
            [("a", Y), ("b", Y), ("c", Y)],
            Known(gold("x"), ("Imre Dacre",)),
            "All three answer “Anna Dacre”, which is wrong; none found the evidence.",
        ),
        ([("a", NONE), ("a", NONE)], Known(gold("x")), "Neither answers; neither found the evidence."),
        # Where nobody knows the evidence, passages count.
        (
            [("ab", X), ("ab", X), ("abcd", X)],
            Known(),
            "IRCoT was given 2 passages that no other was; all three answer “It was Imre Dacre”.",
        ),
        (
            [("ab", X), ("abc", X)],
            Known(),
            "Fusion was given 1 passage that Plain was not; both answer “It was Imre Dacre”.",
        ),
        (
            [("ab", X), ("ba", Y)],
            Known(),
            "The answers differ; both were given the same 2 passages.",
        ),
        (
            [("ab", X), ("ab", Y), ("ab", NONE)],
            Known(),
            "The answers differ; IRCoT does not answer; all three were given the same 2 passages.",
        ),
        (
            [("ab", X), ("bc", X), ("ac", Y)],
            Known(),
            "Plain and Fusion answer “It was Imre Dacre”, IRCoT otherwise; all three share 0 of 3 passages.",
        ),
    ],
)  # fmt: skip
def test_what_differs_is_said_in_a_sentence(runs: list[tuple[str, str]], known: Known, said: str) -> None:
    shown = [column(mark, *one) for mark, one in zip("ABC", runs, strict=False)]
    assert difference(shown, known) == said


def test_before_all_have_ended_nothing_is_said_and_what_went_wrong_is() -> None:
    running = [column("A", "x", X), column("B", "x", X, state="running")]
    assert difference(running, Known(gold("x"))) == ""
    failed = [column("A", "x", X), column("B", "", "", state="failed"), column("C", "xy", X)]
    assert difference(failed, Known(gold("xy"))) == (
        "IRCoT found 2 of 2 pieces of evidence, Plain 1; both answer “It was Imre Dacre”; Fusion failed."
    )
    stopped = [column(mark, "x", X, state="stopped") for mark in "AB"]
    assert difference(stopped, Known()) == "Plain was stopped; Fusion was stopped."


def test_columns_of_one_strategy_are_told_apart_by_their_mark() -> None:
    shown = [column("A", "x", X, "Fusion"), column("B", "xy", X, "Fusion")]
    assert difference(shown, Known(gold("xy"))).startswith("B found 2 of 2 pieces of evidence, A 1")


def test_where_nothing_differs_the_calls_do() -> None:
    shown = [column("A", "x", X), column("B", "x", X)]
    (*_, step) = shown[1].record.steps
    step.calls += [
        Call(f"c{place}", step.id, "", "", "model", (), {}, 0.0, state="finished") for place in range(3)
    ]
    said = difference(shown, Known(gold("x")))
    assert said.endswith("both found the evidence; they took 0 and 3 model calls.")


def test_declining_is_a_right_answer_where_the_documents_do_not_tell() -> None:
    declining = [column("A", "x", NONE), column("B", "x", NONE)]
    assert difference(declining, Known((), (NOT_THERE,))).startswith("Both got the answer right: ")
    assert difference(declining, Known()).startswith("Neither answers")
    one = [column("A", "x", NONE), column("B", "x", X)]
    assert "Plain got the answer right" in difference(one, Known((), (NOT_THERE,)))


def test_the_same_answers_are_shown_once_with_all_who_gave_them() -> None:
    shown = [
        column("A", "x", "Imre Dacre did it [1].", short="Imre Dacre"),
        column("B", "x", "In 1909 it was the Imre Dacre! [2]", short="the Imre Dacre"),
        column("C", "x", NONE),
    ]
    first, second = same_answers(shown, ("Imre Dacre",))
    assert [one.mark for one in first.columns] == ["A", "B"]
    assert (first.text, first.verdict, first.refused) == ("Imre Dacre", "right", False)
    assert (second.text, second.verdict, second.refused) == (NONE, "refusal", True)
    drawn = live_columns(shown, Known((), ("Imre Dacre",)))
    assert [(one["text"], one["judged"]["said"]) for one in drawn["answers"]] == [
        ("Imre Dacre", "Answer right"),
        (NONE, "No answer"),
    ]
    assert live_columns([shown[0], shown[2]])["answers"] == []  # none is the same as another
    alike = [column("A", "x", "It was he [1].", short="he"), column("B", "x", "it was he [2]", short="he")]
    assert same_answers(alike)[0].text == "It was he [1]."


def test_what_a_question_is_known_by_its_runs_keep() -> None:
    run = record(examples.held_against(examples.rag_fusion()))
    kept = Column("B", "Fusion", "", "#000000", "b", run)
    assert truth([column("A", "", X), kept]) == Known(examples.BASELINE.gold, examples.BASELINE.answers)
    assert truth([kept], gold("x")).gold == gold("x")


def test_that_some_were_given_more_is_said() -> None:
    assert given_apart([column("A", "xyz", X), column("B", "x", X)]).startswith(
        "Different numbers of passages were given: A 3, B 1."
    )
    assert given_apart([column("A", "x", X), column("B", "y", X), column("C", "", X)]) == ""
    assert given_apart([column("A", "xy", X), column("B", "x", X, state="running")]) == ""


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            [("", X), ("x", X), ("xy", X)],
            "IRCoT found 2 of 2 pieces of evidence, Fusion 1; all three answer “It was Imre Dacre”.",
        ),
        (
            [("", X), ("xy", X), ("xy", X)],
            "All three answer “It was Imre Dacre”; Fusion and IRCoT found all of the evidence.",
        ),
        ([("", X), ("xy", X)], "Both answer “It was Imre Dacre”; Fusion found 2 of 2 pieces of evidence."),
    ],
)
def test_what_searches_nothing_is_not_said_to_have_found_nothing(
    runs: list[tuple[str, str]], said: str
) -> None:
    columns = [column(mark, *run) for mark, run in zip("ABC", runs, strict=False)]
    started = columns[0].record.started
    assert started is not None
    columns[0].record.started = started.model_copy(update={"corpus": None, "graph": None})
    assert difference(columns, Known(gold("xy"))).startswith(said)
