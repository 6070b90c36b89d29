"""Self-RAG where graders are never content, or cannot be read: it ends within its caps, with the best that it has."""

from __future__ import annotations

import pytest

from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.artefacts import Answer, Context, Grade, Ranking, Rewrite
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.asking_self_rag import (
    QUESTION,
    RELEVANCE,
    REWRITE,
    SUPPORT,
    USE,
    ask,
    final,
    grade,
    verdicts,
)
from tests.servers.parts_of_a_run import nodes, of


def test_nothing_relevant_is_searched_again_with_other_words_and_then_abstained(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        grade(RELEVANCE, "no"),
        Rule(skill=REWRITE, reply='{"question": "director of A Dangerous Age"}', times=1),
        Rule(skill=REWRITE, reply='{"question": "A Dangerous Age 1957 film"}'),
    )
    run = ask(bench)
    answer = final(run)
    assert answer.abstained
    assert "even after 2 rewrites" in answer.text
    assert "Limit reached" in answer.note
    assert nodes(run).count("retrieve") == 3
    assert "generate" not in nodes(run)
    queries = [ranking.query for ranking in run.find(Ranking)]
    assert queries == [QUESTION, "director of A Dangerous Age", "A Dangerous Age 1957 film"]
    read = [len(ranking.used) for ranking in run.find(Ranking)]
    causes = zip(run.find(Rewrite), read[:2], strict=True)
    assert all(f"none of the {count} passages" in rewrite.cause for rewrite, count in causes)
    assert verdicts(run, "IsRel") == ["no"] * 12, (
        "each search brings in as many new ones, read as deep as need be"
    )
    assert read[0] == 4 < read[2]
    assert {grade.round for grade in run.find(Grade)} == {1, 2, 3}
    assert run.context is not None
    assert not any(item.given for item in run.context.passages)
    second = of(run, "rewrite_question")[1].messages
    assert told(second, "tried") == f"- {QUESTION}\n- director of A Dangerous Age"
    last = of(run, "grade_relevance")[-1].messages
    assert told(last, "question") == QUESTION, "judged is what was asked; what found it is a step on the way"
    assert told(last, "searched") == "A Dangerous Age 1957 film"


def test_everything_no(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, "yes"), grade(SUPPORT, "no"), grade(USE, 1))
    run = ask(bench)
    answer = final(run)
    # Support is repaired first, and the run ends at that cap: the question is never put differently.
    assert verdicts(run, "IsSup") == ["no"] * 3
    assert run.find(Rewrite) == []
    assert "Limit reached: at most 2 regenerations" in answer.note
    assert "IsSup no, IsUse 1 of 5" in answer.note


def test_no_cap_at_all_still_ends(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, "no"))
    run = ask(bench, params={"max_rewrites": 0, "max_regenerations": 0})
    assert final(run).abstained
    assert nodes(run) == ["retrieve", "grade_chunks", "evidence", "answer"]


def test_useful_from_is_the_users_choice(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(USE, 3))
    assert final(ask(bench, params={"useful_from": 3})).note == ""
    run = ask(bench)
    assert "Limit reached: at most 2 rewrites allowed" in final(run).note
    assert not any(grade.passes for grade in run.find(Grade) if grade.what == "IsUse")


def test_at_the_cap_the_best_draft_comes_back_with_its_own_evidence(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        grade(USE, 3, times=1), grade(USE, 1),
        Rule(skill=REWRITE, reply='{"question": "films of the year 1999"}'),
        Rule(skill="answer", reply="The best one [1].", times=1),
    )  # fmt: skip
    run = ask(bench)
    answer = final(run)
    assert answer.text == "The best one [1]."
    assert "IsSup fully, IsUse 3" in answer.note
    assert run.context == run.find(Context)[0]
    assert run.context != run.find(Context)[1]


