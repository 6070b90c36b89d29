"""KG-RAG: real graph database, real Chroma, real embeddings, a scripted endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.cards.kinds.evidence import with_given
from core.cards.kinds.exploration import with_steps
from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import import_file
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.trace.artefacts import Candidates, Context, GraphPath, Plan
from tests.bench import leave, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

_, _, NATIVE, WIKIDATA, PAPER = (demo.name for demo in DEMO_GRAPHS)
MOVIES = "Part of MetaQA"
"""Its first films: embedding all of its names takes half a minute."""
FILMS = 100
QUESTION = "Which former husband of Elizabeth Taylor died in Chichester?"
COMPUTED = {
    "plan_exploration": "template",
    "select": "embedding",
    "judge_path": "embedding",
    "answer_path": "end of path",
}
PLANS, CHOICES, VERDICTS, ANSWERS = "plan_exploration", "select", "judge_path", "answer_path"
STEPS = [
    {"explore": "nodes", "text": "Elizabeth Taylor"},
    {"explore": "relationships", "text": "married"},
    {"explore": "relationships", "text": "died in"},
]


@pytest.fixture(scope="module")
def bench(
    scripted_server: ScriptedServer, homes: Homes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    bench = open_bench(homes.demo(), scripted_server)
    part = tmp_path_factory.mktemp("files") / "part.tsv"
    lines = DEMO_GRAPHS[1].file.read_text(encoding="utf-8").splitlines(keepends=True)
    part.write_text("".join(lines[:FILMS]), encoding="utf-8")
    import_file(bench.graphs.graphs, part, MOVIES, subjects=DEMO_GRAPHS[1].subjects, by=None)
    yield bench
    leave(bench)


def ask(
    bench: Workbench, question: str = QUESTION, graph: str = PAPER, computed: bool = False, **params: Any
) -> Record:
    request = RunRequest(
        question, "kg-rag", graph=graph, params=params, methods=COMPUTED if computed else {}, owner="you"
    )
    run = record(bench.launcher.start(request).result(120))
    assert run.state == "finished", run.error
    return run


def verdict(word: str, **more: Any) -> Rule:
    return Rule(skill=VERDICTS, reply=json.dumps({"verdict": word, "reason": f"I say {word}."}), **more)


def planned(steps: list[dict[str, str]] = STEPS) -> Rule:
    return Rule(skill=PLANS, reply=json.dumps({"steps": steps}))


def chosen(*ids: str) -> Rule:
    return Rule(skill=CHOICES, reply=json.dumps({"chosen": list(ids)}))


def test_the_paper_s_question_without_a_model(bench: Workbench) -> None:
    run = ask(bench, computed=True)
    assert run.answer is not None
    assert run.answer.text == "Michael Wilding"
    assert run.totals.calls == 0
    path = run.find(GraphPath)[-1]
    assert [(t.subject, t.relation, t.object) for t in path.triples] == [
        ("Elizabeth Taylor", "married", "Michael Wilding"),
        ("Michael Wilding", "died in", "Chichester, West Sussex"),
    ]
    assert all(triple.quote for triple in path.triples)
    assert run.context is not None
    assert {citation.chunk for citation in run.answer.citations} <= {
        item.passage.chunk for item in run.context.passages
    }
    assert "at most 3 hops" in run.find(Plan)[0].note
    plain = ask(bench, computed=True, hypernodes=False)
    assert plain.answer is not None
    assert plain.answer.text == "Michael Wilding"
    assert not any(triple.hypernode for path in plain.find(GraphPath) for triple in path.triples)
    count = [sum(len(c.candidates) + c.left_out for c in r.find(Candidates)[1:]) for r in (run, plain)]
    assert count[0] > count[1]


def test_a_date_is_found_through_a_hypernode_only(bench: Workbench) -> None:
    question = "Since when is Family Guy broadcast by Fox?"
    run = ask(bench, question, computed=True)
    assert run.answer is not None
    assert run.answer.text == "1999"
    triple = next(triple for triple in run.find(GraphPath)[-1].triples if triple.object == "1999")
    assert triple.hypernode
    assert "since 1999" in triple.quote
    other = ask(bench, question, computed=True, hypernodes=False)
    assert other.answer is not None
    assert other.answer.text != "1999"


@pytest.mark.parametrize(
    ("graph", "question", "answer"),
    [
        (MOVIES, "what is a film directed by Tatia Rosenthal", "$9.99"),
        (MOVIES, "WHAT IS A FILM DIRECTED BY TATIA ROSENTHAL", "$9.99"),
        (NATIVE, "Who directed The Matrix?", "Wachowski"),
        (WIKIDATA, "Who is the sibling of Abaqa Khan?", "Tekuder"),
    ],
)
def test_the_graphs_that_come_with_the_app(bench: Workbench, graph: str, question: str, answer: str) -> None:
    run = ask(bench, question, graph, computed=True)
    assert run.answer is not None
    assert answer in run.answer.text
    (step, *_) = run.find(Candidates)
    assert step.candidates[0].chosen
    assert run.find(Candidates)[1].cypher.startswith(("UNWIND", "MATCH"))


def test_a_question_that_names_nothing_of_the_graph_ends(bench: Workbench) -> None:
    run = ask(bench, "무엇이 사랑인가?", computed=True)
    assert run.answer is not None
    assert "nearest in meaning" in run.find(Candidates)[0].note


def test_a_model_plans_chooses_judges_and_answers(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        planned(), chosen("1"), verdict("continue", times=1), verdict("respond"),
        Rule(skill=ANSWERS, reply="It was Michael Wilding [1]."),
    )  # fmt: skip
    run = ask(bench)
    first, *others = run.find(GraphPath)
    assert [path.verdict for path in (first, *others)] == ["continue", "continue", "respond"]
    assert (first.nodes, "no model" in first.note) == (("Elizabeth Taylor",), True)  # nothing to judge yet
    steps = run.find(Candidates)
    assert [step.explore for step in steps] == ["nodes", "relationships", "relationships"]
    assert "word for word" in steps[0].note
    assert steps[1].candidates[0].label == "Elizabeth Taylor —married→ ●"
    assert steps[1].candidates[0].leads == ("Conrad Hilton Jr.", "Eddie Fisher", "John Warner")
    assert all(sum(item.chosen for item in step.candidates) == 1 for step in steps)
    assert run.answer is not None
    assert run.answer.citations
    assert run.totals.calls == run.totals.rounds == 6
    strategy = get_strategy("kg-rag")
    forecast = strategy.forecast(strategy.params(), methods_in_force(strategy.skills, CAPABLE, {}))
    assert forecast.calls_expected == run.totals.calls


def test_a_verdict_is_told_what_was_done_and_a_choice_where_it_leads(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(planned(), chosen("1"), verdict("continue"))
    run = ask(bench)
    offered, _ = (seen["candidates"] for seen in scripted.told_to(CHOICES))
    assert re.search(
        r"^\[\d+\] Elizabeth Taylor —married→ \w.* · \w.* · \w.* · … \(7 nodes\)$", offered, re.M
    )
    assert not re.search("●", offered)
    one, two = scripted.told_to(VERDICTS)
    assert "1 step is left" in one["left"]
    assert "none is left" in two["left"]
    assert "(next) relationships: died in" in one["plan"]
    assert one["start"] == two["start"] == "Elizabeth Taylor"
    assert one["chose"].startswith("Elizabeth Taylor —married→ Conrad Hilton Jr. · ")
    assert "Elizabeth Taylor —married→ Michael Wilding" in one["path"]
    assert " · Michael Wilding · " in one["nodes"]
    # The triples of the first hop are still known where only some of them led on.
    assert set(one["path"].splitlines()) < set(two["path"].splitlines())
    assert run.find(GraphPath)[-1].verdict == "respond"


def test_what_a_branch_has_found_stays_known_while_the_other_is_followed(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        planned(
            [
                {"explore": "nodes", "text": "Family Guy"},
                {"explore": "relationships", "text": "broadcast by"},
                {"explore": "nodes", "text": "Elizabeth Taylor"},
                {"explore": "relationships", "text": "married"},
                {"explore": "relationships", "text": "died in"},
            ]
        ),
        chosen("1"),
        verdict("continue"),
        Rule(skill=ANSWERS, reply="Both [1]."),
    )
    run = ask(bench)
    subjects = {triple.subject for triple in run.find(GraphPath)[-1].triples}
    assert subjects >= {"Family Guy", "Elizabeth Taylor", "Michael Wilding"}
    (told,) = scripted.told_to(ANSWERS)
    assert "Family Guy —broadcast by→ Fox" in told["context"]
    assert "Michael Wilding —died in→ Chichester, West Sussex" in told["context"]
    assert run.totals.calls <= 12
    assert len(run.find(Plan)) == 1


def test_nodes_named_in_two_steps_are_followed_side_by_side(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    steps = [
        {"explore": "nodes", "text": "Michael Wilding"},
        {"explore": "nodes", "text": "Mike Todd"},
        {"explore": "relationships", "text": "died in"},
    ]
    both = Rule(skill=CHOICES, reply='{"chosen": ["1", "2"]}')
    scripted.script(planned(steps), both, verdict("respond"), Rule(skill=ANSWERS, reply="Both [1][2]."))
    run = ask(bench)
    assert {triple.object for triple in run.find(GraphPath)[-1].triples} == {
        "Chichester, West Sussex",
        "Grants, New Mexico",
    }
    assert run.totals.calls == 4


def test_ways_that_have_met_go_on_as_one(bench: Workbench, scripted: ScriptedServer) -> None:
    steps = [
        {"explore": "nodes", "text": "Michael Wilding, Mike Todd"},
        {"explore": "relationships", "text": "married"},
        {"explore": "relationships", "text": "voices"},
    ]
    scripted.script(
        planned(steps),
        Rule(skill=CHOICES, told={"step": "married"}, reply='{"chosen": ["1", "2", "3", "4", "5"]}'),
        chosen("1"),
        verdict("continue"),
    )
    offered = [step.candidates for step in ask(bench).find(Candidates)]
    met = [one for one in offered[1] if one.chosen and one.leads == ("Elizabeth Taylor",)]
    assert {one.start for one in met} == {"Michael Wilding", "Mike Todd"}
    on = [(one.relation, one.inverse) for one in offered[2] if one.sources == ("Elizabeth Taylor",)]
    assert len(on) == len(set(on)) > 1
    assert offered[2][0].label.startswith("Michael Wilding · Mike Todd ←married— ")


@pytest.mark.parametrize("last", [False, True])
def test_a_dead_end_is_a_new_plan_and_no_answer(
    bench: Workbench, scripted: ScriptedServer, last: bool
) -> None:
    none = Rule(skill=CHOICES, told={"step": "died in"} if last else {}, reply='{"chosen": []}')
    scripted.script(
        planned(), none, chosen("1"), verdict("continue"), Rule(skill=ANSWERS, reply="[0] Nobody.")
    )
    run = ask(bench)
    assert [plan.attempt for plan in run.find(Plan)] == [1, 2, 3]
    refined = [path for path in run.find(GraphPath) if path.verdict == "refine"]
    assert [path.failed for path in refined] == [1, 2, 3]
    assert all("none of the relations" in path.reason and "no model" in path.note for path in refined)
    assert not any(seen["left"].count("none is left") for seen in scripted.told_to(VERDICTS))
    second = scripted.told_to(PLANS)[1]["failed"]
    assert "none of the relations" in second
    assert run.answer is not None
    assert run.answer.abstained
    assert "Limit reached" in run.answer.note
    # What was found on the way is there to be told, if anything was.
    assert ("Elizabeth Taylor —married→ Michael Wilding" in second) is last
    assert (run.context is not None) is last
    assert bool(scripted.told_to(ANSWERS)) is last


def test_refined_plans_are_new_ones_and_after_some_it_answers_from_the_last_way(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(planned(), chosen("1"), verdict("refine"), Rule(skill=ANSWERS, reply="[0] Not held."))
    run = ask(bench)
    plans = run.find(Plan)
    assert [plan.attempt for plan in plans] == [1, 2, 3]
    assert plans[1].cause == "I say refine."
    assert [path.failed for path in run.find(GraphPath) if path.verdict == "refine"] == [1, 2, 3]
    assert run.answer is not None
    assert run.answer.abstained
    assert "Limit reached" in run.answer.note
    assert run.context is not None


def test_the_last_verdict_is_spared_where_no_other_plan_may_follow(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(planned(), chosen("1"), verdict("continue"))
    run = ask(bench, tries=1)
    assert len(scripted.told_to(VERDICTS)) == 1
    assert run.find(GraphPath)[-1].verdict == "respond"


def test_names_are_taken_word_for_word_only_where_a_step_asks_for_nothing_else(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    before = 0
    for text, calls in (("Elizabeth Taylor and Mike Todd", 0), ("Elizabeth Taylor, Sir Nobody", 1)):
        scripted.script(
            planned([{"explore": "nodes", "text": text}, STEPS[1]]), chosen("1"), verdict("respond")
        )
        run = ask(bench)
        assert len(scripted.told_to(CHOICES)) - before == 1 + calls
        before += 1 + calls
        nodes = run.find(Candidates)[0].candidates
        assert [one.label for one in nodes if one.chosen] == ["Elizabeth Taylor", "Mike Todd"][: 2 - calls]


@pytest.mark.parametrize("keep", [True, False])
def test_a_new_plan_starts_again_or_keeps_the_way(
    bench: Workbench, scripted: ScriptedServer, keep: bool
) -> None:
    scripted.script(planned(), chosen("1"), verdict("refine", times=1), verdict("respond"))
    run = ask(bench, keep_path=keep)
    first, second = run.find(Plan)
    assert (second.steps[:2] == first.steps[:2]) is True
    steps = [(step.attempt, step.index) for step in run.find(Candidates)]
    assert steps == [(1, 0), (1, 1), (2, 2), (2, 3)] if keep else steps == [(1, 0), (1, 1), (2, 0), (2, 1)]


@pytest.mark.parametrize("hops", [1, 2, 4])
def test_it_ends_within_its_caps_whatever_the_model_says(
    bench: Workbench, scripted: ScriptedServer, hops: int
) -> None:
    scripted.script(
        planned([STEPS[0], *[{"explore": "relationships", "text": "married"}] * 9]),
        chosen("1", "2", "3", "4", "5", "6", "7", "8", "99"),
        verdict("continue"),
    )
    run = ask(bench, hops=hops)
    assert max(triple.hop for path in run.find(GraphPath) for triple in path.triples) <= hops
    assert run.find(GraphPath)[-1].verdict == "respond"
    assert len(run.find(Candidates)) <= 6
    assert "Not offered" in run.find(Candidates)[1].note
    assert all(sum(item.chosen for item in step.candidates) <= 5 for step in run.find(Candidates))


def test_replies_that_cannot_be_read_do_not_end_the_run(bench: Workbench, scripted: ScriptedServer) -> None:
    bad = "I would rather not."
    scripted.script(Rule(skill=f"{PLANS} {CHOICES} {VERDICTS}", reply=bad))
    run = ask(bench, hops=1)
    assert all("twice gave a reply" in step.note for step in run.find(Plan))
    assert {step.method for step in run.find(Plan)} == {"template"}
    assert {step.method for step in run.find(Candidates)} == {run.find(GraphPath)[-1].method} == {"embedding"}
    assert run.answer is not None


def test_plan_and_evidence_can_be_edited(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, computed=True)
    assert run.started is not None
    step, plan = next((s, a) for s, a in run.artefacts if isinstance(a, Plan))
    changed = with_steps(plan, "nodes: Mike Todd\nrelationships: where did Mike Todd die")
    forked = record(bench.launcher.fork(run.started.run, step.id, changed, "you").result(60))
    assert forked.state == "finished", forked.error
    assert [item.text for item in forked.find(Candidates)] == [one.text for one in changed.steps]
    assert forked.find(Candidates)[0].candidates[0].label == "Mike Todd"
    step, context = next((s, a) for s, a in run.artefacts if isinstance(a, Context))
    fewer = with_given(context, [context.passages[0].passage.chunk])
    forked = record(bench.launcher.fork(run.started.run, step.id, fewer, "you").result(60))
    assert forked.state == "finished", forked.error
    assert forked.find(GraphPath) == run.find(GraphPath)


def test_no_graph_and_an_unknown_one_are_refused(bench: Workbench) -> None:
    for graph in (None, " "):
        with pytest.raises(InputError, match="choose one first"):
            bench.launcher.start(RunRequest(QUESTION, "kg-rag", graph=graph))
    with pytest.raises(InputError, match="no graph named “nope”"):
        bench.launcher.start(RunRequest(QUESTION, "kg-rag", graph="nope"))


def test_the_index_is_made_once(bench: Workbench) -> None:
    ask(bench, computed=True)
    job = bench.graphs.prepare(PAPER)
    explorer = job.result()
    assert "Indexing" not in job.message
    assert explorer.index.current
