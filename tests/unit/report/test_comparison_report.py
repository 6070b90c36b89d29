"""The report of a comparison, also where a column failed, was stopped or is gone."""

from __future__ import annotations

from datetime import UTC, datetime

from core.report import comparison_report
from core.runs.comparisons import Comparison
from core.trace.events import Event
from core.trace.gold import Gold
from tests import examples
from tests.unit.report.reading import Reading, reading
from tests.unit.report.test_run_report import EVIL, poisoned


def compared(*runs: list[Event], gold: tuple[Gold, ...] = (), name: str = "") -> str:
    ids = tuple(f"run-{place}" for place in range(len(runs)))
    asked = datetime(2026, 1, 2, tzinfo=UTC)
    made = Comparison("id", "me", asked, examples.QUESTION, ids, gold, name)
    return comparison_report(made, runs)


def words(found: Reading) -> str:
    return " ".join(found.text.split())


def test_answers_evidence_and_runs_stand_side_by_side() -> None:
    gold = (
        Gold(document=examples.PASSAGES[0].document, title="Full Moon High"),
        Gold(document="nowhere", title="Nobody's"),
    )
    found = reading(compared(examples.plain(), examples.rag_fusion(), examples.self_rag(), gold=gold))
    text = words(found)
    for title in ("Plain retrieval", "RAG-Fusion", "Self-RAG"):
        assert title in text
    assert "Evidence given 1 of 2 1 of 2 1 of 2" in text
    assert "Found by nobody: Nobody&#39;s." in text or "Found by nobody: Nobody's." in text
    assert "A and B 4 of 9 0.44" in text
    matrix = next(
        data for name, data in found.drawings if name == "grid" and data["leads"][0]["name"] == "Found by"
    )
    assert [column["name"] for column in matrix["lists"]] == ["A", "B", "C"]
    first = matrix["rows"][0]
    assert [cell["text"] for cell in first["cells"]] == ["1", "1", "1"]
    assert [cell["text"] for cell in first["leads"]] == ["3 of 3", "★"]
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    evidence = [attributes["data-id"] for _, attributes in found.elements if attributes.get("data-id")]
    assert evidence == ["A-evidence", "B-evidence", "C-evidence"]


def test_columns_are_held_against_plain_retrieval_with_as_many_passages() -> None:
    runs = (examples.plain(), examples.rag_fusion(), examples.failed())
    gold = tuple(Gold(document=f"doc{place}", title="") for place in (0, 1, 2, 3))
    text = words(reading(compared(runs[0], examples.held_against(runs[1]), runs[2], gold=gold)))
    assert "Plain retrieval, as many passages – 2 of 4 in 6 " in text
    assert text.index("found 4 of 4 pieces of evidence") < text.index("Answers")  # what differs comes first
    assert "Passages given 4 6 " in text
    assert "Different numbers of passages were given: A 4, B 6" in text
    assert "Plain retrieval, as many" not in words(reading(compared(*runs, gold=gold)))  # stored earlier


def test_columns_that_failed_were_stopped_or_are_gone_are_told() -> None:
    found = reading(compared(examples.failed(), [], examples.stopped(), examples.plain()))
    text = words(found)
    assert "This run failed. The endpoint keeps refusing" in text
    assert "This run was stopped. Stopped by you." in text
    assert "D Plain retrieval" in text
    assert text.count("This run is no longer stored.") == 2
    assert "State ✗ failed – ■ stopped ✓ finished" in text
    assert "A and B" not in text  # nothing is shared with a run that is gone
    assert "A and C" in text


def test_columns_without_any_evidence() -> None:
    text = words(reading(compared(examples.failed(), examples.failed())))
    assert "No column found any passage." in text
    assert words(reading(compared([], [])))  # all of it is gone


def test_hostile_runs_stay_text() -> None:
    clean = reading(compared(examples.plain(), examples.agentic()))
    found = reading(
        compared(
            poisoned(examples.plain(), EVIL), poisoned(examples.agentic(), EVIL),
            gold=(Gold(document=EVIL, title=EVIL, quote=EVIL),), name=EVIL,
        )
    )  # fmt: skip
    assert found.scripts == clean.scripts
    for tag, attributes in found.elements:
        assert tag not in ("img", "iframe", "link")
        assert not {name for name in attributes if name.startswith("on") or name in ("style", "src")}
