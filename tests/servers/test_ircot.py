"""IRCoT: real graph, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from core.cards.kinds.thought import thought_data
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.trace.artefacts import Context, Ranking, Thought
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.parts_of_a_run import asked

QUESTION = "Who directed A Dangerous Age?"
THINK, READ = "think", "read"
FACTS = (
    "A Dangerous Age is a 1958 film. And more.",
    "Brass Buttons is a western. And more.",
    "Ode to My Father is Korean. And more.",
    "Full Moon High is a comedy. And more.",
    "The Beach Girls and the Monster is a horror film. And more.",
    "Kill or Be Killed was made in Italy. And more.",
    "Eight on the Lam stars Bob Hope. And more.",
)


def ask(bench: Workbench, **params: Any) -> Record:
    return record(
        bench.launcher.start(RunRequest(QUESTION, "ircot", corpus=CORPUS, params=params)).result(60)
    )


def thoughts_of(*replies: str) -> list[Rule]:
    """One rule per thought, in order; the last one goes on for ever."""
    rules = [Rule(skill=THINK, reply=reply, times=1) for reply in replies[:-1]]
    return [*rules, Rule(skill=THINK, reply=replies[-1])]


def test_a_chain_ends_with_the_answer(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        *thoughts_of(FACTS[0], FACTS[1], "So the answer is: Sidney J. Furie. Done."),
        Rule(skill=READ, reply="Furie directed it [1]. The answer is Sidney J. Furie [1]."),
    )
    run = ask(bench)
    assert run.state == "finished", run.error
    thoughts = run.find(Thought)
    assert [thought.text for thought in thoughts] == [
        "A Dangerous Age is a 1958 film.",
        "Brass Buttons is a western.",
        "So the answer is: Sidney J. Furie.",
    ]
    assert [bool(thought.ends) for thought in thoughts] == [False, False, True]
    assert "gives its answer" in thoughts[-1].ends
    assert run.context is not None
    assert run.context.brought_in(thoughts[-1].source) == ()
    found = {hit.passage.chunk for hit in run.find(Ranking)[2].used}
    assert {passage.chunk for passage in run.context.brought_in(thoughts[1].source)} <= found
    assert (run.totals.calls, run.totals.rounds) == (4, 4)
    assert [ranking.query for ranking in run.find(Ranking)] == [
        QUESTION,
        *(thought.text for thought in thoughts[:-1]),
    ]
    assert run.draft.startswith("Furie directed it")
    assert run.answer is not None
    assert run.answer.citations[0].chunk == run.find(Ranking)[0].hits[0].passage.chunk


def test_the_reader_gets_all_paragraphs_in_the_order_they_were_found(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(*thoughts_of(FACTS[0], FACTS[1], "So the answer is: him."))
    run = ask(bench)
    assert run.context is not None
    known: list[str] = []
    for ranking in run.find(Ranking):
        new = [hit.passage.chunk for hit in ranking.used if hit.passage.chunk not in known]
        assert len(new) == 4, "each search brings in so many that were not there"
        known += new
    passages = [item.passage for item in run.context.passages]
    assert [passage.chunk for passage in passages] == known
    assert all(item.given for item in run.context.passages)
    assert run.context.passages[0].source == "the question"
    assert {item.source for item in run.context.passages} == {"the question", "thought 1", "thought 2"}
    (messages,) = asked(run, READ)
    for number, passage in enumerate(passages, 1):
        assert f'<passage number="{number}">\n{passage.title}\n{passage.text}\n</passage>' in told(
            messages, "context"
        )
    assert "So the answer is: him." not in messages[-1].content
    drawn = [thought_data(thought, run.context) for thought in run.find(Thought)]
    assert [passage.chunk for passage in passages[4:]] == [
        card["id"] for one in drawn for card in one["cards"]
    ]
    assert drawn[-1]["pool"] == len(passages)


def test_each_thought_sees_the_paragraphs_and_the_thoughts_before_it(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(*thoughts_of(FACTS[0], FACTS[1], "So the answer is: him."))
    run = ask(bench)
    (_, *later), (first, _, third) = (
        [told(messages, slot) for messages in asked(run, THINK)] for slot in ("thoughts", "context")
    )
    assert later == [
        "- A Dangerous Age is a 1958 film.",
        "- A Dangerous Age is a 1958 film.\n- Brass Buttons is a western.",
    ]
    assert first.count('number="4"') == 1
    assert 'number="5"' not in first
    assert 'number="5"' in third


def test_a_guess_is_searched_and_told_from_what_passages_say(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(*thoughts_of("[?] It was directed by Larry Cohen.", "[?] So the answer is: him."))
    run = ask(bench)
    first, last = run.find(Thought)
    assert (first.text, first.guess) == ("It was directed by Larry Cohen.", True)
    assert (bool(last.ends), last.guess) == (True, False)
    assert run.find(Ranking)[1].query == "It was directed by Larry Cohen."
    assert told(asked(run, THINK)[1], "thoughts") == "- [?] It was directed by Larry Cohen."


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_an_endpoint_that_never_concludes_ends_at_the_largest_number(
    bench: Workbench, scripted: ScriptedServer, steps: int
) -> None:
    scripted.script(*thoughts_of(*FACTS))
    run = ask(bench, max_steps=steps, paragraphs=40)
    assert run.state == "finished"
    assert [thought.text for thought in run.find(Thought)] == [
        *(fact.removesuffix(" And more.") for fact in FACTS[:steps]),
        "",
    ]
    assert (
        run.find(Thought)[-1].ends == f"The chain ends: {steps} thoughts are the most that this run allows."
    )
    assert run.totals.rounds == run.totals.calls == steps + 1
    assert len(run.find(Ranking)) == steps + 1, "each thought is searched with"
    params = get_strategy("ircot").parse({"max_steps": steps})
    forecast = get_strategy("ircot").forecast(params, methods_in_force(["think", "read"], CAPABLE, {}))
    assert forecast.rounds_most == forecast.calls_most == run.totals.calls
    assert forecast.rounds <= run.totals.rounds


def test_a_sentence_that_was_there_before_ends_the_chain(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(*thoughts_of(FACTS[0], FACTS[1], "a dangerous age is a 1958 film"))
    run = ask(bench)
    assert "was there before" in run.find(Thought)[-1].ends
    assert len(run.find(Thought)) == 3
    assert run.answer is not None


@pytest.mark.parametrize("rule", [Rule(skill=THINK, fault="empty"), Rule(skill=THINK, reply=" “ ” [1]. ")])
def test_an_empty_sentence_ends_the_chain(bench: Workbench, scripted: ScriptedServer, rule: Rule) -> None:
    scripted.script(rule.model_copy())
    run = ask(bench)
    assert run.state == "finished", run.error
    (thought,) = run.find(Thought)
    assert thought.text == ""
    assert "wrote no further sentence" in thought.ends
    assert run.answer is not None
    assert len(asked(run, READ)) == 1


def test_the_paragraphs_are_capped_and_it_is_said(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(*thoughts_of(FACTS[0], FACTS[1], "So the answer is: him."))
    run = ask(bench, paragraphs=5)
    assert len(asked(run, THINK)) == 1, "no sentence is asked for whose search would bring in nothing"
    assert run.context is not None
    assert len(run.context.passages) == 5
    assert [thought_data(thought, run.context)["pool"] for thought in run.find(Thought)] == [5, 5]
    assert "another search would bring in nothing" in run.find(Thought)[-1].ends
    assert any("5 paragraphs are the most" in pool.note for pool in run.find(Context))


def test_the_careless_version_takes_the_last_thought(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(*thoughts_of(FACTS[0], "So the answer is: nobody."))
    run = ask(bench, reader="last thought")
    assert run.answer is not None
    assert run.answer.text == "So the answer is: nobody."
    assert "nothing was checked" in run.answer.note
    assert run.totals.calls == 2
    scripted.script(*thoughts_of(*FACTS))
    run = ask(bench, reader="last thought", max_steps=2)
    assert run.answer is not None
    assert "before it came to an answer" in run.answer.note


def test_a_failure_keeps_thoughts_and_paragraphs(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill=THINK, reply=FACTS[0], times=1),
        Rule(skill=THINK, reply=FACTS[1], times=1),
        Rule(skill=THINK, fault="server_error"),
    )
    run = ask(bench)
    assert run.state == "failed"
    assert len(run.find(Thought)) == 2
    assert run.context == run.find(Context)[-1]
    assert len(run.context.passages) > 4 if run.context else False


@pytest.mark.parametrize("question", [QUESTION, "어 데인저러스 에이지는 누가 감독했습니까?"])
def test_the_built_in_model_copies_and_says_so(bench: Workbench, question: str) -> None:
    offline = open_bench(bench.settings.rag_loupe_home, model_timeout_seconds=60.0)
    run = record(offline.launcher.start(RunRequest(question, "ircot", corpus=CORPUS)).result(240))
    offline.backends.supervisor.release()
    assert run.state == "finished", run.error
    assert run.totals.calls == 0
    thoughts = run.find(Thought)
    assert all("Copied, not reasoned" in thought.note for thought in thoughts if thought.text)
    assert thoughts[-1].ends
    assert len(thoughts) <= 3
    assert run.context is not None
    assert len(run.context.passages) >= 4
    if question.isascii():
        assert run.answer is not None
        assert "Sidney J. Furie" in run.answer.text
