"""One question through several strategies at once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.errors import InputError
from core.runs.budget import Place, given_passages, plain_passages
from core.runs.comparison_files import comparison_lines, import_comparison
from core.runs.gold import Gold
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from tests.bench import CORPUS, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.holding import FOR_EVER

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    """Of its own: what is under way is counted."""
    bench = open_bench(homes.indexed(), scripted_server)
    yield bench
    bench.backends.supervisor.release()


def request(strategy: str, question: str = QUESTION) -> RunRequest:
    return RunRequest(question, strategy, corpus=CORPUS, owner="me")


def test_columns_run_at_once_and_one_can_be_stopped(bench: Workbench, scripted: ScriptedServer) -> None:
    scripted.script(Rule(skill="reword", delay=FOR_EVER))
    made = bench.comparing.start([request("plain"), request("multi-query"), request("closed-book")])
    assert bench.comparisons.get(made.id) == made
    jobs = [bench.launcher.job(run) for run in made.runs]
    first, second, third = (job for job in jobs if job is not None)
    assert record(first.result(60)).state == record(third.result(60)).state == "finished"
    assert not second.done
    assert bench.launcher.running == 1
    second.stop()
    assert record(second.result(60)).state == "stopped"


def test_each_column_is_held_against_plain_retrieval_with_as_many_passages(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    parts = ["Who directed A Dangerous Age?", "When was he born?", "Which films came out in 1943?"]
    scripted.script(Rule(skill="sub_questions", reply=json.dumps({"queries": parts})))
    corpus = bench.corpora.catalogue.corpus(CORPUS)
    gold = tuple(Gold(document=one.id, title="") for one in bench.corpora.catalogue.documents(corpus.id))
    several = [request("plain"), request("decomposition-independent"), request("closed-book")]
    several[1] = replace(several[1], where=("title~a",))
    several.append(replace(several[1], retriever="hybrid"))
    made = bench.comparing.start(several, gold)
    assert made.plain == ()
    while bench.comparing.searching_plain(made.id):
        time.sleep(0.005)
    found = bench.comparisons.get(made.id)
    runs = [record(bench.store.events(run)) for run in made.runs]
    given = [len(given_passages(run)) for run in runs]
    assert given[0] == 6 < min(given[1], given[3])
    assert given[2] == 0
    for place in (1, 3):
        # A search of its own with that many gives the same.
        really = bench.launcher.start(
            replace(several[place], strategy="plain", params={"k": given[place]})
        ).result(60)
        evidence = record(really).context
        assert evidence is not None
        places = tuple(
            Place(one.passage.document, one.passage.chunk) for one in evidence.passages if one.given
        )
        assert plain_passages(runs[place], found.plain) == places
        assert len(places) == given[place]
    assert plain_passages(runs[2], found.plain) is None
    assert plain_passages(runs[1], ()) is None  # a comparison that was stored earlier
    # Taken home and brought in, it is still there.
    line = comparison_lines(found, [bench.store.events(run) for run in made.runs]).encode()
    again = import_comparison("c.jsonl", line, bench.store, bench.comparisons, "me")
    assert bench.comparisons.get(again.id).plain == found.plain


def test_where_nobody_knows_the_evidence_nothing_is_searched(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    made = bench.comparing.start([request("plain"), request("hyde")])
    assert not bench.comparing.searching_plain(made.id)
    for job in map(bench.launcher.job, made.runs):
        assert job is not None
        job.result(60)


def test_all_columns_or_none(bench: Workbench, scripted: ScriptedServer) -> None:
    before = len(bench.store.list(RunFilter(), 1000))
    with pytest.raises(InputError, match="empty"):
        bench.comparing.start([request("plain"), request("plain", " ")])
    with pytest.raises(InputError, match="2 to 4"):
        bench.comparing.start([request("plain")])
    with pytest.raises(InputError, match="one question"):
        bench.comparing.start([request("plain"), request("plain", "Another?")])
    assert len(bench.store.list(RunFilter(), 1000)) == before
