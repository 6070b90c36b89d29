"""The strategies that answer sub-questions: real graphs, Chroma and embeddings, a scripted endpoint."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.skills.frame import NOT_FOUND
from core.strategies import get_strategy
from core.trace.artefacts import Ranking, Rewrite, SubAnswer, SubQuestions
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer, told
from tests.scripted.prompts import asked
from tests.servers.holding import Held, at_once, made, wait_for

SEQUENTIAL, INDEPENDENT, LEAST = "decomposition-sequential", "decomposition-independent", "least-to-most"
QUESTION = "Where was the director of A Dangerous Age born?"
PARTS = ["Who directed A Dangerous Age?", "When was he born?", "Where was the director born?"]
SPLIT = Rule(skill="sub_questions reduce", reply=json.dumps({"queries": PARTS}))


def ask(
    bench: Workbench,
    strategy: str,
    question: str = QUESTION,
    methods: Mapping[str, str] = MappingProxyType({}),
    **params: Any,
) -> Record:
    request = RunRequest(question=question, strategy=strategy, corpus=CORPUS, params=params, methods=methods)
    return record(bench.launcher.start(request).result(240))


def sent(scripted: ScriptedServer) -> list[list[dict[str, Any]]]:
    """The messages of every request."""
    return [seen["body"]["messages"] for seen in scripted.requests]


def answering(question: str, **more: Any) -> Rule:
    """For the sub-question that begins like this."""
    return Rule(skill="answer_sub", told={"question": f"^{question}"}, **more)


@pytest.mark.parametrize(
    ("strategy", "params", "rounds", "calls"),
    [
        (SEQUENTIAL, {}, 6, 6),
        (SEQUENTIAL, {"n": 1}, 3, 3),
        (SEQUENTIAL, {"n": 6, "resolve_references": False}, 8, 8),
        (SEQUENTIAL, {"final": "last sub-answer"}, 5, 5),
        (INDEPENDENT, {}, 3, 6),
        (INDEPENDENT, {"n": 5}, 3, 7),
        (LEAST, {}, 7, 7),
        (LEAST, {"n": 3, "resolve_references": False}, 4, 4),
    ],
)
def test_calls_and_rounds_are_those_of_the_forecast(
    bench: Workbench,
    scripted: ScriptedServer,
    strategy: str,
    params: dict[str, Any],
    rounds: int,
    calls: int,
) -> None:
    chain = ["Who directed A Dangerous Age?", *(f"Who taught #{number}?" for number in range(1, 6))]
    count = params.get("n", get_strategy(strategy).params().n)
    scripted.script(Rule(skill="sub_questions reduce", reply=json.dumps({"queries": chain[:count]})))
    run = ask(bench, strategy, **params)
    assert run.state == "finished", run.error
    assert (run.totals.rounds, run.totals.calls) == (rounds, calls) == (rounds, len(scripted.requests))
    described = get_strategy(strategy)
    methods = methods_in_force(described.skills, CAPABLE, {})
    forecast = described.forecast(described.parse(params), methods)
    assert (
        (forecast.rounds, forecast.calls_expected)
        == (rounds, calls)
        <= (forecast.rounds_most, forecast.calls_most)
    )
    assert run.steps[-1].node == "answer"
    assert run.answer is not None
    questions = run.find(SubQuestions)[0].questions
    assert [answer.question for answer in run.find(SubAnswer)] == list(questions)
    assert [step.label for step in run.steps if step.node == "answer_sub"] == list(questions)


def test_a_chain_hands_on_its_answers_and_cites_all_the_evidence(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        SPLIT,
        answering("Who directed", reply="Sidney J. Furie directed it [1]."),
        answering("When was", reply="In 1933 [2]."),
        Rule(skill="answer_sub", reply="In Toronto."),
        Rule(skill="synthesise", reply="The director, Sidney J. Furie [1], was born there [7]."),
    )
    run = ask(bench, SEQUENTIAL, resolve_references=False)
    first, second, third = run.find(SubAnswer)
    assert first.given == ()
    assert [pair.answer for pair in second.given] == ["Sidney J. Furie directed it."]
    assert [pair.question for pair in third.given] == PARTS[:2]
    _, *parts, whole = sent(scripted)
    pairs = [told(messages, "pairs") for messages in parts]
    assert "Sidney J. Furie" not in pairs[0]
    assert f"<question>{PARTS[0]}</question>\n<answer>Sidney J. Furie directed it.</answer>" in pairs[1]
    assert f"<question>{PARTS[1]}</question>\n<answer>In 1933.</answer>" in pairs[2]
    context = run.context
    assert context is not None
    chunks = [item.passage.chunk for item in context.passages]
    found = [passage.chunk for answer in (first, second, third) for passage in answer.passages]
    assert chunks == list(dict.fromkeys(found)), "the order found, every chunk once"
    number = chunks.index(second.passages[1].chunk) + 1
    assert f"<question>{PARTS[1]}</question>\n<answer>In 1933 [{number}]." in whole[-1]["content"]
    assert run.answer is not None
    assert run.answer.citations[0].chunk == first.passages[0].chunk
    assert run.draft == run.answer.text


def test_references_are_filled_in_before_searching(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        SPLIT,
        Rule(skill="resolve", told={"question": "^When was he"}, reply='"When was Sidney J. Furie born?"'),
        Rule(skill="resolve", reply='""'),
    )
    run = ask(bench, SEQUENTIAL)
    answers = run.find(SubAnswer)
    assert [answer.searched for answer in answers] == [PARTS[0], "When was Sidney J. Furie born?", PARTS[2]]
    assert [ranking.query for ranking in run.find(Ranking)] == [answer.searched for answer in answers]
    assert "gave no question back" in answers[2].note
    answered = [
        told(messages, "question") for messages in sent(scripted) if asked(messages)[0].skill == "answer_sub"
    ]
    assert answered == PARTS, "it is searched in other words, not answered"


MARKED = ["Who directed A Dangerous Age?", "Where was #1 born?"]


def test_what_needs_no_earlier_answer_does_not_wait(bench: Workbench, scripted: ScriptedServer) -> None:
    parts = [MARKED[0], "Who directed Jaws?", "When was #1 born?", "When was #2 born?"]
    scripted.script(
        Rule(skill="sub_questions", reply=json.dumps({"queries": parts})),
        answering("Who directed A", reply="Sidney J. Furie [1]\n\nHe made it [1].", delay=0.3),
        answering("Who directed J", reply="Steven Spielberg [1]\n\nHe made it [1].", delay=0.3),
    )
    run = ask(bench, SEQUENTIAL)
    steps = [step for step in run.steps if step.node == "answer_sub"]
    assert [step.label for step in steps] == [
        *parts[:2],
        "When was #1 born?",
        "When was #2 born?",
    ]
    assert [len({step.layer for step in some}) for some in (steps[:2], steps[2:], steps)] == [1, 1, 2]
    assert at_once([step.calls[0] for step in steps[:2]])
    assert run.totals.rounds == 4, "split, two rounds, put together"
    answers = {answer.index: answer for answer in run.find(SubAnswer)}
    assert [len(answers[index].given) for index in range(4)] == [0, 0, 2, 2]
    assert answers[3].searched == "When was Steven Spielberg born?"
    assert run.context is not None
    chunks = [item.passage.chunk for item in run.context.passages]
    assert set(chunks) == {passage.chunk for answer in answers.values() for passage in answer.passages}


@pytest.mark.parametrize(
    ("second", "kept", "short"),
    [
        ("Sidney J. Furie [1]\n\nHe made it [1].", "both searches", "Sidney J. Furie"),
        ("[0] It is not said.", "no better answer", "Nobody"),
    ],
)
def test_what_is_only_suggested_is_searched_again_before_anything_is_built_on_it(
    bench: Workbench, scripted: ScriptedServer, second: str, kept: str, short: str
) -> None:
    words = "Which director made the film A Dangerous Age?"
    scripted.script(
        Rule(skill="sub_questions", reply=json.dumps({"queries": MARKED})),
        answering("Who directed", reply="[?] Nobody [1]\n\nThe director is not stated [1].", times=1),
        answering("Who directed", reply=second),
        Rule(skill="rewrite_question", reply=json.dumps({"question": words})),
    )
    run = ask(bench, SEQUENTIAL)
    first, better, last = run.find(SubAnswer)
    assert (first.suggested, better.index, better.queries) == (True, 0, (MARKED[0], words))
    assert kept in better.note
    assert last.searched == f"Where was {short} born?"
    asked_for = told(at(scripted, "rewrite_question"), "cause")
    assert asked_for == "The passages only suggest the answer. The director is not stated."
    assert run.find(Rewrite)[0].after == words
    assert words in [ranking.query for ranking in run.find(Ranking)]
    assert [step.node for step in run.steps][1:7] == [
        "answer_sub",
        "gather",
        "reword",
        "gather",
        "answer_sub",
        "gather",
    ]
    without = ask(bench, SEQUENTIAL, again=False)
    assert not without.find(Rewrite)


def test_a_mark_gives_way_to_the_short_answer_without_a_call(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        Rule(skill="sub_questions", reply=json.dumps({"queries": MARKED})),
        answering("Who directed", reply="Sidney J. Furie [1]\n\nThe film was directed by him in 1957 [1]."),
    )
    run = ask(bench, SEQUENTIAL)
    first, second = run.find(SubAnswer)
    assert first.short == "Sidney J. Furie"
    assert second.searched == "Where was Sidney J. Furie born?"
    assert "resolve" not in {call.skill for call in run.calls}
    apart = ask(bench, INDEPENDENT).find(SubAnswer)[1].searched
    assert apart == "Where was the one who directed A Dangerous Age born?", "nothing is known there yet"


def test_no_mark_is_filled_with_a_refusal(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill="sub_questions", reply=json.dumps({"queries": MARKED})),
        answering("Who directed", reply="[0] The director is missing.\n\nSidney Furie made it, in part [1]."),
        Rule(skill="resolve", reply="Where was Sidney Furie born?"),
        answering("Where was", reply="Toronto [1]\n\nHe was born there [1]."),
        Rule(skill="synthesise", reply="[?] Toronto [1]\n\nSo it seems [1]."),
    )
    run = ask(bench, SEQUENTIAL, again=False)
    first, second = run.find(SubAnswer)
    assert (first.abstained, first.short, second.abstained) == (True, "", False)
    assert second.searched == "Where was Sidney Furie born?", "a name that leads on is used"
    assert told(at(scripted, "resolve"), "question") == "Where was the one who directed A Dangerous Age born?"
    assert "Sidney Furie made it, in part." in told(at(scripted, "resolve"), "pairs")
    assert NOT_FOUND in told(at(scripted, "synthesise"), "pairs")
    assert run.answer is not None
    assert (run.answer.short, run.answer.suggested, run.answer.abstained) == ("Toronto", True, False)


def test_where_nothing_is_answered_nothing_is_put_together(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(SPLIT, Rule(skill="answer_sub", reply="[0] 문서에 없습니다."))
    run = ask(bench, INDEPENDENT)
    assert run.answer is not None
    assert run.answer.abstained
    assert "synthesise" not in {call.skill for call in run.calls}


def at(scripted: ScriptedServer, skill: str) -> list[dict[str, Any]]:
    """The messages of the first request of a skill."""
    return next(messages for messages in sent(scripted) if asked(messages)[0].skill == skill)


def test_the_tutorials_ending_answers_the_last_sub_question_and_says_so(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(SPLIT, answering("Where was", reply="In Toronto [4]."))
    run = ask(bench, SEQUENTIAL, final="last sub-answer")
    assert run.answer is not None
    last = run.find(SubAnswer)[-1]
    assert run.answer.citations[0].chunk == last.passages[3].chunk
    assert f"last sub-question, “{PARTS[2]}”" in run.answer.note


def test_least_to_most_ends_with_the_question_itself(bench: Workbench, scripted: ScriptedServer) -> None:
    easy_to_hard = [*PARTS[:2], QUESTION.upper()]
    scripted.script(Rule(skill="reduce", reply=json.dumps({"queries": easy_to_hard})))
    run = ask(bench, LEAST)
    steps = run.find(SubQuestions)[0]
    assert steps.questions == (*PARTS[:2], QUESTION)
    assert steps.dropped == ()
    assert [call.skill for call in run.calls][-2:] == ["resolve", "answer_sub"], (
        "the last one is searched by what is known"
    )
    scripted.script(SPLIT)
    run = ask(bench, LEAST, n=3)
    assert run.find(SubQuestions)[0].questions == (*PARTS[:2], QUESTION)
    last = run.find(SubAnswer)[-1]
    assert len(last.given) == 2
    assert run.answer is not None
    assert {citation.chunk for citation in run.answer.citations} == {p.chunk for p in last.passages[:2]}
    assert run.draft == last.text, "the last answer streams"


def test_independent_parts_start_at_once_and_know_nothing_of_each_other(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(SPLIT, Rule(skill="answer_sub", reply="So it is [1].", delay=0.3))
    run = ask(bench, INDEPENDENT)
    steps = [step for step in run.steps if step.node == "answer_sub"]
    assert len({step.layer for step in steps}) == 1
    assert at_once([step.calls[0] for step in steps])
    assert all(answer.given == () for answer in run.find(SubAnswer))
    _, *parts, whole = sent(scripted)
    assert len(parts) == 3
    assert not any(part in told(messages, "pairs") for part in PARTS for messages in parts)
    assert "So it is [1]." in whole[-1]["content"]


@pytest.mark.parametrize(("strategy", "kept"), [(SEQUENTIAL, 1), (INDEPENDENT, 2)])
def test_a_failure_keeps_what_was_done(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, strategy: str, kept: int
) -> None:
    scripted.script(SPLIT, answering("When was", fault="server_error"))
    failing = Held(monkeypatch, "answer_sub", question="^When was")
    job = bench.launcher.start(RunRequest(QUESTION, strategy, corpus=CORPUS))
    wait_for(job, made("sub_answer"))
    failing.release()
    run = record(job.result(240))
    assert run.state == "failed"
    assert len(run.find(SubQuestions)) == 1
    assert 1 <= len(run.find(SubAnswer)) <= kept


def test_a_question_that_is_one_part_is_its_own_sub_question(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill="sub_questions", reply=json.dumps({"queries": [" ", QUESTION]})))
    run = ask(bench, SEQUENTIAL)
    parts = run.find(SubQuestions)[0]
    assert parts.questions == (QUESTION,)
    assert [drop.reason for drop in parts.dropped] == ["empty", "a copy of the question"]
    assert "the question itself is the only one" in parts.note
    assert run.totals.rounds == 2, "its answer is the answer: nothing is put together"
    assert run.answer is not None
    assert run.answer.citations


@pytest.fixture(scope="module")
def builtin(homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.indexed(), model_timeout_seconds=60.0)
    yield bench
    bench.backends.supervisor.release()


@pytest.mark.parametrize(
    "strategy",
    [INDEPENDENT, *(pytest.param(strategy, marks=pytest.mark.thorough) for strategy in (SEQUENTIAL, LEAST))],
)
def test_the_built_in_model_gives_an_honest_answer(builtin: Workbench, strategy: str) -> None:
    params: dict[str, Any] = {} if strategy == INDEPENDENT else {"resolve_references": True}
    run = ask(builtin, strategy, **params)
    assert run.state == "finished", run.error
    assert {call.skill for call in run.calls} == {"reduce" if strategy == LEAST else "sub_questions"}
    assert run.answer is not None
    if strategy != LEAST:
        assert "Joined, not written" in run.answer.note
    assert all(answer.method == "extractive" for answer in run.find(SubAnswer))
    assert run.context is not None
    assert "A Dangerous Age" in [item.passage.title for item in run.context.passages]


def test_a_korean_question_is_searched_as_it_is(builtin: Workbench) -> None:
    question = "영화 A Dangerous Age의 감독은 어디에서 태어났나요?"
    run = ask(builtin, SEQUENTIAL, question)
    assert run.state == "finished", run.error
    parts = run.find(SubQuestions)[0]
    assert parts.questions == (question,)
    assert "knows English only" in parts.note
    assert run.totals.calls == 0
    assert run.context is not None
    assert run.context.passages
