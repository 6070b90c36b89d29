"""Reasoning with search: real graph, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.cards.kind import Scene
from core.cards.kinds.chain import with_answer
from core.cards.kinds.thought import reasoning_data, with_searches
from core.errors import InputError
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.trace.artefacts import Ranking, SubAnswer, Thought
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.parts_of_a_run import asked

QUESTION = "Who directed A Dangerous Age?"
KEY, REASON, READING = "search-o1", "reason", "read_into_chain"
FILM, WESTERN = "A Dangerous Age film", "Brass Buttons western"


def piece(thought: str, *searches: str, answer: str = "", times: int | None = 1) -> Rule:
    written = {"thought": thought, "searches": list(searches), "answer": answer}
    return Rule(skill=REASON, reply=json.dumps(written), times=times)


ANSWER = piece("Now I know.", answer="Sidney J. Furie [1]\n\nThe film is his [1].", times=None)


def two_hops() -> list[Rule]:
    return [
        piece("I need the film.", FILM),
        piece("And another one.", WESTERN),
        ANSWER,
        Rule(skill=READING, reply="Furie made it [2], in 1957 [1]. Nobody else did [7]."),
    ]


def ask(bench: Workbench, question: str = QUESTION, **params: Any) -> Record:
    job = bench.launcher.start(RunRequest(question, KEY, corpus=CORPUS, params=params))
    return record(job.result(60))


def test_the_chain_is_one_text_that_grows(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(*two_hops())
    run = ask(bench)
    assert run.state == "finished", run.error
    assert [ranking.query for ranking in run.find(Ranking)] == [FILM, WESTERN]
    assert (run.totals.calls, run.totals.rounds) == (5, 5)
    strategy = get_strategy(KEY)
    forecast = strategy.forecast(strategy.params(), methods_in_force(strategy.skills, CAPABLE, {}))
    assert (forecast.calls_expected, forecast.rounds) == (5, 5)
    assert run.context is not None
    chunks = [item.passage.chunk for item in run.context.passages]
    assert {item.source for item in run.context.passages} == {"search 1", "search 2"}

    # What the reader's marks count are its own passages; in the chain they count the evidence.
    second = run.find(Ranking)[1].used
    own = [chunks.index(hit.passage.chunk) + 1 for hit in second[:2]]
    last = told(asked(run, REASON)[-1], "reasoning").splitlines()
    assert last == [
        "Thought: I need the film.",
        f"Search: {FILM}",
        "Found: Furie made it [2], in 1957 [1]. Nobody else did.",
        "Thought: And another one.",
        f"Search: {WESTERN}",
        f"Found: Furie made it [{own[1]}], in 1957 [{own[0]}]. Nobody else did.",
    ]
    assert told(asked(run, REASON)[0], "reasoning") == "(nothing)"
    first, other = asked(run, READING)
    assert told(first, "reasoning").splitlines() == ["Thought: I need the film.", f"Search: {FILM}"]
    assert told(other, "query") == WESTERN

    assert run.answer is not None
    assert run.answer.short == "Sidney J. Furie"
    assert {citation.chunk for citation in run.answer.citations} == {chunks[0]}
    drawn = reasoning_data(run.find(Thought), Scene(run))
    assert [[one["query"] for one in thought["searches"]] for thought in drawn] == [[FILM], [WESTERN], []]
    assert drawn[1]["searches"][0]["digest"] == last[-1].removeprefix("Found: ")
    assert drawn[2]["answer"].startswith("Sidney J. Furie [1]")
    assert "Nothing" not in drawn[0]["ends"]


def test_searches_of_one_thought_run_at_once_and_none_twice(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        piece("Two things.", FILM, WESTERN, answer="Too early."),
        piece("Again.", FILM.upper(), "Full Moon High", "Ode to My Father"),
        piece("Still.", "Eight on the Lam", answer="Furie [1]"),
        Rule(skill=READING, reply="[0] Nothing about it."),
    )
    run = ask(bench, max_searches=3)
    assert [ranking.query for ranking in run.find(Ranking)] == [FILM, WESTERN, "Full Moon High"]
    assert (run.totals.calls, run.totals.rounds) == (6, 5)
    first, _, last = run.find(Thought)
    assert "that answer is not taken" in first.note
    assert "gives its answer" in last.ends
    chain = told(asked(run, REASON)[2], "reasoning")
    assert "Found nothing that helps. Nothing about it." in chain
    assert f"Search: {FILM.upper()}\nNot searched again: what it found stands above." in chain
    assert "Search: Ode to My Father\nNot searched: no search was left." in chain
    assert [told(messages, "left").startswith("No search is left") for messages in asked(run, REASON)] == [
        False, False, True,
    ]  # fmt: skip
    drawn = [
        one["why_not"]
        for thought in reasoning_data(run.find(Thought), Scene(run))
        for one in thought["searches"]
    ]
    assert [bool(why) for why in drawn] == [False, False, True, False, True, True]


@pytest.mark.parametrize("read", [True, False])
def test_passages_are_read_into_the_chain_or_stand_in_it(
    bench: Workbench, scripted: ScriptedServer, read: bool
) -> None:
    scripted.script(*two_hops())
    run = ask(bench, read=read)
    assert run.state == "finished", run.error
    assert bool(run.find(SubAnswer)) == read
    assert ("read" in {step.node for step in run.steps}) == read
    chain = told(asked(run, REASON)[-1], "reasoning")
    assert run.context is not None
    for number, item in enumerate(run.context.passages, 1):
        framed = f'<passage number="{number}">\n{item.passage.title}\n'
        assert chain.count(framed) == int(not read), "each once, where it is first found"
    assert run.totals.calls == (5 if read else 3)


@pytest.mark.parametrize(
    ("rules", "ends", "thoughts"),
    [
        ([piece("Hm.", times=None)], "for the second time", 2),
        ([piece("Hm.", FILM, times=None)], "for the second time", 3),
        ([piece("A.", FILM), piece("B.", WESTERN), piece("C.", "Full Moon High", times=None)], "no search was left", 3),
    ],
)  # fmt: skip
def test_a_chain_without_an_answer_ends_and_all_passages_are_read(
    bench: Workbench, scripted: ScriptedServer, rules: list[Rule], ends: str, thoughts: int
) -> None:
    scripted.script(
        *(rule.model_copy() for rule in rules), Rule(skill="read", reply="He did [1].\n\nFurie [1]")
    )
    run = ask(bench, max_searches=2)
    assert run.state == "finished", run.error
    made = run.find(Thought)
    assert len(made) == thoughts
    assert ends in made[-1].ends
    assert run.answer is not None
    assert "The chain ended without an answer" in run.answer.note
    assert run.answer.abstained == (not run.find(Ranking))
    strategy = get_strategy(KEY)
    params = strategy.parse({"max_searches": 2})
    most = strategy.forecast(params, methods_in_force(strategy.skills, CAPABLE, {})).calls_most
    assert run.totals.calls <= most + len([call for call in run.calls if call.skill == REASON])


def test_a_thought_that_cannot_be_read_fails_with_a_sentence(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill=REASON, reply="no JSON at all"))
    run = ask(bench)
    assert run.state == "failed"
    assert run.error.startswith("The model “scripted” twice gave a reply without the form asked for")
    assert run.error.endswith(
        "No other method can do this step (“Think on”). Try again, or choose another model."
    )
    assert run.totals.replaced == 0


def test_an_answer_without_a_search_says_so(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(piece("Two and two.", answer="4"))
    run = ask(bench, "What is 2 + 2?")
    assert run.answer is not None
    assert run.answer.text == "4"
    assert "nothing was looked up" in run.answer.note
    assert run.context is not None
    assert run.context.passages == ()


def test_the_evidence_is_capped_and_it_is_said(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(*two_hops())
    run = ask(bench, context_size=5)
    assert run.context is not None
    assert len(run.context.passages) == 5
    assert "5 passages are the most" in run.context.note
    assert told(asked(run, REASON)[-1], "left").startswith("No search is left")


def test_what_was_read_and_what_is_searched_can_be_changed(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(*two_hops())
    run = ask(bench)
    assert run.started is not None
    step, digest = next(pair for pair in run.artefacts if isinstance(pair[1], SubAnswer))
    assert isinstance(digest, SubAnswer)
    new = with_answer(digest, "It was Henry S. Kesler [1].")
    forked = record(bench.launcher.fork(run.started.run, step.id, new, "you").result(60))
    assert "Found: It was Henry S. Kesler [1]." in told(asked(forked, REASON)[-1], "reasoning")

    step, thought = next(pair for pair in run.artefacts if isinstance(pair[1], Thought) and pair[1].answer)
    assert isinstance(thought, Thought)
    asking = with_searches(thought, "Not yet.", "Full Moon High\nOde to My Father", "")
    forked = record(bench.launcher.fork(run.started.run, step.id, asking, "you").result(60))
    assert [ranking.query for ranking in forked.find(Ranking)][2:] == ["Full Moon High", "Ode to My Father"]
    assert forked.answer is not None
    with pytest.raises(InputError, match="searches or answers"):
        with_searches(thought, "Both.", "Full Moon High", "He did.")


def test_the_built_in_model_is_not_asked(bench: Workbench) -> None:
    offline = open_bench(bench.settings.rag_loupe_home)
    with pytest.raises(InputError, match="Reasoning with search needs a model that reasons"):
        offline.launcher.start(RunRequest(QUESTION, KEY, corpus=CORPUS))
    offline.backends.supervisor.release()
