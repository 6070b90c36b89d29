"""HyDE through the real graph, Chroma and embeddings, with a scripted endpoint and with the built-in model."""

from __future__ import annotations

from typing import Any

import pytest

from core.retrieval.dense import mean_vector
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills.passage import STYLES
from core.trace.artefacts import Context, HypotheticalDocuments, Ranking
from tests.bench import CORPUS, open_bench
from tests.scripted import Rule, ScriptedServer, told
from tests.servers.holding import FOR_EVER, Held, at_once, made, wait_for

QUESTION = "Who directed A Dangerous Age?"
WRITTEN = "A Dangerous Age is a 1957 Canadian drama film that was directed by Sidney J. Furie."


def ask(bench: Workbench, question: str = QUESTION, **options: Any) -> Record:
    request = RunRequest(**{"question": question, "strategy": "hyde", "corpus": CORPUS, **options})
    return record(bench.launcher.start(request).result(60))


def test_two_rounds_and_the_question_is_searched_beside(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="passage", reply=WRITTEN))
    run = ask(bench)
    assert run.state == "finished", run.error
    assert (run.totals.calls, run.totals.rounds) == (2, 2)
    question, write = run.steps[:2]
    assert {question.node, write.node} == {"question", "write"}
    assert question.layer == write.layer == 0
    beside, found = run.find(Ranking)
    assert (beside.query, beside.retriever) == (QUESTION, "dense")
    assert (found.query, found.retriever) == ("the mean of the question and the passage", "dense")
    assert (found.k, len(found.hits)) == (6, 10)
    assert run.find(HypotheticalDocuments)[0].texts == (WRITTEN,)
    context = run.find(Context)[0]
    assert [item.passage.chunk for item in context.passages] == [hit.passage.chunk for hit in found.hits]
    answered = scripted.requests[-1]["body"]["messages"]
    assert WRITTEN not in answered[0]["content"]
    assert found.hits[0].passage.text in told(answered, "context")


def test_paragraphs_about_several_things_are_searched_one_by_one(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    both = ["A Dangerous Age is a film of 1957.", "Brass Buttons is a western of 1919."]
    scripted.script(Rule(skill="passage", reply="\n\n".join(both)))
    run = ask(bench)
    written = run.find(HypotheticalDocuments)[0]
    assert (list(written.texts), written.each) == (both, True)
    _, *apart = run.find(Ranking)
    assert len(apart) == 2
    assert run.context is not None
    given = [item.passage.chunk for item in run.context.passages if item.given]
    assert len(given) == 6
    assert {ranking.hits[0].passage.chunk for ranking in apart} <= set(given[:2])


def test_the_question_does_not_wait_for_the_passage(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="passage", reply=WRITTEN, delay=FOR_EVER))
    job = bench.launcher.start(RunRequest(QUESTION, "hyde", corpus=CORPUS))
    wait_for(job, made("ranking"))
    job.stop()
    run = record(job.result(60))
    assert [ranking.query for ranking in run.find(Ranking)] == [QUESTION]
    assert [(call.skill, call.state) for call in run.calls] == [("passage", "stopped")]


def test_the_scores_are_cosines_to_the_mean(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="passage", reply=WRITTEN))
    embeddings = bench.backends.embedder.embeddings
    for with_question in (True, False):
        run = ask(bench, params={"with_question": with_question})
        hit = run.find(Ranking)[-1].hits[0]
        asked = [embeddings.embed_query(QUESTION)] if with_question else []
        mean = mean_vector([*asked, *embeddings.embed_documents([WRITTEN])])
        title, text = hit.passage.title, hit.passage.text
        (chunk,) = embeddings.embed_documents([f"{title}\n\n{text}"])
        assert hit.score == pytest.approx(sum(a * b for a, b in zip(mean, chunk, strict=True)), abs=1e-3)


