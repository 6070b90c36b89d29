"""Corrective RAG on each of its ways: real graph, Chroma and embeddings, a scripted endpoint."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from core.cards.kinds.grades import with_verdict
from core.cards.kinds.refinement import with_strips
from core.errors import InputError
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.trace.artefacts import Answer, Context, Grade, Ranking, Refinement, Rewrite
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import at_once
from tests.servers.parts_of_a_run import nodes, of

QUESTION = "Who directed A Dangerous Age?"
EVALUATE, REWRITE = "evaluate_passage", "rewrite_question"
OTHER = '{"question": "A Dangerous Age 1957 film director"}'


def holds(verdict: str, *sentences: object, title: str = "") -> Rule:
    reply = json.dumps({"reason": "So it is.", "verdict": verdict, "sentences": sentences})
    return Rule(skill=EVALUATE, told={"passage": f"^{re.escape(title)}"}, reply=reply)


NOTHING, FIRST = holds("no"), "A Dangerous Age"
ELSEWHERE = holds("partly", 1).model_copy(update={"told": {"searched": r"^[^(]"}})
"""What is found with other words than the question."""


def ask(bench: Workbench, question: str = QUESTION, **options: Any) -> Record:
    """A run to its end, which is never beyond what was forecast."""
    run = record(
        bench.launcher.start(RunRequest(question, "corrective", corpus=CORPUS, **options)).result(60)
    )
    assert run.state == "finished", run.error
    strategy = get_strategy("corrective")
    methods = methods_in_force(strategy.skills, CAPABLE, options.get("methods", {}))
    forecast = strategy.forecast(strategy.parse(options.get("params", {})), methods)
    tries = [call for call in run.calls if call.retry is None]
    assert len(tries) <= forecast.calls_most
    assert run.totals.rounds <= forecast.rounds_most or len(tries) < len(run.calls)
    return run


def verdict(run: Record) -> str:
    (found,) = (grade for grade in run.find(Grade) if grade.what == "Search")
    return found.verdict


def given(run: Record) -> list[str]:
    assert run.context is not None
    return [item.passage.chunk for item in run.context.passages if item.given]


def test_correct_is_refined_in_two_rounds(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.delay = 0.2
    scripted.script(holds("yes", 1, title=FIRST), holds("partly", 2, 99), NOTHING)
    run = ask(bench, params={"k": 3})
    assert nodes(run) == ["retrieve", "grade", "judge", "refine", "evidence", "answer"]
    assert (verdict(run), run.totals.calls, run.totals.rounds) == ("correct", 4, 2)
    assert at_once(of(run, EVALUATE))
    (refinement,) = run.find(Refinement)
    kept = [[strip.kept for strip in one.strips] for one in refinement.passages]
    assert kept[0] == [True, *[False] * (len(kept[0]) - 1)]
    assert all(flags.index(True) == 1 and sum(flags) == 1 for flags in kept[1:])
    assert run.context is not None
    first = run.context.passages[0].passage
    whole = run.find(Ranking)[0].hits[0].passage
    assert first.text == refinement.passages[0].strips[0].text
    assert whole.text.startswith(first.text)
    assert list(first.left_out) == [strip.text for strip in refinement.passages[0].strips[1:]]
    # The model reads the strips that are kept, and none that is left out.
    read = told(of(run, "answer")[0].messages, "context")
    assert first.text in read
    assert not any(strip in read for strip in first.left_out)
    strategy = get_strategy("corrective")
    forecast = strategy.forecast(strategy.params(), methods_in_force(strategy.skills, CAPABLE, {}))
    assert (forecast.rounds, forecast.calls_expected, forecast.calls_most) == (2, 7, 14)


def test_incorrect_looks_elsewhere_with_other_words(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(ELSEWHERE, NOTHING, Rule(skill=REWRITE, reply=OTHER))
    run = ask(bench, params={"k": 2})
    assert nodes(run) == [
        "retrieve", "grade", "judge", "rewrite", "elsewhere", "grade_elsewhere", "refine", "evidence", "answer",
    ]  # fmt: skip
    assert (verdict(run), run.totals.calls, run.totals.rounds) == ("incorrect", 6, 4)
    first, second = run.find(Ranking)
    assert (second.retriever, second.query) == ("linked", json.loads(OTHER)["question"])
    refused = {hit.passage.chunk for hit in first.used}
    assert not refused & {hit.passage.chunk for hit in second.hits}
    assert "had been judged" in second.note
    assert given(run) == [hit.passage.chunk for hit in second.used]
    assert run.context is not None
    assert run.context.passages[0].source == "linked search"
    (refinement,) = run.find(Refinement)
    assert [[strip.kept for strip in one.strips].count(True) for one in refinement.passages] == [1, 1]
    assert run.context.passages[0].passage.text == refinement.passages[0].strips[0].text
    assert refused <= {item.passage.chunk for item in run.context.passages if not item.given}
    asked = of(run, REWRITE)[0].messages
    assert told(asked, "tried") == f"- {QUESTION}"
    assert told(asked, "cause") == "a search that found nothing of the answer."


def test_ambiguous_does_both(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(ELSEWHERE, holds("partly", 1, title=FIRST), NOTHING, Rule(skill=REWRITE, reply=OTHER))
    run = ask(bench)
    assert verdict(run) == "ambiguous"
    assert nodes(run)[3:5] in (["refine", "rewrite"], ["rewrite", "refine"])
    assert nodes(run)[5:] == ["elsewhere", "grade_elsewhere", "refine", "evidence", "answer"], (
        "it waits for both"
    )
    assert run.totals.rounds == 4
    first, second = run.find(Ranking)
    assert given(run) == [first.hits[0].passage.chunk, *(hit.passage.chunk for hit in second.used)]
    assert len(given(run)) == len(set(given(run))) == 7
    # What is known already is told to whoever words the search.
    asked = of(run, REWRITE)[0].messages
    assert told(asked, "draft") == run.find(Refinement)[0].passages[0].strips[0].text
    assert told(asked, "found") == f"- {FIRST}: So it is."
    assert told(of(run, EVALUATE)[-1].messages, "searched") == json.loads(OTHER)["question"]
    without = ask(bench, params={"rewrite": False})
    assert (without.find(Rewrite), without.totals.rounds) == ([], 3)
    assert without.find(Ranking)[1].query == QUESTION


@pytest.mark.parametrize("reply", ["no JSON", '{"verdict": "maybe"}', "{}"])
def test_what_cannot_be_read_is_judged_by_nearness(
    bench: Workbench, scripted: ScriptedServer, reply: str
) -> None:
    scripted.script(Rule(skill=EVALUATE, reply=reply))
    run = ask(bench, params={"k": 2})
    grades = [grade for grade in run.find(Grade) if grade.what == "Holds"]
    assert {grade.method for grade in grades} == {"embedding"}
    assert all(grade.score is not None for grade in grades)
    assert all("twice gave a reply without the form asked for" in grade.note for grade in grades)
    assert run.totals.replaced == len(grades)


def test_numbers_of_sentences_are_read_whatever_they_look_like(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(holds("Yes.", "1", 0, -3, 1e9, "two", None))
    run = ask(bench, params={"k": 1})
    (one,) = run.find(Refinement)[0].passages
    assert [strip.kept for strip in one.strips].count(True) == 1
    assert one.strips[0].kept


def test_memory_answers_where_nothing_was_found(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(NOTHING, Rule(skill="recall", reply="Sidney J. Furie."))
    run = ask(bench, params={"elsewhere": "memory"})
    assert nodes(run) == ["retrieve", "grade", "judge", "elsewhere", "evidence", "answer"]
    assert run.totals.rounds == 2
    assert run.answer is not None
    assert (run.answer.text, run.answer.citations) == ("Sidney J. Furie.", ())
    assert "judged incorrect. Nothing was looked up" in run.answer.note
    assert given(run) == []
    assert [answer.final for answer in run.find(Answer)] == [False, True]


@pytest.mark.parametrize("held", [True, False])
def test_memory_speaks_only_where_the_passages_do_not(
    bench: Workbench, scripted: ScriptedServer, held: bool
) -> None:
    reply = "Furie [1]." if held else "[0] They do not say."
    scripted.script(
        holds("partly", 1, title=FIRST), NOTHING,
        Rule(skill="recall", reply="From memory."), Rule(skill="answer", reply=reply),
    )  # fmt: skip
    run = ask(bench, params={"elsewhere": "memory"})
    assert run.answer is not None
    assert run.answer.text == ("Furie [1]." if held else "From memory.")
    assert ("The passages do not hold the answer." in run.answer.note) is not held


def test_nowhere_else_to_look(bench: Workbench, scripted: ScriptedServer, homes: Homes) -> None:
    alone = open_bench(homes.new(), scripted)
    alone.corpora.index([("only.md", b"# Otters\n\nOtters swim.")], CORPUS).result()
    scripted.script(NOTHING)
    run = ask(alone, "Do otters swim?")
    assert run.answer is not None
    assert run.answer.abstained
    assert "nothing else" in run.answer.text
    assert not of(run, "answer")
    alone.backends.supervisor.release()


def test_another_corpus(bench: Workbench, scripted: ScriptedServer, homes: Homes) -> None:
    two = open_bench(homes.new(), scripted)
    two.corpora.index([("a.md", b"# Badgers\n\nBadgers dig.")], CORPUS).result()
    two.corpora.index([("b.md", b"# Otters\n\nOtters swim in rivers.")], "Elsewhere").result()
    scripted.script(ELSEWHERE, NOTHING, Rule(skill=REWRITE, reply='{"question": "otters rivers"}'))
    run = ask(two, "Do otters swim?", params={"elsewhere": "corpus", "corpus": "Elsewhere"})
    assert run.context is not None
    (found,) = [item for item in run.context.passages if item.given]
    assert (found.passage.title, found.source) == ("Otters", "a search in “Elsewhere”")
    with pytest.raises(InputError, match="choose it among the parameters"):
        ask(two, params={"elsewhere": "corpus"})
    with pytest.raises(InputError, match="Nowhere"):
        ask(two, params={"elsewhere": "corpus", "corpus": "Nowhere"})
    two.backends.supervisor.release()


def test_at_the_cap_on_calls_it_stops_and_keeps_what_it_has(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(holds("partly", 1))
    for calls in (2, 6, 7):
        capped = open_bench(bench.settings.rag_loupe_home, scripted, max_calls=calls)
        run = record(capped.launcher.start(RunRequest(QUESTION, "corrective", corpus=CORPUS)).result(60))
        assert run.state == "stopped"
        assert run.totals.calls == calls
        assert bool(run.find(Refinement)) is (calls >= 6)
        whole = bench.launcher.resume(run.started.run if run.started else "", "").result(60)
        assert record(whole).state == "finished"


def test_a_changed_grade_or_verdict_leads_another_way(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(NOTHING, Rule(skill=REWRITE, reply=OTHER))
    run = ask(bench, params={"k": 3})
    assert verdict(run) == "incorrect"
    pairs = [(step, one) for step, one in run.artefacts if isinstance(one, Grade)]

    def fork(place: int, to: str) -> Record:
        step, one = pairs[place]
        new = with_verdict(one, to)
        job = bench.launcher.fork(run.started.run if run.started else "", step.id, new, "")
        return record(job.result(60))

    second = fork(1, "yes")  # of several grades, this one
    assert verdict(second) == "correct"
    grades = [grade.verdict for grade in second.find(Grade)]
    assert grades == ["no", "yes", "no", "correct"]
    assert given(second) == [pairs[1][1].passage.chunk if pairs[1][1].passage else ""]
    assert "elsewhere" not in nodes(second)
    both = fork(3, "ambiguous")
    assert {"refine", "rewrite", "elsewhere"} <= set(nodes(both))
    assert nodes(both).count("evidence") == 1


def test_a_strip_that_is_put_back_is_read(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(holds("partly", 1), Rule(skill=REWRITE, reply=OTHER))
    run = ask(bench)
    step, before = next(pair for pair in run.artefacts if isinstance(pair[1], Refinement))
    assert isinstance(before, Refinement)
    one = next(one for one in before.passages if len(one.strips) > 1)
    new = with_strips(before, {(one.passage.chunk, 1)})
    job = bench.launcher.fork(run.started.run if run.started else "", step.id, new, "")
    forked = record(job.result(60))
    assert forked.state == "finished", forked.error
    assert nodes(forked).count("evidence") == 1
    assert forked.context is not None
    first = forked.context.passages[0].passage
    assert (first.chunk, first.text) == (one.passage.chunk, one.strips[1].text)
    assert one.strips[0].text in first.left_out
    assert len(given(forked)) == 7, "the others are given by no search any more, and six are from elsewhere"


def test_the_built_in_model(bench: Workbench) -> None:
    offline = open_bench(bench.settings.rag_loupe_home)
    options: dict[str, Any] = {"corpus": CORPUS, "params": {"rewrite": False}}
    run = record(offline.launcher.start(RunRequest(QUESTION, "corrective", **options)).result(120))
    offline.backends.supervisor.release()
    assert run.state == "finished", run.error
    assert run.totals.calls == 0
    grades = [grade for grade in run.find(Grade) if grade.what == "Holds"]
    assert all(grade.thresholds == (0.43, 0.66) for grade in grades)
    for grade in grades:
        assert grade.score is not None
        assert grade.verdict == ("yes" if grade.score >= 0.66 else "partly" if grade.score >= 0.43 else "no")
    assert run.answer is not None
    assert "Furie" in run.answer.text
    assert run.find(Context)
