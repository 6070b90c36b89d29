"""The page Runs: the list, one run, taking it home and bringing in good, broken and hostile files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.gallery import install
from core.runs.transfer import to_lines
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.ui.run import files as run_files
from core.ui.run import scrubber
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
    opened,
    scenes,
    table,
    turn,
    value,
)
from tests.app.pages import said
from tests.hostile import EVIL, every_artefact

PAGE = "pages/runs.py"


def store(bench: Workbench, run: str, events: Sequence[Event], owner: str = "me") -> str:
    bench.store.append(run, [events[0].model_copy(update={"run": run}), *events[1:]], owner)
    return run


def listed(page: AppTest) -> list[str]:
    """Strategies of the runs of the list, without those of the gallery, which everybody sees."""
    if "runs" not in [one.key for one in page.dataframe]:
        return []
    rows = table(page, "runs")
    return [
        strategy
        for strategy, question in zip(rows["Strategy"], rows["Question or name"], strict=True)
        if question == examples.QUESTION
    ]


def bring_in(name: str, content: str, owner: str = "me") -> AppTest:
    page = opened(PAGE, owner)
    page.file_uploader(key="import-run-file").upload(name, content.encode())
    return click(page, "import-run-button")


# The list


def test_the_list_is_filtered(bench: Workbench) -> None:
    for name in ("plain", "rag-fusion", "failed", "stopped"):
        store(bench, name, examples.RUNS[name]())
    bench.store.rename("plain", "The one for Monday")
    page = opened(PAGE)
    assert len(listed(page)) == 3
    page.text_input(key="runs-text").set_value("monday").run()
    assert table(drawn(page), "runs")["Question or name"] == ["The one for Monday"]
    page.text_input(key="runs-text").set_value("").run()
    page.multiselect(key="runs-state").set_value(["stopped", "failed"]).run()
    assert set(table(drawn(page), "runs")["State"]) == {"■ stopped", "✗ failed"}
    page.multiselect(key="runs-strategy").set_value(["hyde"]).run()
    assert has(drawn(page), "No run fits these filters")
    page.multiselect(key="runs-state").set_value([]).run()
    page.multiselect(key="runs-strategy").set_value(["rag-fusion"]).run()
    assert "RAG-Fusion" in listed(page)
    bench.store.pin("rag-fusion", True)
    page.toggle(key="runs-pinned").set_value(True).run()
    assert set(table(drawn(page), "runs")["Pinned"]) == {"✓"}


def test_a_click_opens_a_run_and_all_runs_leads_back(bench: Workbench) -> None:
    store(bench, "stored-1", examples.plain())
    page = opened(PAGE)
    click_row(page, "runs", table(page, "runs")["Question or name"].index(examples.QUESTION))
    assert value(page, "run") == "stored-1"
    assert "Done in" in said(page)
    click(page, "all-runs")
    assert value(page, "run") == ""
    assert "runs" in [one.key for one in page.dataframe]


def test_runs_of_others_are_not_listed_but_their_links_work(bench: Workbench) -> None:
    store(bench, "theirs", examples.plain(), "somebody else")
    bench.store.rename("theirs", "About zebras")
    page = opened(PAGE)
    assert "About zebras" not in table(page, "runs")["Question or name"]
    page.text_input(key="runs-text").set_value("zebras").run()
    assert has(drawn(page), "No run fits these filters")
    assert "Done in" in said(opened(PAGE, run="theirs"))


def test_an_unknown_run_says_so(bench: Workbench) -> None:
    page = opened(PAGE, run="<script>")
    assert page.warning
    assert has(page, "No run with the id in this address")
    assert "run-export" not in keys(page, "download_button")


# One run


def test_a_run_is_replayed_scene_by_scene(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scrubber.SPEEDS, scrubber.NORMAL, 3600.0)  # so that no wait brings it to its end
    run = store(bench, "stored-1", examples.rag_fusion())
    page = opened(PAGE, run=run)
    assert len(scenes(page)) == 5
    assert has(page, "Scene 5 of 5")
    assert page.button(key="replay-next").disabled
    click(page, "replay-back")
    assert has(page, "Scene 4 of 5")
    assert has(page, "Fuse by RRF · 0.03 s, no model call")
    (shown,) = drawings(page, "titles")
    assert shown["said"][0]["text"].startswith("“Full Moon High” wins")
    assert has(page, "The answer will appear here.")
    turn(page, run, 0)
    assert page.button(key="replay-back").disabled
    click(page, "replay-next")
    assert has(page, "Write queries · 0.84 s, written by the model")
    click(page, "replay-play")
    assert page.button(key="replay-play").label == "Pause"
    assert has(page, "Scene 2 of 5")
    click(page, "replay-play")
    assert page.button(key="replay-play").label == "Play"


def test_a_run_is_named_taken_home_deleted_and_brought_in_again(bench: Workbench, taken: TakenHome) -> None:
    run = store(bench, "stored-1", examples.plain())
    page = opened(PAGE, run=run)
    page.text_input(key=f"run-name-{run}").set_value("For **Monday** <b>")
    click(page, "run-rename-save")
    assert page.header[0].value.replace("\\", "").replace("\u2060", "") == "For **Monday** <b>"
    assert taken.name("run-export") == "run-stored-1.jsonl"
    exported = taken.text("run-export")
    click(page, "run-delete-sure")
    assert value(page, "run") == ""
    assert page.header[0].value == "Runs"
    assert has(opened(PAGE, run=run), "No run with the id in this address")
    page = bring_in("run.jsonl", exported)
    assert value(page, "run") not in ("", run)
    assert "Done in" in said(page)
    assert bench.store.events(value(page, "run"))[1:] == examples.plain()[1:]


def test_a_run_is_taken_home_as_a_report(bench: Workbench, taken: TakenHome) -> None:
    opened(PAGE, run=store(bench, "stored-1", examples.rag_fusion()))
    assert taken.name("run-report") == "run-stored-1.html"
    assert "Full Moon High" in taken.text("run-report")


def test_the_gallery_comes_after_one_s_own_runs_and_is_exported_as_a_notebook(
    bench: Workbench, taken: TakenHome
) -> None:
    install(bench.settings.database)
    store(bench, "own", examples.plain())
    page = opened(PAGE)
    rows = table(page, "runs")
    assert rows["Question or name"][0] == examples.QUESTION, "one's own come before the gallery"
    assert rows["Searched"][rows["Strategy"].index("KG-RAG")] == "Pellamar"
    page.toggle(key="runs-gallery").set_value(False).run()
    assert table(drawn(page), "runs")["Question or name"] == [examples.QUESTION]
    page = opened(PAGE, run="pellamar-hyde")
    assert has(page, "Gallery: made with the tiny built-in model")
    assert taken.name("run-notebook") == "hyde-why-is-the-gun-on-castle-point-not-fired-on-11-november.ipynb"
    assert json.loads(taken.text("run-notebook"))["nbformat"] == 4


def test_a_run_of_which_no_notebook_can_be_made_says_why(bench: Workbench) -> None:
    events = examples.plain()
    unknown = [events[0].model_copy(update={"strategy": "of-tomorrow"}), *events[1:]]
    page = opened(PAGE, run=store(bench, "stored-1", unknown))
    button: Any = next(one for one in page.get("download_button") if one.key == "run-notebook")
    assert button.proto.disabled
    assert "No notebook can be made of this run" in button.proto.help


def test_a_run_under_way_is_shown_as_far_as_it_is(bench: Workbench) -> None:
    page = opened(PAGE, run=store(bench, "stored-1", examples.plain()[:5]))
    assert has(page, "This run is still going on")
    assert "run-delete-sure" not in keys(page)


# Files


def test_a_file_is_asked_for_and_must_not_be_too_large(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = click(opened(PAGE), "import-run-button")
    assert has(page, "Choose a file first.")
    monkeypatch.setattr(run_files, "MAX_FILE_BYTES", 2**20)
    page = bring_in("large.jsonl", " " * (2**20 + 1))
    assert has(page, "“large.jsonl” is larger than 1 MB.")


def test_a_broken_file_is_refused_with_its_line(bench: Workbench) -> None:
    lines = to_lines(examples.plain()).splitlines()
    page = bring_in("broken.jsonl", "\n".join([*lines[:3], '{"type": "run_started"}', *lines[4:]]))
    assert has(page, "Line 4 of")
    assert has(page, "is not an event of a run")
    assert value(page, "run") == ""
    assert listed(opened(PAGE)) == []


@pytest.mark.parametrize("strategy", ["plain", "hyde"])
def test_a_hostile_file_is_brought_in_and_drawn_harmless(bench: Workbench, strategy: str) -> None:
    events = every_artefact(strategy, keep=frozenset({"strategy"} if strategy == "hyde" else ()))
    page = bring_in("<img src=x onerror=alert(1)>.jsonl", to_lines(events))
    run = value(page, "run")
    assert bench.store.entry(run).question == EVIL
    assert "Done in" in said(page)
    assert "alert(1)" in said(page)
    assert harmless(page)
    for scene in range(len(scenes(page))):
        assert harmless(turn(page, run, scene))


def test_a_file_with_one_text_in_every_field_is_drawn_harmless(bench: Workbench) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script> ![](http://evil.example/x) [a](javascript:alert(3))"
    lines = to_lines(examples.rag_fusion()).splitlines()
    page = bring_in("hostile.jsonl", "\n".join(_poisoned(line, evil) for line in lines))
    assert "Done in" in said(page)
    assert "alert(1)" in said(page)
    assert harmless(page)


def _poisoned(line: str, evil: str) -> str:
    """The event with every free text replaced; names that mean something stay."""
    kept = {
        "type",
        "kind",
        "state",
        "role",
        "origin",
        "step",
        "parent",
        "created",
        "call",
        "run",
        "chunk",
        "missing",
    }

    def poison(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        return evil if isinstance(value, str) and key not in kept else value

    return json.dumps(poison(json.loads(line)))


def test_a_pin_is_drawn_with_the_icon_font(bench: Workbench) -> None:
    run = store(bench, "stored-1", examples.plain())
    bench.store.pin(run, True)
    assert opened(PAGE, run=run).header[0].value.startswith(":material/keep: ")
