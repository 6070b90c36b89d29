"""Self-RAG against graders of every temper: real graph, Chroma and embeddings, a scripted endpoint."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import cast

from langchain_core.embeddings import Embeddings
from langchain_openai import ChatOpenAI

from core.jobs import run_blocking
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.strategies import get_strategy
from core.strategies.tutorial import self_rag
from core.trace.artefacts import Answer, Context, Grade, Ranking, Rewrite
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.asking_self_rag import (
    AGAIN,
    QUESTION,
    RELEVANCE,
    RETRIEVE,
    REWRITE,
    SUPPORT,
    USE,
    ask,
    final,
    grade,
    verdicts,
)
from tests.servers.holding import at_once
from tests.servers.parts_of_a_run import nodes, of


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
    strategy = get_strategy("self-rag")
    forecast = strategy.forecast(strategy.params(), methods_in_force(strategy.skills, CAPABLE, {}))
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
