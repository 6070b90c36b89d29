"""The page Compare: its form, comparisons under way and stored, looked at from every side."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from typing import Any

from streamlit.testing.v1 import AppTest

from core.classroom.sources import EVIDENCE
from core.classroom.store import class_store
from core.runs.comparisons import Comparison
from core.runs.record import record
from core.runs.workbench import Workbench
from core.strategies.lineups import QUESTIONS
from core.trace.events import Event
from core.trace.gold import Gold
from core.ui.compare.line_ups import FIRST
from core.ui.compare.page import GONE
from core.ui.compare.sections import SECTIONS
from tests import examples
from tests.app.opening import (
    TakenHome,
    click,
    click_row,
    drawings,
    drawn,
    harmless,
    has,
    keys,
    links,
    opened,
    table,
    turn,
    value,
)
from tests.app.pages import said
from tests.hostile import EVIL, every_artefact
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/compare.py"
LOBSTERS = [
    f"carapace of a lobster {what}" for what in ("measured", "returned", "in millimetres", "with eggs")
]
QUESTION = "Which Warden opened the swing bridge of Port Ansel?"
GOLD = (Gold(document="doc0", title="Full Moon High"), Gold(document="nowhere", title="Nobody's film"))
STORED = ("plain", "multi-query", "rag-fusion")


def store(bench: Workbench, run: str, events: Sequence[Event], owner: str = "me") -> str:
    first = events[0].model_copy(update={"run": run})
    bench.store.append(run, [first, *events[1:]], owner)
    return run


def stored(bench: Workbench, owner: str = "me", strategies: Sequence[str] = STORED) -> Comparison:
    """A comparison of hand-made runs, some of whose evidence nobody found."""
    runs = [store(bench, f"{owner}-{name}", examples.RUNS[name](), owner) for name in strategies]
    return bench.comparisons.add(examples.QUESTION, runs, owner, GOLD)


def columns(page: AppTest) -> list[dict[str, Any]]:
    """All columns as they are drawn."""
    found: list[dict[str, Any]] = drawings(page, "columns")[0]["columns"]
    return found


def charts(page: AppTest) -> set[str]:
    return {str(one.key).rpartition("-")[0] for one in page.get("plotly_chart")}


def cards(page: AppTest) -> list[str]:
    """Keys of the columns of the form."""
    found = (re.fullmatch(r"(compare-column-\d+-)strategy", str(one.key)) for one in page.selectbox)
    return [one[1] for one in found if one]


def settings(page: AppTest) -> AppTest:
    """The page with the settings of all columns open: they are drawn only then."""
    for card in cards(page):
        page.session_state[f"{card}settings"] = True
    return drawn(page.run())


def look_at(page: AppTest, comparison: Comparison, section: str) -> AppTest:
    page.segmented_control(key=f"compare-section-{comparison.id}").set_value(section)
    return drawn(page.run())


def view(page: AppTest, comparison: Comparison, name: str) -> AppTest:
    page.segmented_control(key=f"view-{comparison.id}").set_value(name)
    return drawn(page.run())


def ended(page: AppTest, bench: Workbench) -> AppTest:
    """The page after the runs of its comparison have ended."""
    for run in bench.comparisons.get(value(page, "comparison")).runs:
        job = bench.launcher.job(run)
        assert job is not None
        job.result(60)
    return drawn(page.run())


# The form, and runs


def test_columns_are_added_taken_away_set_and_asked(ready: Workbench, scripted: ScriptedServer) -> None:
    page = opened(PAGE, "columns")
    page.selectbox(key="compare-lineup").set_value("Rank fusion: k = 60 or k = 1").run()
    two = cards(drawn(page))
    assert len(two) == 2
    assert not [key for key in keys(page) if key.endswith("-remove")]
    click(page, "compare-add")
    assert len(cards(page)) == 3
    click(page, f"{cards(page)[2]}remove")
    assert cards(page) == two

    page.text_area(key="question").set_value("").run()
    click(page, "compare-ask")
    assert has(page, "The question is empty.")
    page.text_area(key="question").set_value(QUESTION).run()
    ended(click(page, "compare-ask"), ready)
    first, second = columns(page)
    assert "RRF constant k: 60" in first["detail"]
    assert "RRF constant k: 1" in second["detail"]
    for column in (first, second):
        assert column["status"].startswith("Done in")
        assert re.fullmatch(r"\d of \d pieces of evidence", column["outcome"]["evidence"])
        assert re.fullmatch(r"plain retrieval with \d+ passages finds \d of \d", column["outcome"]["plain"])
    comparison = ready.comparisons.get(value(page, "comparison"))
    look_at(page, comparison, "Embedding map")
    assert [one for one in page.get("plotly_chart") if "map" in str(one.key)]

    click(page, "compare-new")
    assert page.text_area(key="question").value == QUESTION
    assert QUESTION in table(page, "comparisons")["Question or name"]


def test_a_line_up_brings_its_question_and_leaves_what_was_written(ready: Workbench) -> None:
    page = opened(PAGE, "line-ups")
    assert page.text_area(key="question").value == QUESTIONS[FIRST]
    second = "Take the question apart"
    page.selectbox(key="compare-lineup").set_value(second).run()
    assert page.text_area(key="question").value == QUESTIONS[second]
    page.text_area(key="question").set_value(QUESTION).run()
    click(page, "compare-more-lineups")
    page.selectbox(key="compare-lineup").set_value("Documents or graph").run()
    assert page.text_area(key="question").value == QUESTION
    click(page, "compare-lineup-question")
    assert page.text_area(key="question").value == QUESTIONS["Documents or graph"]


def test_columns_are_given_the_same_number_of_passages_unless_somebody_says_no(
    ready: Workbench, scripted: ScriptedServer
) -> None:
    page = opened(PAGE, "even")
    even = page.toggle(key="compare-even")
    assert (even.label, even.value) == ("Same number of passages: 6", True)
    page.text_area(key="question").set_value(QUESTION).run()
    ended(click(page, "compare-ask"), ready)
    runs = ready.comparisons.get(value(page, "comparison")).runs
    first = [record(ready.store.events(run)).started for run in runs]
    assert [one and one.params.get("context_size", one.params["k"]) for one in first] == [6, 6, 6]
    click(page, "compare-new")
    page.toggle(key="compare-even").set_value(False).run()
    ended(click(page, "compare-ask"), ready)
    runs = ready.comparisons.get(value(page, "comparison")).runs
    first = [record(ready.store.events(run)).started for run in runs]
    assert [one and one.params.get("context_size", one.params["k"]) for one in first] == [6, 12, 6]


def test_columns_end_at_four(bench: Workbench) -> None:
    page = opened(PAGE)
    assert len(cards(page)) == 3
    click(page, "compare-add")
    assert len(cards(page)) == 4
    assert page.button(key="compare-add").disabled


def test_columns_stream_at_once_and_are_stopped_by_who_asked(
    ready: Workbench, scripted: ScriptedServer
) -> None:
    # Multi-Query and RAG-Fusion search for lobsters as well: so only their answers are slow.
    lists = Rule(skill="reword search_queries", reply=json.dumps({"queries": LOBSTERS}))
    told = {"context": "carapace"}
    slow = Rule(skill="answer", told=told, reply="It goes on and on. " * 400, pause=0.2)
    scripted.script(lists, slow)
    page = opened(PAGE, "stopper")
    page.text_area(key="question").set_value(QUESTION).run()
    click(page, "compare-ask")
    for run in ready.comparisons.get(value(page, "comparison")).runs[1:]:
        job = ready.launcher.job(run)
        assert job is not None
        while not job.done and "It goes on" not in record(job.events[:]).draft:
            time.sleep(0.02)
    first = ready.launcher.job(ready.comparisons.get(value(page, "comparison")).runs[0])
    assert first is not None
    first.result(60)
    plain, multi, fusion = columns(drawn(page.run()))
    assert plain["status"].startswith("Done in")
    assert "It goes on" in multi["answer"]
    assert "It goes on" in fusion["answer"]
    assert {multi["state"], fusion["state"]} == {"running"}
    other = opened(PAGE, "somebody else", comparison=value(page, "comparison"))
    assert "It goes on" in columns(other)[1]["answer"]
    assert "stop-all" not in keys(other)
    ended(click(page, "stop-all"), ready)
    assert [column["status"].split()[0] for column in columns(page)] == ["Done", "Stopped.", "Stopped."]
    assert "It goes on" in columns(page)[1]["answer"]
    assert "stop-all" not in keys(page)


# What is stored


def test_an_unknown_comparison_says_so(bench: Workbench) -> None:
    page = opened(PAGE, comparison="<script>")
    assert "No comparison with the id in this address" in page.warning[0].value
    assert cards(page)
    assert value(page, "comparison") == ""


def test_evidence_is_held_side_by_side(bench: Workbench) -> None:
    made = stored(bench)
    page = opened(PAGE, comparison=made.id)
    outcomes = [column["outcome"] for column in columns(page)]
    assert [one["stars"] for one in outcomes] == ["★☆"] * 3
    assert [one["plain"] for one in outcomes] == [""] * 3  # it was stored before that was searched
    assert has(page, "all three found the same 1 of 2 pieces of evidence")
    assert has(page, "Different numbers of passages were given: A 4, B 6, C 6.")
    assert re.search("No column found this evidence: .*Nobody.s film", said(page))
    (pairs,) = drawings(page, "pairs")
    assert [(pair["first"], pair["second"]) for pair in pairs["pairs"]] == [
        ("A", "B"),
        ("A", "C"),
        ("B", "C"),
    ]
    assert all("Jaccard" in pair["text"] for pair in pairs["pairs"])
    (grid,) = drawings(page, "lists")
    assert [one["name"] for one in grid["lists"]] == ["A", "B", "C"]
    assert [cell["text"] for cell in grid["rows"][0]["leads"]] == ["3 of 3", "★"]
    page.toggle(key=f"given-{made.id}").set_value(True).run()
    assert len(drawings(drawn(page), "lists")[0]["rows"]) < len(grid["rows"])


def test_every_section_is_drawn(bench: Workbench) -> None:
    made = stored(bench)
    page = opened(PAGE, comparison=made.id)
    assert "rank-flow" in charts(look_at(page, made, "Rank flow"))
    look_at(page, made, "Answers")
    assert has(page, "Support is judged by words in common")
    page.segmented_control(key=f"reference-{made.id}").set_value("B").run()
    assert has(drawn(page), "Marked words are not in the answer of B")
    assert "timelines" in charts(look_at(page, made, "Timelines"))
    look_at(page, made, "Embedding map")
    assert has(page, "No map: ")  # its corpus is not here
    look_at(page, made, "Whole runs")
    assert any(f"run={made.runs[0]}" in link for link in links(page))
    page.segmented_control(key=f"whole-{made.id}").set_value("C").run()
    assert any(f"run={made.runs[2]}" in link for link in links(drawn(page)))
    assert "Done in" in said(page)


def test_a_comparison_is_replayed_scene_by_scene(bench: Workbench) -> None:
    made = stored(bench)
    page = view(opened(PAGE, comparison=made.id), made, "Replay")
    key = f"compare-{made.id}"
    assert {column["state"] for column in columns(page)} == {"finished"}
    turn(page, key, 0)
    assert has(page, "Scene 1 of 5")
    assert {column["answer"] for column in columns(page)} == {""}
    assert {column["state"] for column in columns(page)} == {"running"}
    click(page, "replay-next")
    click(page, "replay-next")
    # Plain retrieval has fewer scenes, and is at its end.
    assert [column["state"] for column in columns(page)] == ["finished", "running", "running"]
    # What they do in the scene, and nothing to be stopped; what holds evidence is known from the beginning.
    assert [column["status"] for column in columns(page)[1:]] == ["Retrieve, per query"] * 2
    assert not any(column["stops"] for column in columns(page))
    (shown,) = drawings(page, "titles")
    assert [one["mark"] for one in shown["said"]] == ["A", "B", "C"]
    assert shown["titles"][2] == "A Answer, B Retrieve, per query, C Retrieve, per query"
    turn(page, key, 4)
    assert {column["state"] for column in columns(page)} == {"finished"}


def test_the_presenter_has_a_page_for_each_column_and_more(bench: Workbench) -> None:
    made = stored(bench)
    page = view(opened(PAGE, comparison=made.id), made, "Presenter")
    (shown,) = drawings(page, "question")
    assert shown["question"] == examples.QUESTION
    assert shown["key"] == made.id
    assert not drawings(page, "ended")


def test_the_presenter_asks_a_class(bench: Workbench) -> None:
    made = stored(bench)
    classes = class_store(bench.settings.database)
    for phase in ("waiting", "open"):  # a new class waits for students; what is asked for twice is shown
        click(view(opened(PAGE, comparison=made.id), made, "Presenter"), "ask-class")
        (classroom,) = classes.list(["me"])
        assert classroom.phase == phase
    ((question, _),) = classes.questions(classroom.id)
    assert (question.text, question.target, classroom.place) == (EVIDENCE, made.id, 0)


def test_a_column_whose_run_was_deleted_says_so(bench: Workbench) -> None:
    made = stored(bench)
    bench.store.delete(made.runs[1])
    page = opened(PAGE, comparison=made.id)
    assert columns(page)[1]["status"] == f"Failed. {GONE}"
    assert columns(page)[0]["status"].startswith("Done in")
    for section in SECTIONS:
        look_at(page, made, section)


def test_columns_of_another_process_are_looked_at_again(bench: Workbench) -> None:
    events = examples.plain()
    store(bench, "here", examples.rag_fusion())
    store(bench, "elsewhere", events[:5])
    made = bench.comparisons.add(examples.QUESTION, ["here", "elsewhere"], "me")
    page = opened(PAGE, comparison=made.id)
    assert has(page, "Another process is working on some of these columns")
    bench.store.append("elsewhere", events[5:])
    click(page, "look-again")
    assert not has(page, "Another process")
    assert columns(page)[1]["status"].startswith("Done in")


def test_a_comparison_is_taken_home_and_brought_in_again(bench: Workbench, taken: TakenHome) -> None:
    made = stored(bench)
    opened(PAGE, comparison=made.id)
    report = taken.text("comparison-report")
    for title in ("Plain retrieval", "Multi-Query", "RAG-Fusion"):
        assert title in report
    assert "reciprocal" in taken.text("notebook-C").lower()
    assert taken.name("comparison-export") == f"comparison-{made.id}.jsonl"
    page = opened("pages/runs.py")
    page.file_uploader(key="import-run-file").upload("back.jsonl", taken.text("comparison-export").encode())
    click(page, "import-run-button")
    again = value(page, "comparison")
    assert again not in ("", made.id)
    assert [column["title"] for column in columns(page)] == ["Plain retrieval", "Multi-Query", "RAG-Fusion"]
    assert columns(page)[2]["outcome"]["evidence"] == "1 of 2 pieces of evidence"


def test_it_is_named_listed_and_deleted_and_its_runs_stay(bench: Workbench) -> None:
    made = stored(bench)
    assert has(opened(PAGE, "somebody else", comparison=made.id), examples.QUESTION)
    assert examples.QUESTION not in table(opened(PAGE, "somebody else"), "comparisons")["Question or name"]
    page = opened(PAGE, comparison=made.id)
    page.text_input(key=f"compare-name-{made.id}").set_value("Monday <b> **x**")
    click(page, "compare-rename-save")
    assert has(page, "Monday <b> **x**")
    click(page, "compare-new")
    listed = table(page, "comparisons")["Question or name"]
    click_row(page, "comparisons", listed.index("Monday <b> **x**"))
    assert value(page, "comparison") == made.id
    click(page, "compare-delete-sure")
    assert value(page, "comparison") == ""
    assert "Monday <b> **x**" not in table(page, "comparisons")["Question or name"]
    assert bench.store.events(made.runs[0])


def test_a_hostile_comparison_is_harmless_from_every_side(bench: Workbench) -> None:
    runs = [every_artefact("plain"), every_artefact("hyde", keep=frozenset({"strategy"}))]
    ids = [store(bench, f"evil-{place}", run) for place, run in enumerate(runs)]
    made = bench.comparisons.add(
        EVIL, ids, "me", (Gold(document=EVIL, title=EVIL, quote=EVIL),), name=EVIL[:150]
    )
    page = opened(PAGE, comparison=made.id)
    for section in SECTIONS:
        assert harmless(look_at(page, made, section))
    for name in ("Replay", "Presenter"):
        assert harmless(view(page, made, name))
