"""Runs whose recording has gaps: the built-in model does these steps by its own methods, or the run ends there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from core.knowledge.explore.chain_scoring import SCORE_NAME
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.base import MODEL, TINY
from core.strategies import get_strategy, strategies
from core.trace.artefacts import Candidates, GraphPath, ToolCall
from tests.bench import CORPUS, leave, open_bench, small_corpus
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.forgetful import SENTENCE, everything, forget, of

QUESTION = "Who directed A Dangerous Age?"
PAPER = DEMO_GRAPHS[4].name
WALKED = "Which former husband of Elizabeth Taylor died in Chichester?"
STEPS = [
    {"explore": "nodes", "text": "Elizabeth Taylor"},
    {"explore": "relationships", "text": "married"},
    {"explore": "relationships", "text": "where he passed away"},
]


class Gap(NamedTuple):
    """A strategy, and one of its skills that the recording lacks."""

    strategy: str
    skill: str
    first: int = 1
    """The request from which on it does."""
    params: dict[str, Any] = {}  # noqa: RUF012  # never changed

    def name(self) -> str:
        return f"{self.strategy}-{self.skill}-{self.first}"


GAPS = (
    Gap("plain", "answer"),
    Gap("closed-book", "recall"),
    Gap("multi-query", "reword"),
    Gap("multi-query", "rerank", params={"rerank": 6}),
    Gap("multi-query", "rerank", 3, {"rerank": 6}),
    Gap("multi-query", "answer"),
    Gap("rag-fusion", "search_queries"),
    Gap("step-back", "step_back"),
    Gap("step-back", "answer_step_back"),
    Gap("hyde", "passage"),
    Gap("hyde", "passage", 3, {"n": 4}),
    Gap("self-rag", "decide_retrieval", params={"decide_retrieval": True}),
    Gap("self-rag", "grade_relevance"),
    Gap("self-rag", "grade_relevance", 3),
    Gap("self-rag", "rewrite_question"),
    Gap("self-rag", "answer"),
    Gap("self-rag", "answer_again"),
    Gap("self-rag", "grade_support"),
    Gap("self-rag", "grade_use"),
    Gap("corrective", "evaluate_passage"),
    Gap("corrective", "evaluate_passage", 4),
    Gap("corrective", "rewrite_question"),
    Gap("corrective", "recall", params={"elsewhere": "memory"}),
    Gap("corrective", "answer"),
    Gap("adaptive", "route"),
    Gap("decomposition-sequential", "sub_questions"),
    Gap("decomposition-sequential", "resolve"),
    Gap("decomposition-sequential", "answer_sub"),
    Gap("decomposition-sequential", "answer_sub", 2),
    Gap("decomposition-sequential", "synthesise"),
    Gap("decomposition-independent", "answer_sub", 2),
    Gap("least-to-most", "reduce"),
    Gap("ircot", "think"),
    Gap("ircot", "think", 2),
    Gap("ircot", "read"),
    Gap("kg-rag", "plan_exploration"),
    Gap("kg-rag", "select"),
    Gap("kg-rag", "select", 2),
    Gap("kg-rag", "judge_path"),
    Gap("kg-rag", "judge_path", 2),
    Gap("kg-rag", "answer_path"),
    Gap("agentic", "split_question"),
    Gap("agentic", "update_question"),
    Gap("agentic", "choose_tool"),
    Gap("agentic", "choose_tool", 2),
    Gap("agentic", "answer_sub"),
    Gap("agentic", "critique"),
    Gap("agentic", "answer_gathered"),
)
EACH = [pytest.param(gap, marks=pytest.mark.thorough if gap.first > 1 else (), id=gap.name()) for gap in GAPS]
"""A gap that comes later in a run is like the first one: only the thorough part tries it."""
UNNAMED = {("agentic", "answer_sub"), ("decomposition-sequential", "resolve"), ("agentic", "update_question")}
"""Skills whose method stands in no artefact."""
WALKING = {key: SKILLS[key].builtin for key in get_strategy("kg-rag").skills}
CHOOSING = {key: SKILLS[key].builtin for key in get_strategy("agentic").skills}


@pytest.fixture(scope="module")
def bench(
    scripted_server: ScriptedServer, homes: Homes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    bench = open_bench(homes.demo(), scripted_server, model_timeout_seconds=60.0)
    bench.corpora.index([small_corpus(tmp_path_factory.mktemp("films"))], CORPUS).result()
    yield bench
    leave(bench)


def ask(bench: Workbench, key: str, params: dict[str, Any] | None = None, **options: Any) -> Record:
    strategy = get_strategy(key)
    request = RunRequest(
        QUESTION if strategy.retrieves else WALKED,
        key,
        corpus=CORPUS if strategy.retrieves else None,
        graph=PAPER if strategy.explores else None,
        params=params or {},
        owner="you",
        **options,
    )
    return record(bench.launcher.start(request).result(120))


def recorded(scripted: ScriptedServer) -> None:
    """Replies with which a run comes to each of its skills."""

    def reply(skill: str, **said: Any) -> Rule:
        return Rule(skill=skill, reply=json.dumps(said))

    parts = ("Who directed the film A Dangerous Age?", "When was he born?")
    scripted.script(
        Rule(skill="sub_questions reduce.model", reply=json.dumps({"queries": parts})),
        reply("split_question", questions=["Who directed A Dangerous Age?", "When was he born?"]),
        Rule(skill="resolve update_question", reply="When was Sidney J. Furie born?"),
        Rule(skill="choose_tool", calls=[("search_documents", {"question": QUESTION})]),
        reply("critique", complete=True, reason="So it is.", questions=[]),
        Rule(skill="think", reply="A Dangerous Age is a film of 1957.", times=1),
        Rule(skill="think", reply="Sidney J. Furie made films.", times=1),
        Rule(skill="think", reply="So the answer is: Sidney J. Furie."),
        reply("route", reason="It is plain.", way="one-search"),
        reply("evaluate_passage", reason="Partly.", verdict="partly", sentences=[1]),
        reply("decide_retrieval", reason="Look.", verdict="yes"),
        Rule(skill="grade_relevance.model", reply='{"reason": "", "verdict": "yes"}'),
        Rule(skill="grade_support.model", reply='{"reason": "Weak.", "verdict": "no"}', times=1),
        Rule(skill="grade_support.model", reply='{"reason": "", "verdict": "fully"}'),
        Rule(skill="grade_use.model", reply='{"reason": "Thin.", "verdict": 2}', times=2),
        Rule(skill="grade_use.model", reply='{"reason": "", "verdict": 5}'),
        reply("plan_exploration", steps=STEPS),
        reply("select", chosen=["1", "2"]),
        reply("judge_path", verdict="continue", reason="Go on."),
        Rule(skill="answer answer_sub recall read", reply="Sidney J. Furie [1]\n\nHe made it [1]."),
    )


def made_by(run: Record, skill: str) -> list[str]:
    """The methods by which a skill was done, artefact by artefact."""
    return [one.method for _, one in run.artefacts if one.skill == skill]


def layers(run: Record) -> list[int]:
    return sorted({step.layer for step in run.steps})


def builtin(skill: str) -> str:
    return SKILLS[skill].default_method(TINY)


@pytest.mark.parametrize("gap", EACH)
def test_the_builtin_model_does_what_is_not_kept(
    gap: Gap, bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(scripted)
    forget(monkeypatch, of(gap.skill, first=gap.first))
    run = ask(bench, gap.strategy, gap.params)
    assert run.state == "finished", run.error
    assert run.answer is not None
    methods = made_by(run, gap.skill)
    assert methods[-1:] == [] if (gap.strategy, gap.skill) in UNNAMED else [builtin(gap.skill)]
    asked = [call.method for call in run.calls if call.skill == gap.skill]
    if builtin(gap.skill) != MODEL:
        assert asked.count(MODEL) == gap.first - 1
        assert set(asked) <= {MODEL, builtin(gap.skill)}


@pytest.mark.parametrize("gap", EACH)
def test_alone_a_recording_ends_where_it_has_a_gap(
    gap: Gap, bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(scripted)
    forget(monkeypatch, of(gap.skill, first=gap.first), falls_back=False)
    run = ask(bench, gap.strategy, gap.params)
    assert (run.state, run.error) == ("failed", SENTENCE)
    *before, last = [{step.state for step in run.steps if step.layer == layer} for layer in layers(run)]
    assert all(states == {"finished"} for states in before)
    assert "failed" in last
    assert {step.error for step in run.steps} <= {
        SENTENCE,
        "",
    }  # who was stopped beside it has none of its own
    assert run.answer is None
    assert set(made_by(run, gap.skill)) <= {MODEL}


@pytest.mark.parametrize("key", [one.key for one in strategies().values() if not one.lacking(True)])
def test_without_any_reply_all_is_done_by_the_builtin_model(
    key: str, bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch, everything)
    run = ask(bench, key)
    assert run.state == "finished", run.error
    methods = {(one.skill, one.method) for _, one in run.artefacts if one.skill and one.method}
    assert methods
    assert methods | {(call.skill, call.method) for call in run.calls} <= {
        (skill, builtin(skill)) for skill in SKILLS
    }


def test_what_the_builtin_model_cannot_do_ends_the_run(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for skill, title in (("reason", "Think on"), ("read_into_chain", SKILLS["read_into_chain"].title)):
        recorded(scripted)
        forget(monkeypatch, of(skill))
        run = ask(bench, "search-o1")
        assert (run.state, run.error) == (
            "failed",
            f"{SENTENCE} The built-in model cannot do this step (“{title}”).",
        )


@pytest.mark.parametrize(("key", "methods"), [("kg-rag", WALKING), ("agentic", CHOOSING)])
def test_where_nothing_is_kept_it_goes_as_with_methods_that_ask_no_model(
    key: str,
    methods: dict[str, str],
    bench: Workbench,
    scripted: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = ask(bench, key, methods=methods)
    forget(monkeypatch, everything)
    fallen = ask(bench, key)
    assert not fallen.calls
    assert [one for _, one in fallen.artefacts] == [one for _, one in chosen.artefacts]


@pytest.mark.parametrize("gap", [1, 2])
def test_a_walk_goes_on_from_what_was_chosen_before(
    gap: int, bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two choices falls back, and the verdict: scores of two kinds are not compared, so the whole way counts."""
    recorded(scripted)
    forget(monkeypatch, lambda skill, number: (skill, number) in {("select", gap), ("judge_path", 2)})
    run = ask(bench, "kg-rag")
    assert run.state == "finished", run.error
    names, *choices = run.find(Candidates)
    assert names.method == MODEL
    assert [one.method == "embedding" for one in choices] == [gap == 1, gap == 2]
    assert [one.score_name == SCORE_NAME for one in choices] == [gap == 1, gap == 2]
    path = run.find(GraphPath)[-1]
    assert (path.method, path.verdict) == ("embedding", "respond")
    assert "died in" in path.reason
    assert run.answer is not None
    assert not run.answer.abstained


def test_a_strategy_within_a_tool_falls_back_too(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(scripted)
    scripted.rules.insert(
        0,
        Rule(
            skill="choose_tool", calls=[("run_strategy", {"strategy": "multi-query", "question": QUESTION})]
        ),
    )
    forget(monkeypatch, of("reword", "answer"))
    run = ask(bench, "agentic", {"strategies": True})
    assert {call.outcome for call in run.find(ToolCall)} == {"found"}
    assert {call.method for call in run.calls if call.skill == "reword"} == {builtin("reword")}
    forget(monkeypatch, of("answer"), falls_back=False)
    run = ask(bench, "agentic", {"strategies": True})
    assert (run.state, run.error) == ("failed", SENTENCE)


def test_tools_say_who_chose_them(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(scripted)
    forget(monkeypatch, of("choose_tool", first=2))
    calls = ask(bench, "agentic").find(ToolCall)
    assert [call.method for call in calls] == [MODEL, "nearest"]
