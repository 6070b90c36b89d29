"""The report of a run: everything the page shows, and nothing that runs or loads."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.cards.kinds import KINDS
from core.cards.kinds.evidence import TINY
from core.report import run_report
from core.report.page import _asset, _icons
from core.report.run import ticks
from core.runs.record import record
from core.strategies import get_strategy
from core.trace.artefacts import Answer, AnyArtefact, Queries, Query
from core.trace.events import EVENT, Event, RunFinished, RunForked, RunResumed
from tests import examples
from tests.cases import cases
from tests.unit.report.reading import reading

EVIL = (
    "</script><script>alert(1)</script><!-- <script> <img src=x onerror=alert(2)> {{ 7*7 }} {% raw %} "
    '![p](http://attacker.example/p.png) [a](javascript:alert(3)) " onmouseover="alert(4)" \' \u2028 ]]>'
)
HARMLESS = {"p", "em", "strong", "pre", "div", "details", "summary"}
ROOT = Path(__file__).parents[3]


def with_one(artefact: AnyArtefact) -> list[Event]:
    script = examples.Script()
    script.start("hyde")
    script.step("s", "retrieve", 0)
    script.make("s", artefact)
    script.done("s")
    script.add(RunFinished())
    return script.events


def poisoned(events: list[Event], evil: str) -> list[Event]:
    """Every free text replaced; names that mean something stay."""
    kept = {
        "type", "kind", "state", "role", "origin", "step", "parent", "created", "call", "run", "chunk", "explore",
        "verdict", "outcome", "what", "strategy", "skill", "source", "way", "missing",
    }  # fmt: skip

    def poison(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        return evil if isinstance(value, str) and key not in kept else value

    return [EVENT.validate_python(poison(EVENT.dump_python(event, mode="json"))) for event in events]


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    return [value] if isinstance(value, str) else []


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip()


@cases("artefact", list(examples.artefacts()))
def test_an_artefact_of_every_kind_is_in_the_report(artefact: AnyArtefact) -> None:
    report = run_report(with_one(artefact))
    found = reading(report)
    assert f'<symbol id="icon-{KINDS[artefact.kind].icon}"' in report or artefact.kind == "answer"
    assert KINDS[artefact.kind].title in found.text or artefact.kind == "answer"  # which has no need of it
    held = " ".join([found.text, *(text for _, data in found.drawings for text in strings(data))])
    longest = max(strings(artefact.model_dump(mode="json", exclude={"skill", "method"})), key=len)
    assert letters(longest.split(". ")[0]) in letters(held)


def test_an_answer_that_abstains_says_so() -> None:
    for abstained in (True, False):
        report = run_report(with_one(Answer(text="Nobody knows.", abstained=abstained)))
        assert ("No answer: nothing in the evidence" in reading(report).text) is abstained


@cases("name", list(examples.RUNS))
def test_every_example_is_a_report_that_loads_nothing(name: str) -> None:
    report = run_report(examples.RUNS[name]())
    assert len(report) < 250_000
    found = reading(report)
    run = record(examples.RUNS[name]())
    assert run.started is not None
    strategy = get_strategy(run.started.strategy)
    words = " ".join(found.text.split())
    for text in (run.started.question, strategy.title, strategy.idea, strategy.paper, run.started.chat_model):
        assert text in words
    for call in run.calls:
        assert all(" ".join(message.content.split()) in words for message in call.messages)
    for tag, attributes in found.elements:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        assert not {name for name in attributes if name.startswith("on") or name in ("style", "src")}
        assert attributes.get("href", "#").startswith("#")
    shown = {data_name for data_name, _ in found.drawings}
    assert len(found.scripts) == 1
    assert all(f"{data_name}: {{ draw: {data_name}, css: " in found.scripts[0] for data_name in shown)
    assert "https://" not in found.scripts[0]


def test_the_policy_names_the_script_and_the_style_and_nothing_else() -> None:
    found = reading(run_report(examples.rag_fusion()))

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    rules = dict(rule.strip().split(" ", 1) for rule in found.policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "script-src": hashed(found.scripts[0]),
        "style-src": hashed(found.styles[0]),
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@cases("name", list(examples.RUNS))
def test_hostile_text_in_every_field_stays_text(name: str) -> None:
    clean = reading(run_report(examples.RUNS[name]()))
    report = run_report(poisoned(examples.RUNS[name](), EVIL))
    found = reading(report)
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in clean.elements} | HARMLESS
    assert len(found.scripts) == 1
    assert found.scripts == clean.scripts
    for _, attributes in found.elements:
        assert not {name for name in attributes if name.startswith("on") or name in ("style", "src")}
        assert attributes.get("href", "#").startswith("#")
    assert EVIL in found.text or EVIL.replace("\u2028", " ") in found.text
    assert "\u2028" not in "".join(
        re.findall(r'<script type="application/json".*?</script>', report, re.DOTALL)
    )


def test_a_run_that_failed_says_so_and_tells_its_retries() -> None:
    text = reading(run_report(examples.failed())).text
    assert "This run failed." in text
    assert "The endpoint keeps refusing: rate limit. Wait a minute, then ask again." in text
    assert "rate limit: tried again after 2.0 s (rate limit (429))" in text
    assert "There is no answer." in text


def test_a_run_that_was_stopped_keeps_what_was_written() -> None:
    text = reading(run_report(examples.stopped())).text
    assert "This run was stopped. Stopped by you." in text
    assert "The answer was cut off here." in text


def test_the_tiny_model_is_named_as_on_the_page() -> None:
    events = examples.rag_fusion()
    assert TINY not in run_report(events)
    events[0] = events[0].model_copy(update={"builtin": True})
    text = reading(run_report(events)).text
    assert TINY in text
    assert "gpt-example (the tiny built-in model)" in text


def test_a_fork_says_what_was_edited_and_what_became_of_it() -> None:
    parent = examples.rag_fusion()
    after = Queries(queries=(Query(text="Something else?", origin="user"),))
    place = next(
        place for place, event in enumerate(parent)
        if event.type == "artefact" and event.artefact.kind == "queries"
    )  # fmt: skip
    forked = RunForked(parent="example-rag-fusion", place=0, artefact=after, step=parent[place].step, at=1.0)
    events = [*parent[: place + 2], forked, *parent[place + 2 :]]
    text = " ".join(reading(run_report(events)).text.split())
    assert "Forked from another run, with other queries" in text
    assert "Before Which film has the director born later" in text
    assert "After, edited here Something else?" in text
    assert "edited here" in text[text.index("Step by step") :]
    assert "The answer is the same, word for word." not in text
    assert "The answer is the same, word for word." in reading(run_report(events, parent)).text


def test_a_run_that_went_on_after_an_interruption_says_so() -> None:
    events = examples.rag_fusion()[:8]
    resumed = RunResumed(chat_model="another", builtin=False, at=events[-1].at)
    text = reading(run_report([*events, resumed])).text
    assert "went on later with another." in text
    assert "2. Retrieve, per query, stopped" in text


def test_a_strategy_that_is_not_known_here_is_named() -> None:
    events = examples.rag_fusion()
    events[0] = events[0].model_copy(update={"strategy": "of-tomorrow", "params": {"new": [1, "<b>"]}})
    text = reading(run_report(events)).text
    assert "of-tomorrow This version of RAG Loupe does not have this strategy." in text
    assert "[1, '<b>']" in text


def test_a_prompt_that_the_app_has_no_more_is_marked_and_laid_to_nobody() -> None:
    events = examples.rag_fusion()
    events[0] = events[0].model_copy(update={"prompts": {"answer.model": "Say it: {context} {question}"}})
    text = reading(run_report(events)).text
    assert "Prompt: Answer from the passages, not the app's present one" in text


def test_retries_that_are_alike_are_said_once() -> None:
    events = examples.failed()
    again = next(event for event in events if event.type == "retried")
    text = reading(run_report([*events[:-1], again.model_copy(update={"call": "c-2"}), events[-1]])).text
    assert "rate limit: tried again 2 times, after 2.0 s (rate limit (429))" in text


def test_what_does_not_begin_with_a_start_is_no_run() -> None:
    with pytest.raises(ValueError, match="begins with run_started"):
        run_report(examples.plain()[1:])


def test_the_themes_are_those_of_the_page() -> None:
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    names = {
        "text-color": "textColor", "gray-text-color": "grayTextColor", "background-color": "backgroundColor",
        "secondary-background-color": "secondaryBackgroundColor", "border-color": "borderColor",
        "primary-color": "primaryColor", "link-color": "linkColor",
    }  # fmt: skip
    for file, mode in (("report.css", "light"), ("dark.css", "dark")):
        for name, key in names.items():
            assert f"--st-{name}: {theme[mode][key]};" in _asset(file)


def test_every_icon_has_an_outline_and_none_is_left_over() -> None:
    icons = {kind.icon for kind in KINDS.values()}
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("report", "cards")
        for path in (ROOT / "core" / folder).rglob("*")
        if path.suffix in (".py", ".html")
    )
    assert {name for name in _icons() if name in icons or f'"{name}"' in code} == set(_icons())
    used = (
        set(re.findall(r'ink\.icon\("(\w+)"\)', code))
        | set(re.findall(r'Note\([^\n]*, "(\w+)"', code))
        | icons
    )
    assert used <= set(_icons())


@pytest.mark.parametrize(
    ("seconds", "texts"),
    [(1.0, ["0.0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s"]), (125, ["0 s", "50 s", "100 s"]),
     (0.003, ["0.0000 s", "0.0005 s", "0.0010 s", "0.0015 s", "0.0020 s", "0.0025 s", "0.0030 s"])],
)  # fmt: skip
def test_an_axis_has_round_marks(seconds: float, texts: list[str]) -> None:
    assert [tick.text for tick in ticks(seconds)] == texts


def test_data_is_ascii_and_holds_no_brackets() -> None:
    report = run_report(poisoned(examples.hyde(), EVIL))
    for held in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', report, re.DOTALL):
        assert held.isascii()
        assert not set("<>&") & set(held)
        json.loads(held)


def test_the_picture_stands_before_the_steps_unless_the_first_draws_the_same() -> None:
    for events in (examples.multi_query(), examples.kg_rag()):
        report = run_report(events)
        assert report.index('<section class="picture"') < report.index("<h2>Step by step</h2>")
    assert '<section class="picture"' not in run_report(examples.adaptive())