def test_passages_are_embedded_as_documents(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    embeddings = bench.backends.embedder.embeddings
    seen: list[str] = []
    whole = type(embeddings).embed_documents

    def noted(self: Any, texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return whole(self, texts)

    monkeypatch.setattr(type(embeddings), "embed_documents", noted)
    scripted.script(Rule(skill="passage", reply=WRITTEN))
    ask(bench)
    assert seen == [WRITTEN]


def test_eight_passages_are_written_at_once(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        *(Rule(skill="passage", reply=f"{WRITTEN} Version {i}.", times=1, delay=0.3) for i in range(8))
    )
    run = ask(bench, params={"n": 8, "style": "news"})
    assert at_once([call for call in run.calls if call.skill == "passage"])
    assert (run.totals.calls, run.totals.rounds) == (9, 2)
    assert len(run.find(HypotheticalDocuments)[0].texts) == 8
    assert run.find(Ranking)[-1].query == "the mean of the question and the 8 passages"
    asked = [seen["body"] for seen in scripted.requests[:8]]
    assert {body["temperature"] for body in asked} == {0.7}
    assert {told(body["messages"], "style") for body in asked} == {STYLES["news"]}


@pytest.mark.parametrize("retriever", ["keyword", "hybrid"])
def test_other_retrievers_search_the_words(
    bench: Workbench, scripted: ScriptedServer, retriever: str
) -> None:
    scripted.script(Rule(skill="passage", reply=WRITTEN))
    run = ask(bench, "Who made it?", retriever=retriever)
    beside, found = run.find(Ranking)
    assert {beside.retriever, found.retriever} == {retriever}
    assert found.hits[0].passage.title == "A Dangerous Age"
    assert "words of the passage" in found.query


def test_one_failed_passage_of_three_is_left_out(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill="passage", fault="unknown_model", times=1),
        Rule(skill="passage", reply="One.", times=1),
        Rule(skill="passage", reply="Two.", times=1),
    )
    run = ask(bench, params={"n": 3})
    assert run.state == "finished", run.error
    assert sorted(run.find(HypotheticalDocuments)[0].texts) == ["One.", "Two."]
    assert "1 of 3 passages could not be written" in run.find(HypotheticalDocuments)[0].note


def test_a_failure_keeps_what_the_question_found(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.script(Rule(skill="passage", fault="server_error"))
    failing = Held(monkeypatch, "passage")
    job = bench.launcher.start(RunRequest(QUESTION, "hyde", corpus=CORPUS))
    wait_for(job, made("ranking"))
    failing.release()
    run = record(job.result(60))
    assert run.state == "failed"
    assert "status 500" in run.error
    assert [ranking.query for ranking in run.find(Ranking)] == [QUESTION]
    scripted.script(Rule(skill="passage", reply=WRITTEN), Rule(fault="server_error"))
    run = ask(bench)
    assert run.state == "failed"
    assert len(run.find(Ranking)) == 2
    assert run.find(HypotheticalDocuments)
    assert run.context is not None


def test_the_builtin_model_writes_a_passage_and_leaves_other_languages_alone(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    own = open_bench(bench.settings.rag_loupe_home, model_timeout_seconds=60.0)
    try:
        run = ask(own)
        assert run.state == "finished", run.error
        (written,) = run.find(HypotheticalDocuments)
        # What it makes up is kept only where it stays with the question, and else named.
        assert len(written.texts) == 1 or "the question alone is searched" in written.note
        (call,) = run.calls
        assert call.sampling["dry_multiplier"] == 0.8
        assert run.context is not None
        korean = ask(own, "누가 A Dangerous Age를 감독했나요?")
        assert korean.state == "finished", korean.error
        made = korean.find(HypotheticalDocuments)[0]
        assert (made.texts, korean.totals.calls) == ((), 0)
        assert "English only" in made.note
        assert korean.find(Ranking)[-1].query == "the question"
        chunks = [[hit.passage.chunk for hit in ranking.hits] for ranking in korean.find(Ranking)]
        assert chunks[0] == chunks[1]
    finally:
        own.backends.supervisor.release()
    assert not scripted.requests
