"""Step-back: real graph, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills.base import TAUGHT
from core.trace.artefacts import Ranking, StepBack
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import FOR_EVER, Held, made, wait_for

QUESTION = "Who directed A Dangerous Age?"
GENERAL = "Which films did Sidney J. Furie make?"
STEP, ANSWER = "step_back", "answer_step_back"


def ask(bench: Workbench, **params: Any) -> Record:
    return record(
        bench.launcher.start(RunRequest(QUESTION, "step-back", corpus=CORPUS, params=params)).result(60)
    )


def stepping(general: str, **more: Any) -> Rule:
    return Rule(skill=STEP, reply=json.dumps({"question": general}), **more)


def told_to_the_answer(run: Record, slot: str) -> str:
    (call,) = (call for call in run.calls if call.skill == ANSWER)
    return told(call.messages, slot)


def test_both_contexts_are_searched_labelled_and_answered_from(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(stepping(GENERAL), Rule(skill=ANSWER, reply="Furie [1]. Background [5]."))
    run = ask(bench)
    assert run.state == "finished", run.error
    (step,) = run.find(StepBack)
    assert (step.question, step.general, step.note) == (QUESTION, GENERAL, "")
    specific, general = run.find(Ranking)
    assert (specific.query, general.query) == (QUESTION, GENERAL)
    assert run.context is not None
    first = [hit.passage.chunk for hit in specific.used]
    second = [hit.passage.chunk for hit in general.used]
    passages = run.context.passages
    assert [item.passage.chunk for item in passages] == list(dict.fromkeys(first + second))
    for item in passages:
        in_both = item.passage.chunk in first and item.passage.chunk in second
        only = "the question" if item.passage.chunk in first else "the step-back question"
        assert item.source == ("both" if in_both else only)
    assert {item.source for item in passages} == {"the question", "the step-back question", "both"}
    assert (run.totals.calls, run.totals.rounds) == (2, 2)
    assert told_to_the_answer(run, "general") == GENERAL
    here, there = (told_to_the_answer(run, slot) for slot in ("context", "general_context"))
    assert 'number="4"' in here
    assert 'number="5"' not in here
    assert 'number="5"' in there
    both = [place for place, item in enumerate(passages, 1) if item.source == "both"]
    assert re.findall(r"\d+", there.splitlines()[-1]) == [str(place) for place in both], (
        "found for it as well"
    )
    assert run.answer is not None
    assert [citation.chunk for citation in run.answer.citations] == [
        passages[0].passage.chunk,
        passages[4].passage.chunk,
    ]


def test_the_question_is_searched_while_the_model_steps_back(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(stepping(GENERAL, delay=FOR_EVER))
    job = bench.launcher.start(RunRequest(QUESTION, "step-back", corpus=CORPUS))
    wait_for(job, made("ranking"))
    job.stop()
    run = record(job.result(60))
    assert [call.state for call in run.calls] == ["stopped"]
    layers = {step.node: step.layer for step in run.steps}
    assert layers["retrieve"] == layers["step_back"] == 0


@pytest.mark.parametrize("same", [QUESTION, "who directed “A Dangerous Age”", ""])
def test_no_step_back_is_said_and_not_searched_twice(
    bench: Workbench, scripted: ScriptedServer, same: str
) -> None:
    scripted.script(stepping(same))
    run = ask(bench)
    (step,) = run.find(StepBack)
    assert step.general == QUESTION
    assert step.note.startswith("No step back")
    assert len(run.find(Ranking)) == 1
    assert run.context is not None
    assert {item.source for item in run.context.passages} == {"the question"}
    assert run.state == "finished"


def test_without_the_question_only_the_general_one_is_searched(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(stepping(GENERAL))
    run = ask(bench, include_original=False)
    (ranking,) = run.find(Ranking)
    assert ranking.query == GENERAL
    assert run.context is not None
    assert {item.source for item in run.context.passages} == {"the step-back question"}
    assert 'number="1"' not in told_to_the_answer(run, "context")
    assert 'number="1"' in told_to_the_answer(run, "general_context")
    scripted.script(stepping(QUESTION))
    run = ask(bench, include_original=False)
    assert [ranking.query for ranking in run.find(Ranking)] == [QUESTION]
    assert run.context is not None
    assert run.context.passages


def test_a_small_answer_takes_the_questions_passages_first(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(stepping(GENERAL))
    run = ask(bench, context_size=3)
    assert run.context is not None
    assert sum(item.given for item in run.context.passages) == 3
    assert 'number="3"' in told_to_the_answer(run, "context")
    assert not any('number="4"' in told_to_the_answer(run, slot) for slot in ("context", "general_context"))


def test_failures_keep_what_was_done(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.script(Rule(skill=STEP, fault="server_error"))
    failing = Held(monkeypatch, STEP)
    job = bench.launcher.start(RunRequest(QUESTION, "step-back", corpus=CORPUS))
    wait_for(job, made("ranking"))
    failing.release()
    run = record(job.result(60))
    assert run.state == "failed"
    assert [ranking.query for ranking in run.find(Ranking)] == [QUESTION]
    scripted.script(stepping(GENERAL), Rule(skill=ANSWER, fault="server_error"))
    run = ask(bench)
    assert run.state == "failed"
    assert run.context is not None
    assert len(run.find(Ranking)) == 2


@pytest.mark.parametrize("question", [QUESTION, "어 데인저러스 에이지는 누가 감독했습니까?"])
def test_the_built_in_model_steps_back_or_says_that_it_cannot(bench: Workbench, question: str) -> None:
    offline = open_bench(bench.settings.rag_loupe_home, model_timeout_seconds=100.0)
    run = record(offline.launcher.start(RunRequest(question, "step-back", corpus=CORPUS)).result(400))
    offline.backends.supervisor.release()
    assert run.state == "finished", run.error
    (step,) = run.find(StepBack)
    assert step.method == TAUGHT
    assert run.context is not None
    assert run.context.passages
    if question.isascii():
        assert step.general != question
        assert "A Dangerous Age" in step.general
        assert len(run.find(Ranking)) == 2
    else:
        assert step.general == question
        assert "knows English only" in step.note
        assert len(run.find(Ranking)) == 1
