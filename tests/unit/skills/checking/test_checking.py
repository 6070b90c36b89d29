"""What a model can do is found out by a few items; each skill takes the method that the model can carry."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import ModelError
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.reach.marks import ModelMark
from core.settings import Settings
from core.skills import SKILLS, methods_in_force
from core.skills.base import MODEL, TAUGHT, SkillContext
from core.skills.checking.asking import JUDGES, ask_all
from core.skills.checking.items import Items, items
from core.skills.checking.results import CheckResult, CheckStore, ProbeResult
from core.skills.model_kind import CAPABLE, ModelKind
from core.trace.tracer import ListTracer
from tests.checked import SKILL, rules
from tests.embedder import word_counts
from tests.scripted import Rule, ScriptedServer

DATA = Path(__file__).parents[4] / "data"


def asked(scripted: ScriptedServer, what: Items | None = None) -> dict[str, ProbeResult]:
    settings = Settings(_env_file=None, retry_base_seconds=0.001, model_timeout_seconds=5.0)
    tracer = ListTracer()
    chat = Chat(scripted.endpoint(), tracer, settings, CallBudget(200))
    context = SkillContext(chat=chat, embedder=word_counts(), tracer=tracer, builtin=True)
    told: list[int] = []
    found = asyncio.run(ask_all(context, what or items(), told.append))
    assert told[-1] == (what or items()).calls
    return {probe.key: probe for probe in found}


def result(*failed: str) -> CheckResult:
    probes = tuple(
        ProbeResult(
            key=probe.key,
            does=probe.does,
            right=0 if probe.key in failed else len(probe.items),
            asked=len(probe.items),
            passed=probe.key not in failed,
            skills=probe.skills,
        )
        for probe in items().probes
    )
    return CheckResult(
        model="m", version=1, created=datetime(2026, 1, 2, tzinfo=UTC), seconds=1.0, probes=probes
    )


def test_a_capable_model_passes_everything_by_one_call_an_item(scripted: ScriptedServer) -> None:
    scripted.rules = rules()
    found = asked(scripted)
    assert {key: (one.right, one.passed) for key, one in found.items()} == {
        probe.key: (len(probe.items), True) for probe in items().probes
    }
    assert len(scripted.requests) == items().calls


@pytest.mark.parametrize("probe", list(SKILL))
def test_each_probe_can_fail_alone(scripted: ScriptedServer, probe: str) -> None:
    scripted.rules = rules([probe])
    found = asked(scripted)
    assert [key for key, one in found.items() if not one.passed] == [probe]
    whole = next(one for one in items().probes if one.key == probe)
    assert found[probe].right < whole.need
    # Nothing is asked that could no longer change the verdict.
    assert found[probe].asked - found[probe].right == len(whole.items) - whole.need + 1


@pytest.mark.parametrize(
    ("probe", "verdict"), [("relevance", "yes"), ("relevance", "no"), ("retrieve", "yes")]
)
def test_who_always_says_the_same_fails(scripted: ScriptedServer, probe: str, verdict: str) -> None:
    same = Rule(skill=SKILL[probe], reply=json.dumps({"reason": "So.", "verdict": verdict}))
    scripted.rules = [same, *rules()]
    assert not asked(scripted)[probe].passed


def test_who_answers_everything_fails(scripted: ScriptedServer) -> None:
    scripted.rules = [Rule(skill="answer", reply="1887 [1]\n\nIt was in 1887 [1]."), *rules()]
    assert asked(scripted)["answer"].right == 0
    scripted.rules = [Rule(skill="answer", reply="[0] It is not said.\n\nNothing is."), *rules()]
    assert not asked(scripted)["answer"].passed


def test_an_endpoint_that_refuses_one_kind_of_request_fails_there_alone(scripted: ScriptedServer) -> None:
    scripted.rules = [Rule(skill="passage", status=400, reply="this template is broken"), *rules()]
    found = asked(scripted)
    assert [key for key, one in found.items() if not one.passed] == ["passage"]


def test_an_endpoint_that_fails_ends_the_check(scripted: ScriptedServer) -> None:
    scripted.rules = [Rule(status=400, reply="this server is broken")]
    with pytest.raises(ModelError):
        asked(scripted)


def test_skills_take_what_the_model_can_carry() -> None:
    kind = ModelKind(cannot=result("relevance", "reword", "answer").cannot)
    assert SKILLS["grade_relevance"].default_method(kind) == "embedding"
    assert SKILLS["rerank"].default_method(kind) == "tokens"
    assert SKILLS["rerank"].default_method(ModelKind(reranker=True, cannot=kind.cannot)) == "server"
    assert SKILLS["reword"].default_method(kind) == "sampled"
    assert SKILLS["answer"].default_method(kind) == "extractive"
    assert SKILLS["reason"].default_method(kind) == MODEL  # there is no other way
    assert SKILLS["grade_support"].default_method(kind) == MODEL
    every = methods_in_force(SKILLS, kind, {})
    assert TAUGHT not in every.values()  # that is the built-in model's alone
    assert methods_in_force(["answer"], kind, {"answer": MODEL}) == {"answer": MODEL}  # who picks one has it
    assert {SKILLS[key].default_method(CAPABLE) for key in SKILLS} == {MODEL}
    assert kind.key == CAPABLE.key
    assert (kind.key_for("answer"), kind.key_for("route")) == ("endpoint-checked", "endpoint")


def test_each_skill_is_decided_once() -> None:
    decided = [skill for probe in items().probes for skill in probe.skills]
    assert sorted([*decided, "recall"]) == sorted(SKILLS)  # memory is asked of whatever model there is
    assert set(JUDGES) == {probe.key for probe in items().probes} == set(SKILL)
    methods = {key: method for key, _, method in result("tools").methods()}
    assert (methods["choose_tool"], methods["answer"]) == ("nearest", MODEL)


def test_guessing_rarely_passes() -> None:
    for probe in items().probes:
        verdicts = [item.verdict for item in probe.items]
        if all(verdicts):
            assert verdicts.count("yes") == verdicts.count("no")
            assert probe.need >= max(4, len(verdicts) - 1)


def test_nothing_of_the_items_is_in_a_data_set() -> None:
    names = {
        "Talvik",
        "Marholm",
        "Ondrasek",
        "Orsund",
        "Esterby",
        "Korven",
        "Hollin tunnel",
        "Prell",
        "Sollen",
    }
    pattern = re.compile("|".join(map(re.escape, names)))
    texts = [path for path in DATA.rglob("*.jsonl") if path.stat().st_size < 20_000_000]
    assert texts
    found = {
        (path.name, match[0]) for path in texts if (match := pattern.search(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_results_are_kept_by_model_and_place(tmp_path: Path) -> None:
    store = CheckStore(f"sqlite:///{tmp_path / 'checks.sqlite'}")
    here, there = ModelMark("localhost:11434", "qwen3"), ModelMark("localhost:1234", "qwen3")
    assert store.result(here) is None
    store.put(here, result("tools"))
    store.put(there, result())
    store.put(here, result("answer"))
    assert store.result(here) == result("answer")
    assert store.result(there) == result()
    store.forget(here)
    assert store.result(here) is None
    assert store.result(there) == result()
    store.close()
