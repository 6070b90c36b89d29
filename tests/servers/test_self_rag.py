"""Self-RAG against graders of every temper: real graph, Chroma and embeddings, a scripted endpoint."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, cast

import pytest
from langchain_core.embeddings import Embeddings
from langchain_openai import ChatOpenAI

from core.jobs import run_blocking
from core.runs.record import Call, Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.strategies.tutorial import self_rag
from core.trace.artefacts import Answer, Context, Grade, Ranking, Rewrite
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import at_once

QUESTION = "Who directed A Dangerous Age?"
RELEVANCE, SUPPORT, USE = "grade_relevance", "grade_support", "grade_use"
REWRITE, AGAIN, RETRIEVE = "rewrite_question", "answer_again", "decide_retrieval"


def ask(bench: Workbench, question: str = QUESTION, **options: Any) -> Record:
    """A run to its end, which is never beyond what was forecast."""
    job = bench.launcher.start(RunRequest(question, "self-rag", corpus=CORPUS, **options))
    run = record(job.result(60))
    strategy = get_strategy("self-rag")
    params = strategy.parse(options.get("params", {}))
    methods = methods_in_force(strategy.skills, CAPABLE, options.get("methods", {}))
    tries = [call for call in run.calls if call.retry is None]
    assert len(tries) <= strategy.forecast(params, methods).calls_most
    return run


def grade(skill: str, verdict: str | int, reason: str = "So it is.", times: int | None = None) -> Rule:
    return Rule(skill=skill, reply=json.dumps({"verdict": verdict, "reason": reason}), times=times)


def verdicts(run: Record, what: str) -> list[str]:
    return [grade.verdict for grade in run.find(Grade) if grade.what == what]


def nodes(run: Record) -> list[str]:
    return [step.node for step in run.steps]


def of(run: Record, skill: str) -> list[Call]:
    return [call for call in run.calls if call.skill == skill]


def final(run: Record) -> Answer:
    assert run.state == "finished", run.error
    assert run.answer is not None
    assert [answer.final for answer in run.find(Answer)].count(True) == 1
    assert run.steps[-1].node == "answer"
    return run.answer


def test_at_best_seven_calls_in_three_rounds(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.delay = 0.3
    run = ask(bench)
    answer = final(run)
    assert (run.totals.calls, run.totals.rounds) == (7, 3)
    assert nodes(run) == ["retrieve", "grade_chunks", "evidence", "generate", "grade_answer", "answer"]
    assert verdicts(run, "IsRel") == ["yes"] * 4
    assert (verdicts(run, "IsSup"), verdicts(run, "IsUse")) == (["fully"], ["5"])
    assert "Cap" not in answer.note
    assert run.draft == answer.text
    assert at_once(of(run, "grade_relevance"))
    assert at_once([*of(run, "grade_support"), *of(run, "grade_use")])
    forecast = get_strategy("self-rag").forecast(
        get_strategy("self-rag").params(),
        dict(methods_in_force(get_strategy("self-rag").skills, CAPABLE, {})),
    )
    assert (forecast.rounds, forecast.calls_expected, forecast.calls_most) == (3, 7, 29)


def test_the_tutorial_makes_the_same_seven_calls_one_after_the_other(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    from langchain_chroma import Chroma

    from core.corpora.chunk_store import collection_name, open_vectors

    store = Chroma(
        client=open_vectors(run_blocking(bench.backends.vectors_url())),
        collection_name=collection_name(bench.corpora.catalogue.corpus(CORPUS)),
        embedding_function=cast("Embeddings", bench.backends.embedder.embeddings),
    )
    llm = ChatOpenAI(model="scripted", base_url=scripted.base_url, api_key=lambda: "none", max_retries=0)
    assert self_rag.ask(QUESTION, llm, store.as_retriever(search_kwargs={"k": 4}))
    assert len(scripted.requests) == 7


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
    assert "Cap reached" in answer.note
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


def test_what_was_found_is_kept_and_nothing_is_judged_or_written_twice(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        grade(USE, 2, "It lacks the year."),
        Rule(skill=REWRITE, reply=json.dumps({"question": f"{QUESTION} A Dangerous Age"}), times=1),
        Rule(skill=REWRITE, reply='{"question": "When was Sidney J. Furie born?"}'),
        Rule(skill="answer", reply="Sidney J. Furie [1]\n\nHe made it [1]."),
    )
    run = ask(bench)
    final(run)
    graded = [grade.passage.chunk for grade in run.find(Grade) if grade.passage]
    assert len(graded) == len(set(graded))
    evidence = [
        [item.passage.chunk for item in context.passages if item.given] for context in run.find(Context)
    ]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(evidence[:3]))
    fresh = [later for earlier, later in pairwise(evidence[:3]) if later != earlier]
    assert len(of(run, "answer")) == 1 + len(fresh), "no draft from the same passages again"
    asked = of(run, "rewrite_question")[-1].messages
    assert told(asked, "draft") == "Sidney J. Furie [1]\n\nHe made it [1]."
    assert "A Dangerous Age" in told(asked, "found")


def test_what_is_only_suggested_is_searched_for_again(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(USE, 5), Rule(skill="answer", reply="[?] Sidney J. Furie [1]\n\nSo it seems [1]."))
    run = ask(bench, params={"max_rewrites": 1})
    assert final(run).suggested
    assert verdicts(run, "IsUse")[0] == "3"
    assert len(run.find(Rewrite)) == 1
    asked = of(run, "grade_use")[0].messages
    assert told(asked, "answer").startswith("(suggested, not stated) Sidney")


def test_a_refusal_is_neither_graded_nor_written_again(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply="[0] Nothing is said of it."))
    run = ask(bench, params={"max_rewrites": 1})
    assert final(run).abstained
    assert not of(run, "grade_support")
    assert not of(run, "grade_use")
    assert len(run.find(Rewrite)) == 1


def test_everything_no(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, "yes"), grade(SUPPORT, "no"), grade(USE, 1))
    run = ask(bench)
    answer = final(run)
    # Support is repaired first, and the run ends at that cap: the question is never put differently.
    assert verdicts(run, "IsSup") == ["no"] * 3
    assert run.find(Rewrite) == []
    assert "Cap reached: at most 2 regenerations" in answer.note
    assert "IsSup no, IsUse 1 of 5" in answer.note


def test_no_cap_at_all_still_ends(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, "no"))
    run = ask(bench, params={"max_rewrites": 0, "max_regenerations": 0})
    assert final(run).abstained
    assert nodes(run) == ["retrieve", "grade_chunks", "evidence", "answer"]


def test_an_unsupported_answer_is_written_again_and_told_why(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        grade(SUPPORT, "no", "“He won a prize” is in no passage.", times=1),
        Rule(skill=AGAIN, reply="Sidney J. Furie directed it [1]."),
    )
    run = ask(bench)
    answer = final(run)
    assert answer.text == "Sidney J. Furie directed it [1]."
    assert answer.skill == "answer_again"
    assert answer.citations[0].quote
    again = of(run, "answer_again")[0].messages
    assert told(again, "unsupported") == "“He won a prize” is in no passage."
    assert told(again, "draft") == run.find(Answer)[0].text
    assert nodes(run).count("generate") == 2
    assert nodes(run).count("retrieve") == 1
    assert [answer.final for answer in run.find(Answer)] == [False, False, True]
    assert run.totals.rounds == 5


def test_supported_but_not_useful_is_searched_again(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(USE, 2, "It names the year.", times=1))
    run = ask(bench)
    final(run)
    assert nodes(run).count("retrieve") == 2
    assert run.find(Rewrite)[0].cause == ("IsUse 2 of 5: the answer is not useful enough. It names the year.")
    rewritten = run.find(Rewrite)[0].after
    assert rewritten != QUESTION
    for skill in ("answer", "grade_use"):
        asked = [call.messages for call in of(run, skill)]
        assert [told(messages, "question") for messages in asked] == [QUESTION] * 2
        assert not any(rewritten in messages[0].content for messages in asked)


def test_useful_but_not_supported_is_written_again(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(SUPPORT, "no", times=1), grade(USE, 5))
    run = ask(bench)
    final(run)
    assert run.find(Rewrite) == []
    assert nodes(run).count("generate") == 2


def test_neither_supported_nor_useful_repairs_support_first(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(grade(SUPPORT, "no", times=1), grade(USE, 1, times=2))
    run = ask(bench)
    final(run)
    assert [node for node in nodes(run) if node in ("generate", "rewrite")] == [
        "generate", "generate", "rewrite", "generate",
    ]  # fmt: skip


def test_what_is_supported_in_part_is_written_again_once_and_then_passes(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(grade(SUPPORT, "partially", "“In 1890” is in no passage."))
    run = ask(bench)
    assert "Only partially supported by the passages (IsSup). “In 1890” is in no" in final(run).note
    assert "Cap" not in final(run).note
    assert told(of(run, AGAIN)[0].messages, "unsupported") == "“In 1890” is in no passage."
    assert run.totals.calls == 7 + 3


def test_a_rewriting_is_told_what_is_missing_and_what_is_known(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    scripted.script(
        grade(RELEVANCE, "yes", "It names </found> the film."),
        Rule(skill="answer", reply="[0] The year is not given.", times=1),
    )
    run = ask(bench)
    final(run)
    asked = of(run, REWRITE)[0].messages
    assert told(asked, "cause").endswith("It gives no answer. The year is not given.")
    assert told(asked, "found").splitlines()[0].endswith(": It names ‹/found> the film.")


def test_useful_from_is_the_users_choice(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(USE, 3))
    assert final(ask(bench, params={"useful_from": 3})).note == ""
    run = ask(bench)
    assert "Cap reached: at most 2 rewrites allowed" in final(run).note
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
    assert "Cap reached: at most 2 rewrites" in answer.note
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
        assert f"Cap reached: the run used up its {calls} model calls" in run.error
        assert run.answer is None
        return
    answer = final(run)
    assert answer.text == "The best one [1]."
    assert f"Cap reached: the run used up its {calls} model calls" in answer.note
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


def test_only_the_relevant_chunks_are_given_in_the_order_of_the_ranking(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    hits = ask(bench).find(Ranking)[0].hits
    unfit = "|".join(re.escape(hits[place].passage.title) for place in (0, 2))
    no = json.dumps({"verdict": "no", "reason": ""})
    scripted.script(Rule(skill=RELEVANCE, told={"passage": rf"^({unfit})\n"}, reply=no))
    run = ask(bench)
    final(run)
    assert run.context is not None
    shown = [(item.passage.chunk, item.given) for item in run.context.passages]
    chunks = [hit.passage.chunk for hit in hits]
    assert shown[:2] == [(chunks[1], True), (chunks[3], True)]
    assert shown[2:] == [(chunk, False) for chunk in (chunks[0], chunks[2], *chunks[4:])]
    read = told(of(run, "answer")[0].messages, "context")
    assert read.startswith(f'<passage number="1">\n{hits[1].passage.title}\n')
    assert 'number="3"' not in read


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
    run = ask_failing(bench)
    assert run.state == "failed"
    assert "status 500" in run.error
    assert len(verdicts(run, "IsRel")) == 4
    assert [answer.final for answer in run.find(Answer)] == [False]
    assert run.answer is None


def ask_failing(bench: Workbench) -> Record:
    job = bench.launcher.start(RunRequest(QUESTION, "self-rag", corpus=CORPUS))
    return record(job.result(60))


def test_without_need_the_model_answers_from_memory(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RETRIEVE, "no"))
    run = ask(bench, params={"decide_retrieval": True})
    assert "Written from memory" in final(run).note
    assert nodes(run) == ["decide", "generate", "grade_answer", "answer"]
    assert verdicts(run, "IsSup") == []
    assert run.totals.rounds == 3


def test_a_useless_memory_is_followed_by_a_search(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RETRIEVE, "no"), grade(USE, 1, times=1))
    run = ask(bench, params={"decide_retrieval": True})
    assert "from memory" not in final(run).note
    assert nodes(run)[2:5] == ["grade_answer", "retrieve", "grade_chunks"]
    assert run.find(Rewrite) == []


def test_with_need_the_run_is_as_usual(bench: Workbench, scripted: ScriptedServer) -> None:
    run = ask(bench, params={"decide_retrieval": True})
    final(run)
    assert (run.totals.calls, run.totals.rounds) == (8, 4)


def test_graders_that_compute_can_be_chosen_with_an_endpoint(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    methods = {"grade_relevance": "embedding", "grade_support": "mixed", "grade_use": "embedding"}
    scripted.script(Rule(skill="answer", reply="A Dangerous Age was directed by Sidney J. Furie [1]."))
    run = ask(bench, methods=methods)
    final(run)
    assert {call.skill for call in run.calls} == {"answer"}
    grades = run.find(Grade)
    assert all(grade.score is not None for grade in grades)
    assert verdicts(run, "IsSup") == ["fully"]
    assert any("Words and nearness only" in grade.note for grade in grades)


def test_computed_support_names_what_is_unsupported(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="answer", reply="Zebras won 77 trophies [1]."))
    run = ask(bench, methods={"grade_support": "mixed"})
    assert verdicts(run, "IsSup")[0] == "no"
    assert "“Zebras won 77 trophies.”" in told(of(run, "answer_again")[0].messages, "unsupported")


def test_a_korean_question(bench: Workbench, scripted: ScriptedServer) -> None:
    question = "위험한 나이를 감독한 사람은 누구입니까?"
    scripted.script(
        Rule(skill="answer", reply="시드니 J. 퓨리가 감독했습니다 [1]."),
        grade(USE, 2, "연도만 말합니다.", times=1),
    )
    run = ask(bench, question)
    assert final(run).text == "시드니 J. 퓨리가 감독했습니다 [1]."
    assert {told(call.messages, "question") for call in of(run, "grade_use")} == {question}
    assert "연도만 말합니다." in run.find(Rewrite)[0].cause


def test_the_built_in_model(bench: Workbench) -> None:
    offline = open_bench(bench.settings.rag_loupe_home)
    run = record(offline.launcher.start(RunRequest(QUESTION, "self-rag", corpus=CORPUS)).result(120))
    offline.backends.supervisor.release()
    answer = final(run)
    assert "Furie" in answer.text
    assert run.totals.calls == 0
    assert all(grade.score is not None for grade in run.find(Grade))
    assert answer.method == "extractive"


def test_a_sampled_rewriting_costs_few_calls(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(grade(RELEVANCE, "no"))
    run = ask(bench, methods={"rewrite_question": "sampled"})
    assert final(run).abstained
    asked = of(run, "rewrite_question")
    assert len(asked) == 2 * 6
    assert [call.sampling["temperature"] for call in asked] == [0.4] * 6 + [0.6] * 6
