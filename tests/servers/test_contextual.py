"""Contexts for chunks, from files to searches: real Chroma and embeddings, a scripted endpoint over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from core.corpora.contexts import ContextLedger, ReplyRow
from core.runs.notebook.materials import corpus_sources
from core.runs.sources.context_writing import ContextOptions
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.passages import Passage
from tests.bench import leave, open_bench
from tests.commands import core_here
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

SITUATE = "situate"
LIFE = "Anna Brandt was born in Orlau. " + "He wrote of the bridge again. It was in that year. " * 12
SHORT = "A short note about a wren."


def said(*numbers: int, words: str = "Concerns the zeppelin of 1907, part {}.") -> str:
    """A reply with these contexts."""
    return json.dumps({"contexts": [{"number": one, "context": words.format(one)} for one in numbers]})


ALL = Rule(skill=SITUATE, reply=said(*range(1, 13)))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "life.txt").write_text(LIFE, encoding="utf-8")
    (folder / "note.txt").write_text(SHORT, encoding="utf-8")
    return folder


class Place:
    """A home whose commands reach the scripted endpoint."""

    def __init__(self, home: Path, server: ScriptedServer) -> None:
        self.home, self.server = home, server

    def run(self, *words: str, **more: str) -> dict[str, Any]:
        done = self.tried(*words, "--json", **more)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def tried(self, *words: str, **more: str) -> Any:
        fast = {"RETRY_BASE_SECONDS": "0.01", "MODEL_ATTEMPTS": "1"}
        endpoint = {"OPENAI_BASE_URL": self.server.base_url, "CHAT_MODEL": "scripted"}
        return core_here(self.home, *words, **(endpoint | fast | more))

    def passages(self, corpus: str) -> list[Passage]:
        bench = open_bench(self.home, self.server)
        try:
            return [source.passage for source in corpus_sources(bench.corpora, corpus, 1000)]
        finally:
            leave(bench)

    def replies(self) -> int:
        """How many are kept."""
        ledger = ContextLedger(Settings(_env_file=None, rag_loupe_home=self.home).database)
        with ledger.session() as session:
            count = session.scalar(select(func.count(ReplyRow.key)))
        ledger.close()
        return count or 0


@pytest.fixture
def place(homes: Homes, scripted: ScriptedServer) -> Place:
    return Place(homes.new(), scripted)


def find(bench: Workbench, corpus: str, query: str, kind: str) -> list[Passage]:
    from core.jobs import run_blocking

    async def search() -> list[Passage]:
        retriever = await bench.corpora.retriever(corpus, kind)
        return [hit.passage for hit in (await retriever.search(query, 4)).hits]

    return run_blocking(search())


def test_contexts_are_for_the_index_alone(place: Place, files: Path, tmp_path: Path) -> None:
    place.server.script(ALL)
    index = ("index", str(files), "--corpus", "Lives", "--chunk-tokens", "40", "--contextual")
    told = place.run(*index, "--forecast")
    assert not place.server.requests
    report = place.run(*index)
    done = report["contexts"]
    assert (told["chunks"], told["calls"]) == (done["chunks"], done["calls"])
    assert (done["without"], done["alone"], done["kept"]) == (0, 1, 0)
    assert report["chunks"] == done["chunks"] + 1

    found = place.passages("Lives")
    with_context = [one for one in found if one.indexed_with]
    assert len(with_context) == done["chunks"]
    assert all("zeppelin" in one.indexed_with.text for one in with_context if one.indexed_with)
    assert all(one.indexed_with.model == "scripted" for one in with_context if one.indexed_with)
    assert not any("zeppelin" in one.text for one in found)
    bench = open_bench(place.home, place.server)
    for kind in ("keyword", "dense"):
        best = find(bench, "Lives", "zeppelin of 1907", kind)
        assert best[0].indexed_with, kind
        assert "zeppelin" not in best[0].text
    _, opened = bench.corpora.opened_document("Lives", found[0].document)
    assert "".join(opened[0].text.split())[:20] in "".join((LIFE + SHORT).split())
    leave(bench)

    # An answer is given the chunks without them; the report and the notebook, which searches again, have them.
    run = place.run("ask", "Where was Anna Brandt born?", "--strategy", "plain", "--corpus", "Lives")["run"]
    assert "Anna Brandt" in str(place.server.requests[-1])
    assert "zeppelin" not in str(place.server.requests[-1])
    for ending, words in (
        ("html", "Context for the index, written by scripted"),
        ("ipynb", "'context': 'Concerns the zepp"),
    ):
        file = tmp_path / f"run.{ending}"
        assert place.tried("runs", "export", run, "--output", str(file)).returncode == 0
        assert words in file.read_text(encoding="utf-8")

    # The corpus says so, and what is added to it gets contexts, too; what is there is not asked for again.
    (corpus,) = [one for one in place.run("corpora")["corpora"] if one["name"] == "Lives"]
    assert corpus["contexts"]["model"] == "scripted"
    before = len(place.server.requests)
    assert place.run("index", str(files), "--corpus", "Lives")["unchanged"] == 2
    assert len(place.server.requests) == before
    more = files / "more.txt"
    more.write_text(LIFE.replace("Anna", "Bela"), encoding="utf-8")
    assert place.run("index", str(more), "--corpus", "Lives")["contexts"]["chunks"] > 1
    judged = place.run("index", "--again", "Lives", "--corpus", "Lives again", "--contextual", "--forecast")
    assert (judged["calls"], judged["exact"]) == (2, True)
    assert judged["seconds"] is not None  # by the calls before
    # Cut the same again, beside it: every reply is known, and nothing is asked.
    before = len(place.server.requests)
    again = place.run("index", "--again", "Lives", "--corpus", "Lives again", "--contextual")["contexts"]
    assert (again["calls"], again["kept"]) == (0, 2)
    assert len(place.server.requests) == before


def test_what_a_reply_lacks_is_asked_for_once(place: Place, files: Path) -> None:
    second = Rule(skill=SITUATE, told={"numbers": "^2, 3"}, reply=said(2, 2, 3, 77))
    place.server.script(second, Rule(skill=SITUATE, reply=said(1, 4, 5, 6, 7, 8, 9, 10, 11, 12)))
    done = place.run(
        "index", str(files / "life.txt"), "--corpus", "Gaps", "--chunk-tokens", "40", "--contextual"
    )["contexts"]
    calls = done["calls"] // 2
    assert done["calls"] == 2 * calls  # every call lacked some, and was repeated once
    assert done["without"] == calls  # of the two asked for again, the one that came twice
    lacking = [one.position for one in place.passages("Gaps") if one.indexed_with is None]
    assert len(lacking) == calls


def test_garbled_replies_leave_chunks_without(place: Place, files: Path) -> None:
    place.server.script(Rule(skill=SITUATE, reply="No JSON at all."))
    done = place.run("index", str(files), "--corpus", "Bare", "--chunk-tokens", "40", "--contextual")[
        "contexts"
    ]
    assert done["chunks"] == 0
    assert done["without"] > 1
    assert not any(one.indexed_with for one in place.passages("Bare"))


LIVES = 12


@pytest.fixture
def lives(files: Path) -> Path:
    """A dozen documents of several chunks, and one of a single chunk."""
    for number in range(1, LIVES):
        text = LIFE.replace("Anna", f"Person{number}")
        (files / f"life{number}.txt").write_text(text, encoding="utf-8")
    return files


def test_an_endpoint_that_fails_in_the_middle_loses_nothing(place: Place, lives: Path) -> None:
    index = ("index", str(lives), "--corpus", "Cut off", "--chunk-tokens", "40", "--contextual")
    fails = Rule(skill=SITUATE, status=500, reply="Down.")
    place.server.script(ALL.model_copy(update={"times": 3}), fails)
    failed = place.tried(*index)  # 3 replies among 12: wherever they come, 3 failures follow one another
    assert failed.returncode == 1
    assert "Nothing is lost" in failed.stderr
    assert failed.stderr.count("\n") == 1
    paid = place.replies()
    assert 0 < paid <= 3
    place.server.script(ALL)
    assert place.run(*index)["contexts"]["calls"] == LIVES - paid
    place.server.script(fails)
    again = place.run("index", "--again", "Cut off", "--corpus", "Once more", "--contextual")["contexts"]
    assert (again["calls"], again["kept"]) == (0, LIVES)


def test_only_a_capable_model_writes_contexts(place: Place, files: Path) -> None:
    place.server.script(ALL)
    index = ("index", str(files), "--corpus", "Lives", "--chunk-tokens", "40")
    refused = core_here(place.home, *index, "--contextual")
    assert refused.returncode == 1
    assert "Connect one under" in refused.stderr
    place.run(*index, "--contextual")
    more = files / "more.txt"
    more.write_text(SHORT + " And one of an owl.", encoding="utf-8")
    add = ("index", str(more), "--corpus", "Lives")
    assert "“scripted”" in core_here(place.home, *add).stderr
    other = place.tried(*add, CHAT_MODEL="another")
    assert "“another” is in use" in other.stderr
    assert place.run(*add)["documents"] == 1


def test_a_stopped_import_goes_on_with_the_replies_it_has(place: Place, lives: Path) -> None:
    place.server.script(ALL)
    place.server.delay = 0.2
    bench = open_bench(place.home, place.server)

    def begin() -> IndexJob:
        return bench.corpora.index([lives], "Stopped", 40, contexts=ContextOptions())

    try:
        job = begin()
        while (job.progress.situated or 0) < 2:  # the single chunk needs no reply
            assert not job.done
        job.stop(30)
        assert job.done
        paid = place.replies()
        place.server.delay = 0
        report = begin().result(60)
    finally:
        leave(bench)
    assert 0 < paid < LIVES
    assert report.contexts is not None
    assert report.documents + report.unchanged == LIVES + 1
    assert report.contexts.calls == LIVES - paid
