"""Questions about stored runs and comparisons: the gallery's, whose events are those of real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.charts.columns import columns
from core.classroom.questions import Source
from core.classroom.sources import NONE, Questions, of_comparison, of_lesson, of_run, questions_from
from core.errors import UnknownRun
from core.runs import gallery
from core.runs.comparisons import ComparisonStore
from core.runs.record import Record, record
from core.runs.store import RunStore
from core.strategies import strategies
from core.strategies.lessons import STANDALONE
from core.trace.artefacts import AnyArtefact, Fusion, Grade
from core.trace.events import ArtefactMade, Event
from tests.cases import cases

PIECES = {piece.id: piece for piece in gallery.PIECES}


def events_of(piece: str) -> list[Event]:
    return gallery.read(PIECES[piece])[1][0]


def run_of(piece: str) -> Record:
    return record(events_of(piece))


def about(piece: str) -> Questions:
    header, runs = gallery.read(PIECES[piece])
    records = [record(events) for events in runs]
    if header:
        return of_comparison(columns(records), header.gold, header.question, piece)
    return of_run(records[0], piece)


def right(questions: Questions, name: str) -> list[str]:
    return [option.text for option in questions[name].options if option.right]


def changed(piece: str, artefact: type[AnyArtefact], **fields: object) -> Questions:
    """The questions on a run in which all artefacts of a kind were changed."""
    events = [
        event.model_copy(update={"artefact": event.artefact.model_copy(update=fields)})
        if isinstance(event, ArtefactMade) and isinstance(event.artefact, artefact)
        else event
        for event in events_of(piece)
    ]
    return of_run(record(events))


@cases(
    ("piece", "name", "truth"),
    [
        ("recorded-compared", "evidence", ["Decomposition (sequential)", "KG-RAG"]),
        ("recorded-compared", "answer", ["Decomposition (sequential)", "KG-RAG"]),
        ("recorded-compared", "calls", ["KG-RAG"]),
        ("recorded-counts", "evidence", ["Plain retrieval"]),
        ("recorded-counts", "answer", ["Agentic RAG"]),
        ("recorded-from-memory", "evidence", [NONE]),
        ("recorded-from-memory", "tokens", ["Plain retrieval"]),
        ("recorded-glow", "evidence", ["No"]),
        ("recorded-ircot", "evidence", ["1"]),
        ("recorded-rag-fusion", "evidence", ["Both"]),
        ("recorded-rag-fusion", "fusion", ["Ferry Passengers Regulation 2011 · p. 4 (first in Q5)"]),
        ("recorded-corrective", "grade-Holds", ["Partly"]),
        ("recorded-corrective", "grade-Search", ["Ambiguous: what it found is refined, and another way is tried"]),
        ("recorded-self-rag", "grade-IsUse", ["3 of 5"]),
        ("recorded-agentic", "tool", ["works of person"]),
        ("pellamar-agentic-2", "tool", ["people by number of works"]),
    ],
)  # fmt: skip
def test_the_right_answer_is_what_happened(piece: str, name: str, truth: list[str]) -> None:
    assert right(about(piece), name) == truth


def test_only_what_a_run_made_is_asked() -> None:
    assert about("recorded-kg-rag") == {}
    assert set(about("recorded-multi-query-2")) == {"evidence"}
    assert "calls" not in about("recorded-from-memory")  # both made one


def test_every_question_names_its_source_and_says_what_happened() -> None:
    for piece in gallery.PIECES:
        for question in about(piece.id).values():
            assert question.target == piece.id
            assert question.about.startswith(piece.requests[0].question)
            assert question.after.endswith((".", "”"))


def test_letters_of_a_comparison_are_those_of_its_columns() -> None:
    options = about("recorded-compared")["evidence"].options
    expected = ["Plain retrieval", "Decomposition (sequential)", "KG-RAG", NONE]
    assert [(option.key, option.text) for option in options] == list(zip("ABCD", expected, strict=True))


def test_columns_of_the_same_name_stay_apart() -> None:
    run = run_of("recorded-glow")
    options = of_comparison(columns([run, run]), (), run.question)["evidence"].options
    assert [option.text for option in options] == ["A · RAG-Fusion", "B · RAG-Fusion", NONE]


def test_where_nobody_knows_the_evidence_it_is_not_asked() -> None:
    events = [
        [e for e in gallery.read(PIECES["recorded-compared"])[1][place] if not _baseline(e)]
        for place in (0, 1)
    ]
    made = of_comparison(columns([record(own) for own in events]), (), "Where?")
    assert set(made) == {"calls", "tokens"}


def _baseline(event: Event) -> bool:
    return isinstance(event, ArtefactMade) and event.artefact.kind == "baseline"


def test_what_has_not_ended_is_no_question_yet() -> None:
    events = events_of("recorded-rag-fusion")[:-1]
    assert of_run(record(events)) == {}
    assert of_comparison(columns([record(events), run_of("recorded-glow")]), (), "Why?") == {}
    assert of_run(record([])) == {}


def test_the_same_run_gives_the_same_question() -> None:
    for piece in ("recorded-agentic", "recorded-rag-fusion"):
        assert about(piece) == about(piece)


def test_long_texts_are_cut() -> None:
    made = changed("recorded-corrective", Grade, reason="word " * 1000)["grade-Holds"]
    assert made.after.endswith("…")
    assert len(made.after) <= 1000


def test_a_damaged_fusion_is_no_question() -> None:
    fusion = run_of("recorded-rag-fusion").find(Fusion)[0]
    lone = fusion.rows[0].model_copy(update={"ranks": (None,)})
    for fields in ({"rows": ()}, {"rows": (lone,)}, {"lists": ()}, {"lists": fusion.lists[:1]}):
        assert "fusion" not in changed("recorded-rag-fusion", Fusion, **fields)


def test_a_verdict_of_another_scale_is_no_question() -> None:
    made = changed("recorded-corrective", Grade, verdict="splendid")
    assert not any(name.startswith("grade") for name in made)


def test_every_lesson_asks_its_guess_and_its_exercise() -> None:
    for key in (*(own.key for own in STANDALONE), *strategies()):
        made = of_lesson(key)
        assert set(made) == {"guess", "exercise"}
        assert all(question.target == key and question.after for question in made.values())
    made = of_lesson("rag-fusion")
    assert right(made, "guess") == ["Mixed: bikes fall, and dogs rise"]
    assert right(made, "exercise") == ["X: only fourth and third, but in both lists"]
    assert "RAG-Fusion" in made["guess"].notes
    assert of_lesson("no-such-lesson") == {}


def test_stored_ones_are_found(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/runs.db"
    gallery.install(database)
    runs, comparisons = RunStore(database), ComparisonStore(database)
    assert questions_from("run", "recorded-glow", runs, comparisons) == about("recorded-glow")
    made = questions_from("comparison", "recorded-compared", runs, comparisons)
    assert made == about("recorded-compared")
    assert questions_from("lesson", "plain", runs, comparisons) == of_lesson("plain")
    assert questions_from("written", "", runs, comparisons) == {}
    runs.delete("recorded-compared-1")
    gone: list[tuple[Source, str]] = [
        ("comparison", "recorded-compared"),
        ("comparison", "none"),
        ("run", "none"),
    ]
    for source, target in gone:
        with pytest.raises(UnknownRun):
            questions_from(source, target, runs, comparisons)
