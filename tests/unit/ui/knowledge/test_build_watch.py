"""Building a graph in words."""

from __future__ import annotations

from core.knowledge.build.graph_building import BuildProgress, BuildReport, FailedChunk
from core.knowledge.store.graph_catalogue import MAX_NAME
from core.runs.sources.builds import BuildForecast, BuildStatus
from core.skills.extract import NO_QUOTE
from core.ui.knowledge.build_watch import (
    dropped_lines,
    forecast_line,
    free_name,
    go_on_line,
    progress_figures,
    progress_text,
    report_line,
    standing_line,
)

FAILED = FailedChunk(chunk="d-1", title="d.txt", reason="It said nothing.")


def test_what_a_build_will_take() -> None:
    line = forecast_line(BuildForecast(24, 120, 95.0))
    assert line.startswith("24 chunks; about 120 model calls; about 2 min, judged from chunks")
    assert "nobody can tell" in forecast_line(BuildForecast(1, 1, None))
    assert forecast_line(BuildForecast(1, 1, 0.2)).startswith("1 chunk; about 1 model call; about 1 s")


def test_how_far_a_graph_is() -> None:
    begun = BuildStatus(10, 6, (FAILED,))
    assert standing_line(begun) == "6 of 10 chunks done, 1 failed, 3 open."
    assert "not sent to the model again" in go_on_line(begun, whole=True)
    done = BuildStatus(6, 6)
    assert standing_line(done) == "6 of 6 chunks done."
    assert "All chunks are done" in go_on_line(done, whole=True)
    assert "goes on from there" in go_on_line(done, whole=False), "what was killed while it was writing"
    assert "chunks that failed" in go_on_line(BuildStatus(6, 5, (FAILED,)), whole=True)


def test_progress_in_figures() -> None:
    now = BuildProgress(chunks=5, chunks_total=1000, triples=8, dropped={NO_QUOTE: 2, "other": 3}, failed=1)
    assert progress_text(now) == "5 of 1,000 chunks"
    assert [value for _, value, _ in progress_figures(now)] == ["8", "2.0", "5", "1"]
    assert [value for _, value, _ in progress_figures(BuildProgress())] == ["0", "–", "0", "0"]
    assert progress_text(BuildProgress()) == "Getting ready"
    most, quotes = dropped_lines(now.dropped)
    assert most == "3 × other."
    assert quotes.startswith(f"2 × {NO_QUOTE}. The model must quote")


def test_what_a_build_did() -> None:
    report = BuildReport(
        graph="G", corpus="C", chunks=1, before=5, open=2, failed=(), triples=3, dropped={}, nodes=4, edges=1,
        demonstration=False, seconds=61.2,
    )  # fmt: skip
    assert report_line(report) == (
        "1 chunk done in 61 s, 5 done before, 2 left for another time. "
        "3 triples written; the graph has 4 nodes and 1 edge now."
    )


def test_a_new_graph_has_a_name_that_is_free() -> None:
    assert free_name("Notes", []) == "Notes"
    assert free_name("Notes", ["Notes", "Notes 2"]) == "Notes 3"
    long = "n" * MAX_NAME
    assert len(free_name(long, [long])) <= MAX_NAME
