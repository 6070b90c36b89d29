"""The tools of Agentic RAG: which are offered, how they are chosen, and what becomes of a choice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.corpora.demo import DEMO_CORPUS
from core.models.capabilities import TOOLS_FOLLOW, capabilities_of
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import ToolCall
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.asking_agentic import (
    CHOOSE,
    SUB,
    UPDATE,
    answered,
    ask,
    called,
    enough,
    over_films,
    split,
)


@pytest.fixture(scope="module")
def bench(
    scripted_server: ScriptedServer, homes: Homes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    with over_films(homes, scripted_server, tmp_path_factory.mktemp("films")) as bench:
        yield bench


def test_all_tool_calls_of_a_reply_run_at_once(bench: Workbench, scripted: ScriptedServer) -> None:
    film = {"title": "Top Gun"}
    scripted.script(
        split("Tell me all about Top Gun"),
        called(
            "Tell",
            ("film_by_title", film),
            ("reviews_of_film", {"title": "Jerry Maguire"}),
            ("sing", film),
            ("people_of_film", film),
        ),
        enough(),
        answered("It came out in 1986 [1]."),
    )
    run = ask(bench, "Tell me all about Top Gun")
    calls = run.find(ToolCall)
    assert [call.outcome for call in calls] == ["found", "found", "not run", "not run"]
    assert "There is no tool “sing”" in calls[2].error
    assert "do not fit “people_of_film”: role" in calls[3].error


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (Rule(skill=CHOOSE, reply="I would look in a book."), "said: “I would look in a book.”"),
        (called("", ("people_of_film", "{not JSON")), "do not fit"),
        (called("", ("nobody", {})), "There is no tool “nobody”"),
    ],
)
def test_a_choice_that_cannot_be_used_is_shown_and_gives_way(
    bench: Workbench, scripted: ScriptedServer, rule: Rule, why: str
) -> None:
    scripted.script(split("Who is it?"), rule, enough(), answered("Somebody [1]."))
    run = ask(bench, "Who is it?", corpus=True)
    calls = run.find(ToolCall)
    assert why in calls[0].why + calls[0].error
    assert calls[-1].tool == "search_documents"
    assert calls[-1].passages


def test_an_endpoint_without_tools_is_asked_by_a_schema(bench: Workbench, scripted: ScriptedServer) -> None:
    reply = {"calls": [{"tool": "film_by_title", "arguments": {"title": "Top Gun"}}]}
    scripted.script(
        Rule(fault="no_tools", when=lambda body: "tools" in body),
        split("When did Top Gun come out?"),
        Rule(skill=CHOOSE, reply=json.dumps(reply)),
        enough(),
        answered("In 1986 [1]."),
    )
    run = ask(bench, "When did Top Gun come out?")
    assert [(call.tool, call.outcome) for call in run.find(ToolCall)] == [("film_by_title", "found")]
    assert not capabilities_of(scripted.endpoint()).tools
    prompt = next(r["body"]["messages"][-1]["content"] for r in scripted.requests[2:] if r["body"])
    assert "text2cypher" in prompt.partition(TOOLS_FOLLOW)[2]


def test_the_model_filters_what_a_search_looks_at(bench: Workbench, scripted: ScriptedServer) -> None:
    question = "What did the minutes of 1974 decide?"
    filters = {"question": question, "kind": "minutes", "date_from": "1974", "date_to": "1974-12"}
    scripted.script(
        split(question),
        called("What", ("search_documents", filters), ("search_documents", filters | {"date_from": "2024"})),
        Rule(skill=SUB, reply="To ask the harbourmaster [1]."),
        enough(),
        answered("To ask the harbourmaster [1]."),
    )
    asked_so = RunRequest(
        question, "agentic", corpus=DEMO_CORPUS, where=("kind=minutes|letter",), owner="you"
    )
    run = record(bench.launcher.start(asked_so).result(120))
    one, other = run.find(ToolCall)
    assert one.arguments == filters
    assert {passage.title.partition(":")[0] for passage in one.passages} == {"Harbour Board of Port Ansel"}
    assert (
        "1 of 11 documents were searched: date is 1974 or later, date is 1974-12 or earlier, kind is minutes."
        in one.note
    )
    assert "No document matches the filter" in other.note
    assert other.passages
    (told,) = scripted.told_to(CHOOSE)
    assert "kind (letter, minutes)" in told["documents"]
    choose = next(seen["body"] for seen in scripted.requests if seen["body"].get("tools"))
    schema = next(
        tool["function"] for tool in choose["tools"] if tool["function"]["name"] == "search_documents"
    )
    assert schema["parameters"]["properties"]["kind"]["enum"] == ["letter", "minutes"]
    assert schema["parameters"]["required"] == ["question"]
    assert "hides the answer" in one.about
    # Without the parameter, nothing of it is offered; and where the one tool takes but the question, nobody is asked.
    scripted.reset()
    scripted.script(split(question), Rule(skill=SUB, reply="No [1]."), enough(), answered("No [1]."))
    run = record(bench.launcher.start(replace(asked_so, params={"filters": False})).result(120))
    (only,) = run.find(ToolCall)
    assert (only.arguments, only.method, only.outcome) == ({"question": question}, "", "found")
    assert "hides the answer" not in only.about
    assert not scripted.told_to(CHOOSE)


def test_the_cap_on_tool_calls(bench: Workbench, scripted: ScriptedServer) -> None:
    films = [("film_by_title", {"title": title}) for title in ("Top Gun", "Apollo 13", "The Matrix")]
    scripted.script(split("Films?"), called("", *films), enough(), answered("Two films [1][2]."))
    run = ask(bench, "Films?", max_calls=2)
    assert len(run.find(ToolCall)) == 2
    assert run.answer is not None
    assert "Limit reached: 2 tool calls." in run.answer.note


def test_tools_are_switched_off(bench: Workbench) -> None:
    run = ask(bench, "Who directed Top Gun?", computed=True, corpus=True, templates=False)
    assert [call.tool for call in run.find(ToolCall)] == ["search_documents"]
    run = ask(bench, "Who directed Top Gun?", computed=True, templates=False, text2cypher=False)
    assert [call.outcome for call in run.find(ToolCall)] == ["not run"]


def test_a_text_strategy_is_a_tool_one_level_deep(bench: Workbench, scripted: ScriptedServer) -> None:
    arguments = {"strategy": "hyde", "question": "Who directed A Dangerous Age?"}
    scripted.script(
        split("Who directed A Dangerous Age?"),
        called("", ("run_strategy", arguments)),
        Rule(skill="answer", reply="Sidney J. Furie [1]."),
        enough(),
        answered("Sidney J. Furie [1]."),
    )
    run = ask(bench, "Who directed A Dangerous Age?", corpus=True, strategies=True)
    (call,) = run.find(ToolCall)
    assert (call.tool, call.outcome) == ("run_strategy", "found")
    assert call.passages
    assert {"passage", "answer"} <= {
        made.skill for step in run.steps if step.node == "run" for made in step.calls
    }
    assert [artefact.kind for _, artefact in run.artefacts].count("answer") == 1  # its own stays inside
    assert "documents" in call.about
    assert {"run_strategy", "search_documents"} <= set(call.offered)
    looped = {**arguments, "strategy": "self-rag"}
    scripted.script(split("Who?"), called("", ("run_strategy", looped)), enough(), answered("Nobody."))
    run = ask(bench, "Who?", corpus=True, strategies=True)
    assert run.find(ToolCall)[0].outcome in ("found", "nothing")
    deeper = {**arguments, "strategy": "agentic"}
    scripted.script(split("Who?"), called("", ("run_strategy", deeper)), enough(), answered("Nobody."))
    run = ask(bench, "Who?", corpus=True, strategies=True)
    assert run.find(ToolCall)[0].outcome == "not run"


def test_answer_given_needs_earlier_answers(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        split("Who directed Top Gun?", "What is the name of #1?"),
        Rule(skill=UPDATE, reply="What is the name of Tony Scott?"),
        called("Who", ("people_of_film", {"title": "Top Gun", "role": "DIRECTED"})),
        called("What", ("answer_given", {"answer": "Tony Scott"})),
        enough(),
        answered("Tony Scott [1]."),
    )
    run = ask(bench, "Who directed Top Gun and what is his name?")
    assert [(c.tool, c.outcome) for c in run.find(ToolCall)] == [
        ("people_of_film", "found"),
        ("answer_given", "found"),
    ]
    first, second = [
        {tool["function"]["name"] for tool in r["body"]["tools"]}
        for r in scripted.requests
        if "tools" in r["body"]
    ]
    assert second - first == {"answer_given"}
