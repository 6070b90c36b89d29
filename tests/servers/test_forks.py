"""Change what a step made and run on: real checkpoints on disk, the scripted endpoint, also after a restart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.cards.kinds import KINDS
from core.cards.kinds.chain import with_answer
from core.cards.kinds.evidence import with_given
from core.cards.kinds.grades import VERDICTS, with_verdict
from core.cards.kinds.queries import with_queries
from core.cards.kinds.refinement import with_strips
from core.cards.kinds.route import with_way
from core.cards.kinds.thought import with_thought
from core.errors import InputError
from core.runs.record import Record, Step, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import (
    AnyArtefact,
    Artefact,
    Context,
    Fusion,
    Grade,
    HypotheticalDocuments,
    Queries,
    Query,
    Ranking,
    Refinement,
    Rewrite,
    Route,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
)
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer, told

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.indexed(), scripted_server, model_attempts=1)
    yield bench
    bench.backends.supervisor.release()


def ask(bench: Workbench, strategy: str = "rag-fusion") -> Record:
    run = record(bench.launcher.start(RunRequest(QUESTION, strategy, corpus=CORPUS, owner="me")).result(60))
    assert run.state == "finished", run.error
    return run


def made(run: Record, kind: type[Artefact]) -> tuple[Step, AnyArtefact]:
    return next((step, artefact) for step, artefact in run.artefacts if isinstance(artefact, kind))


def other_queries(queries: AnyArtefact, *texts: str) -> Queries:
    assert isinstance(queries, Queries)
    extra = tuple(Query(text=text, origin="user") for text in texts)
    return queries.model_copy(update={"queries": (queries.queries[0], *extra)})


def fork(bench: Workbench, run: Record, step: Step, artefact: AnyArtefact) -> Record:
    assert run.started is not None
    job = bench.launcher.fork(run.started.run, step.id, artefact, "you")
    done = record(job.result(60))
    assert bench.store.events(job.run) == job.events
    assert [event.seq for event in job.events] == list(range(len(job.events)))
    assert [event.at for event in job.events] == sorted(event.at for event in job.events)
    return done


def test_edited_queries_are_searched_and_nothing_before_is_done_again(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    run = ask(bench)
    scripted.script(Rule(skill="answer", reply="Another answer [1]."))
    asked = len(scripted.requests)
    step, queries = made(run, Queries)
    forked = fork(bench, run, step, other_queries(queries, "silent film of 1915", "Henry S. Kesler"))
    assert forked.state == "finished", forked.error
    assert run.started is not None
    assert forked.started is not None
    assert forked.started.parent == run.started.run
    assert forked.started.run != run.started.run
    assert len(scripted.requests) == asked + 1
    assert [ranking.query for ranking in forked.find(Ranking)] == [
        QUESTION, "silent film of 1915", "Henry S. Kesler",
    ]  # fmt: skip
    assert forked.fork is not None
    assert forked.fork.before == queries
    assert forked.fork.after == forked.find(Queries)[0]
    assert forked.answer is not None
    assert forked.answer.text == "Another answer [1]."
    assert (forked.totals.calls, forked.totals.rounds) == (1, 1)
    assert (forked.steps[0].start, forked.steps[0].end) == (run.steps[0].start, run.steps[0].end)
    assert len(forked.calls) == 2
    assert [step.node for step in forked.steps] == ["queries", *["retrieve"] * 3, "fuse", "answer"]
    # The parent is as it was.
    assert record(bench.store.events(run.started.run)) == run
    assert bench.store.entry(forked.started.run).owner == "you"


def test_an_edited_context_is_what_the_answer_is_given(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench)
    step, context = made(run, Context)
    assert isinstance(context, Context)
    only = context.passages[-1].model_copy(update={"rank": 1, "given": True})
    forked = fork(bench, run, step, context.model_copy(update={"passages": (only,)}))
    read = told(scripted.requests[-1]["body"]["messages"], "context")
    assert only.passage.text in read
    assert context.passages[0].passage.text not in read
    assert forked.context is not None
    assert [item.passage.chunk for item in forked.context.passages] == [only.passage.chunk]
    assert forked.find(Fusion) == run.find(Fusion)


def user_edit(artefact: AnyArtefact, *values: str) -> AnyArtefact:
    """The artefact with these values in the fields of its form."""
    edit = KINDS[artefact.kind].edit
    assert edit
    return edit.change(artefact, values)


def changed(artefact: AnyArtefact) -> AnyArtefact:
    """The artefact, edited as a user could."""
    match artefact:
        case Queries():
            return with_queries(artefact, f"{artefact.queries[0].text}\nsilent film of 1915")
        case SubQuestions():
            return user_edit(artefact, "Which film is it?\nWho made it?")
        case SubAnswer():
            return with_answer(artefact, "It was Henry S. Kesler.")
        case Thought():
            return with_thought(artefact, "It was Henry S. Kesler.")
        case StepBack():
            return user_edit(artefact, "Who directs silent films?")
        case HypotheticalDocuments():
            return user_edit(artefact, *["A film of 1915."] * len(artefact.texts))
        case Route():
            return with_way(artefact, "one-search")
        case Rewrite():
            return user_edit(artefact, "silent film of 1915")
        case Grade():
            return with_verdict(artefact, next(v for v in VERDICTS[artefact.what] if v != artefact.verdict))
        case Refinement():
            return with_strips(artefact, {(artefact.passages[0].passage.chunk, 0)})
        case Context():
            return with_given(artefact, [artefact.passages[-1].passage.chunk])
    raise AssertionError(artefact.kind)


@pytest.mark.parametrize(
    "strategy",
    [key for key, found in strategies().items() if not found.explores and found.retrieves and key != "plain"],
)
def test_everything_that_can_be_edited_leads_on(
    bench: Workbench, scripted: ScriptedServer, strategy: str
) -> None:
    run = ask(bench, strategy)
    tried = set()
    for step, artefact in run.artefacts:
        what = getattr(artefact, "what", artefact.kind)
        last_context = isinstance(artefact, Context) and artefact is not run.context
        if artefact.channel is None or what in tried or last_context:
            continue
        tried.add(what)
        asked = len(scripted.requests)
        new = changed(artefact)
        forked = fork(bench, run, step, new)
        assert forked.state == "finished", (artefact.kind, forked.error)
        assert forked.fork is not None
        assert forked.fork.after == new
        assert forked.answer is not None
        made_here = [call for call in forked.calls if not call.inherited]
        assert len(scripted.requests) - asked == len(made_here), artefact.kind
        before = [item.id for item in run.steps if item.layer <= step.layer]
        assert [item.id for item in forked.steps[: len(before)]] == before
    assert tried


def test_an_edited_thought_is_what_is_searched_next(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill="think", reply="A Dangerous Age is a 1958 film.", times=1),
        Rule(skill="think", reply="Brass Buttons is a western.", times=1),
        Rule(skill="think", reply="So the answer is: Sidney J. Furie."),
    )
    run = ask(bench, "ircot")
    (step, first), (_, second), (end, last) = (pair for pair in run.artefacts if isinstance(pair[1], Thought))
    assert isinstance(first, Thought)
    assert isinstance(last, Thought)

    forked = fork(bench, run, step, with_thought(first, "Henry S. Kesler directed a film."))
    queries = [ranking.query for ranking in forked.find(Ranking)]
    assert queries == [QUESTION, "Henry S. Kesler directed a film."]  # the next thought ends the chain
    texts = [thought.text for thought in forked.find(Thought)]
    assert texts == [queries[1], "So the answer is: Sidney J. Furie."]
    thoughts = told(next(call for call in forked.calls if not call.inherited).messages, "thoughts")
    assert queries[1] in thoughts
    assert first.text not in thoughts
    found = {hit.passage.chunk for hit in forked.find(Ranking)[1].used}
    assert forked.context is not None
    assert {passage.chunk for passage in forked.context.brought_in(first.source)} <= found

    # The sentence that gave the answer, made one that does not: the chain goes on from it.
    longer = fork(bench, run, end, with_thought(last, "Full Moon High is a comedy."))
    assert [ranking.query for ranking in longer.find(Ranking)] == [
        QUESTION, first.text, "Brass Buttons is a western.", "Full Moon High is a comedy.",
    ]  # fmt: skip
    # And the other way round: an answer is not searched with.
    shorter = fork(bench, run, step, with_thought(first, "So the answer is: nobody."))
    assert [ranking.query for ranking in shorter.find(Ranking)] == [QUESTION]
    assert shorter.find(Thought)[-1].ends
    assert second in run.find(Thought)


def test_an_edited_sub_answer_leaves_no_stale_copy(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, "decomposition-independent")
    step, answer = [pair for pair in run.artefacts if isinstance(pair[1], SubAnswer)][1]
    assert isinstance(answer, SubAnswer)
    forked = fork(bench, run, step, with_answer(answer, "It was nobody."))
    answers = forked.find(SubAnswer)
    assert [item.index for item in answers] == [item.index for item in run.find(SubAnswer)]
    assert [item.text for item in answers].count("It was nobody.") == 1
    assert scripted.requests[-1]["body"]["messages"][-1]["content"].count("It was nobody.") == 1


def test_a_fork_of_a_fork(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench)
    step, queries = made(run, Queries)
    first = fork(bench, run, step, other_queries(queries, "silent film of 1915"))
    # Of a step that the fork ran itself: its edit is in the state.
    step, context = made(first, Context)
    assert isinstance(context, Context)
    second = fork(bench, first, step, context.model_copy(update={"passages": context.passages[:1]}))
    assert second.find(Queries) == first.find(Queries)
    assert [ranking.query for ranking in second.find(Ranking)] == [QUESTION, "silent film of 1915"]
    assert second.context is not None
    assert len(second.context.passages) == 1
    # Of a step that it has from its parent: edited again.
    step, queries = made(second, Queries)
    third = fork(bench, second, step, other_queries(queries, "Henry S. Kesler"))
    assert [ranking.query for ranking in third.find(Ranking)] == [QUESTION, "Henry S. Kesler"]
    assert third.totals.calls == 1


def test_after_a_restart(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, "multi-query")
    again = open_bench(bench.settings.rag_loupe_home, scripted, model_attempts=1)
    step, queries = made(run, Queries)
    forked = fork(again, run, step, other_queries(queries, "silent film of 1915"))
    assert forked.state == "finished", forked.error
    again.backends.supervisor.release()


def test_a_fork_that_fails_can_go_on(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench)
    step, queries = made(run, Queries)
    scripted.script(Rule(skill="answer", fault="server_error"))
    failed = fork(bench, run, step, other_queries(queries, "silent film of 1915"))
    assert failed.state == "failed"
    assert failed.find(Fusion)
    scripted.script(Rule(skill="answer", reply="Now [1]."))
    assert failed.started is not None
    whole = record(bench.launcher.resume(failed.started.run, "you").result(60))
    assert whole.state == "finished", whole.error
    assert whole.fork is not None
    assert whole.answer is not None
    assert whole.answer.text == "Now [1]."


def test_what_cannot_be_edited(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench)
    assert run.started is not None
    step, fusion = made(run, Fusion)
    with pytest.raises(InputError, match="is not an input of a later step"):
        bench.launcher.fork(run.started.run, step.id, fusion, "you")
    _, queries = made(run, Queries)
    with pytest.raises(InputError, match="made nothing of the kind"):
        bench.launcher.fork(run.started.run, step.id, queries, "you")
    with pytest.raises(InputError, match="has no step"):
        bench.launcher.fork(run.started.run, "nowhere", queries, "you")