def test_a_good_draft_outlives_a_search_that_found_nothing(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(grade(USE, 2), grade(RELEVANCE, "yes", times=4), grade(RELEVANCE, "no"))
    run = ask(bench)
    answer = final(run)
    assert not answer.abstained
    assert "Limit reached: at most 2 rewrites" in answer.note
    assert nodes(run).count("retrieve") == 3


@pytest.mark.parametrize("calls", range(1, 13))
def test_out_of_calls_it_ends_with_the_best_draft_there_is(
    bench: Workbench, scripted: ScriptedServer, calls: int
) -> None:
    scripted.script(
        grade(USE, 3, times=1), grade(USE, 1),
        Rule(skill="answer", reply="The best one [1].", times=1),
    )  # fmt: skip
    capped = open_bench(bench.settings.rag_loupe_home, scripted, max_calls=calls)
    run = record(capped.launcher.start(RunRequest(QUESTION, "self-rag", corpus=CORPUS)).result(60))
    assert run.totals.calls == calls
    assert run.context is not None or calls <= 4
    if calls < 5:  # four grades of passages, and no draft yet
        assert run.state == "stopped"
        assert f"Limit reached: the run used up its {calls} model calls" in run.error
        assert run.answer is None
        return
    answer = final(run)
    assert answer.text == "The best one [1]."
    assert f"Limit reached: the run used up its {calls} model calls" in answer.note
    assert "best draft so far of" in answer.note
    assert run.context == run.find(Context)[0]
    assert [step.state for step in run.steps[-2:]] == ["failed", "finished"]
    assert capped.store.entry(run.started.run if run.started else "").state == "finished"


def test_a_run_that_stopped_without_a_draft_goes_on_with_new_calls(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    capped = open_bench(bench.settings.rag_loupe_home, scripted, max_calls=4)
    run = capped.launcher.start(RunRequest(QUESTION, "self-rag", corpus=CORPUS, owner="me"))
    run.result(60)
    whole = record(capped.launcher.resume(run.run, "me").result(60))
    assert "Cap" not in final(whole).note
    assert whole.totals.calls == 7


def test_alternating_grades_end_within_the_caps(bench: Workbench, scripted: ScriptedServer) -> None:
    rules = []
    for _ in range(8):
        rules += [grade(SUPPORT, "no", times=1), grade(SUPPORT, "fully", times=1)]
        rules += [grade(USE, 5, times=1), grade(USE, 1, times=1)]
    scripted.script(*rules)
    run = ask(bench)
    final(run)
    assert len(run.find(Rewrite)) <= 2
    assert len(of(run, "answer_again")) <= 2


@pytest.mark.parametrize("reply", ["no JSON", '{"verdict": "maybe", "reason": ""}', "{}"])
def test_grades_that_cannot_be_read_are_given_by_other_methods(
    bench: Workbench, scripted: ScriptedServer, reply: str
) -> None:
    scripted.script(Rule(skill=f"{RELEVANCE} {SUPPORT} {USE}", reply=reply))
    run = ask(bench)
    assert final(run)
    grades = run.find(Grade)
    assert {grade.method for grade in grades} == {"embedding", "mixed"}
    assert all("twice gave a reply without the form asked for" in grade.note for grade in grades)
    assert run.totals.replaced == len(grades)
    assert all(
        len(of(run, skill)) == 2 * sum(grade.skill == skill for grade in grades) for skill in (RELEVANCE, USE)
    )


def test_only_what_cannot_be_read_is_done_by_another_method(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill=USE, reply='{"verdict": 9}'))
    run = ask(bench)
    assert {(grade.what, grade.method) for grade in run.find(Grade)} == {
        ("IsRel", "model"),
        ("IsSup", "model"),
        ("IsUse", "embedding"),
    }


def test_verdicts_are_read_whatever_their_case(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, " Yes."), grade(SUPPORT, "Fully", "x" * 5000), grade(USE, "4"))
    run = ask(bench)
    final(run)
    assert run.totals.calls == 7
    assert {grade.note for grade in run.find(Grade)} == {""}


def test_an_endpoint_that_fails_fails_the_run_and_keeps_what_was_done(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(skill=USE, fault="server_error"))
    run = ask(bench)
    assert run.state == "failed"
    assert "status 500" in run.error
    assert len(verdicts(run, "IsRel")) == 4
    assert [answer.final for answer in run.find(Answer)] == [False]
    assert run.answer is None
