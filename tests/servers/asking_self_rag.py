"""Runs of Self-RAG whose graders are scripted, and what they come to."""

from __future__ import annotations

import json
from typing import Any

from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.trace.artefacts import Answer, Grade
from tests.bench import CORPUS
from tests.scripted import Rule

QUESTION = "Who directed A Dangerous Age?"
RELEVANCE, SUPPORT, USE = "grade_relevance", "grade_support", "grade_use"
REWRITE, AGAIN, RETRIEVE = "rewrite_question", "answer_again", "decide_retrieval"


def ask(bench: Workbench, question: str = QUESTION, **options: Any) -> Record:
    """A run to its end, which is never beyond what was forecast."""
    job = bench.launcher.start(RunRequest(question, "self-rag", corpus=CORPUS, **options))
    run = record(job.result(60))
    strategy = get_strategy("self-rag")
    params = strategy.parse(options.get("params", {}))
    methods = methods_in_force(strategy.skills, CAPABLE, options.get("methods", {}))
    tries = [call for call in run.calls if call.retry is None]
    assert len(tries) <= strategy.forecast(params, methods).calls_most
    return run


def grade(skill: str, verdict: str | int, reason: str = "So it is.", times: int | None = None) -> Rule:
    return Rule(skill=skill, reply=json.dumps({"verdict": verdict, "reason": reason}), times=times)


def verdicts(run: Record, what: str) -> list[str]:
    return [grade.verdict for grade in run.find(Grade) if grade.what == what]


def final(run: Record) -> Answer:
    assert run.state == "finished", run.error
    assert run.answer is not None
    assert [answer.final for answer in run.find(Answer)].count(True) == 1
    assert run.steps[-1].node == "answer"
    return run.answer
