"""Runs in a real browser: replay, link, name, export, import of good and hostile files, delete."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from core.runs.comparison_files import comparison_lines
from core.runs.comparisons import Comparison
from core.runs.store import RunFilter, RunStore, now
from core.runs.transfer import to_lines
from tests.browser.conftest import App, Tab
from tests.browser.test_playground import QUESTION, ask, open_playground
from tests.hostile import EVIL, every_artefact
from tests.scripted import Rule, ScriptedServer


def press(page: Page, key: str) -> None:
    """Press a button; one with a help text is in the page twice."""
    page.locator(f".st-key-{key} button").first.click()


def ask_and_open(tab: Tab, app: App, scripted: ScriptedServer) -> str:
    """A finished run, opened on the page Runs; its id."""
    page = open_playground(tab, app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(match="numbered passages", reply="It was Sidney J. Furie [1].", delay=0.5))
    ask(tab, QUESTION, "RAG-Fusion")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    run = re.search(r"run=(\w+)", page.url)
    assert run is not None
    page.goto(f"{app.url}/runs?run={run[1]}")
    page.wait_for_selector(".st-key-replay")
    tab.settle()
    return run[1]


def import_file(tab: Tab, app: App, path: Path) -> Page:
    page = tab.page
    page.goto(f"{app.url}/runs")
    page.get_by_text("Bring in a run or a comparison from a file").click()
    tab.put(".st-key-import-file input[type=file]", path)
    page.locator(".st-key-import-run-button button").click()
    return page


def test_replay_step_by_step_and_at_its_own_speed(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    ask_and_open(tab, scripted_app, scripted)
    page = tab.page
    asked = len(scripted.requests)
    moment = page.locator(".st-key-replay").get_by_text(re.compile("Moment \\d"))
    expect(moment).to_contain_text("Done")
    press(page, "replay-back")
    expect(moment).to_contain_text("The answer")
    slider = page.locator(".st-key-replay").get_by_role("slider")
    slider.focus()
    slider.press("Home")
    expect(moment).to_contain_text("The question")
    expect(page.get_by_text("The answer will appear here.")).to_be_visible()
    press(page, "replay-next")
    expect(moment).to_contain_text("Write queries begins")
    # At its own speed: as long as the run took, which on a busy machine is long.
    took = re.search(r"of ([\d.]+) s$", moment.inner_text())
    assert took is not None
    press(page, "replay-play")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=(18 + float(took[1])) * 1000)
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("Sidney J. Furie")
    expect(page.locator(".st-key-replay-play")).to_contain_text("Play")
    assert len(scripted.requests) == asked


def test_name_export_import_delete(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    run = ask_and_open(tab, scripted_app, scripted)
    page = tab.page
    page.locator(".st-key-run-rename button").first.click()
    page.locator("[class*='st-key-run-name-']").get_by_role("textbox").fill("For **Monday** <b>")
    page.locator(".st-key-run-rename-save button").click()
    expect(page.get_by_role("heading", name="For **Monday** <b>")).to_be_visible()
    with page.expect_download() as download:
        press(page, "run-export")
    path = tmp_path / "run.jsonl"
    download.value.save_as(path)
    tab.settle()
    page.locator(".st-key-run-delete button").first.click()
    page.locator(".st-key-run-delete-sure button").click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    page.goto(f"{scripted_app.url}/runs?run={run}")
    expect(page.get_by_text("This run is not here")).to_be_visible()
    import_file(tab, scripted_app, path)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
    assert f"run={run}" not in page.url
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("Sidney J. Furie")


def test_runs_of_other_browsers_are_not_listed_but_their_links_work(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    run = ask_and_open(tab, scripted_app, scripted)
    tab.page.context.clear_cookies()
    page = tab.page
    page.goto(f"{scripted_app.url}/runs")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    tab.settle()
    page.locator(".st-key-runs-text input").fill(QUESTION)
    page.locator(".st-key-runs-text input").press("Enter")
    expect(page.get_by_text(re.compile("No run fits these filters"))).to_be_visible()  # the gallery is there
    page.goto(f"{scripted_app.url}/runs?run={run}")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)


def test_hostile_files_are_refused_or_harmless(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    ask_and_open(tab, scripted_app, scripted)
    page = tab.page
    with page.expect_download() as download:
        press(page, "run-export")
    good = tmp_path / "good.jsonl"
    download.value.save_as(good)
    lines = good.read_text(encoding="utf-8").splitlines()

    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:3], '{"type": "run_started"}', *lines[4:]]), encoding="utf-8")
    import_file(tab, scripted_app, broken)
    expect(page.get_by_text(re.compile("Line 4 of .*is not an event of a run"))).to_be_visible()

    evil = "<img src=x onerror=alert(1)><script>alert(2)</script> ![](http://evil.example/x) [a](javascript:alert(3))"
    hostile = tmp_path / "hostile.jsonl"
    hostile.write_text("\n".join(_poisoned(line, evil) for line in lines), encoding="utf-8")
    import_file(tab, scripted_app, hostile)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
    expect(page.get_by_text("alert(1)").first).to_be_visible()
    for element in page.get_by_text("Under the hood").all():
        element.click()
    tab.settle()
    assert page.locator("img[src*='evil'], img[onerror], a[href^='javascript']").count() == 0
    assert page.locator("[data-testid='stException']").count() == 0


def harmless(page: Page) -> bool:
    """Nothing of a hostile file became an element of the page, and nothing broke."""
    harm = "img[src*='evil'], img[onerror], a[href^='javascript'], a[href*='//evil'], iframe[src*='//evil']"
    assert [found.evaluate("element => element.outerHTML") for found in page.locator(harm).all()] == []
    return page.locator("[data-testid='stException']").count() == 0


def test_a_hostile_run_and_comparison_are_drawn_harmless(tab: Tab, scripted_app: App, tmp_path: Path) -> None:
    page, files = tab.page, (tmp_path / "run.jsonl", tmp_path / "comparison.jsonl")
    runs = [every_artefact("plain"), every_artefact("hyde", keep=frozenset({"strategy"}))]
    store = RunStore(f"sqlite:///{scripted_app.home}/rag-loupe.sqlite")
    before = {entry.id for entry in store.list()}
    compared = Comparison("", "", now(), EVIL, (), name=EVIL[:150])
    files[0].write_text(to_lines(runs[0]), encoding="utf-8")
    files[1].write_text(comparison_lines(compared, runs), encoding="utf-8")
    import_file(tab, scripted_app, files[1])
    expect(page.locator("article")).to_have_count(2)
    for section in ("Evidence", "Rank flow", "Answers", "Timelines", "Embedding map", "Whole runs"):
        page.get_by_role("radio", name=section).click()
        tab.settle()
        assert harmless(page)
    page.get_by_role("radio", name="Presenter").click()
    tab.settle()
    for _ in range(5):
        page.keyboard.press("PageDown")
        assert harmless(page)
    import_file(tab, scripted_app, files[0])
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
    hostile = [entry for entry in store.list(RunFilter(text="evil.example")) if entry.id not in before]
    assert len(hostile) == 3
    for entry in hostile[:2]:
        page.goto(f"{scripted_app.url}/runs?run={entry.id}")
        expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
        expect(page.get_by_text("alert(1)").first).to_be_visible()
        for element in page.get_by_text("Under the hood").all():
            element.click()
        tab.settle()
        assert harmless(page)
    for entry in hostile:
        store.delete(entry.id)


def test_a_run_is_taken_home_as_a_notebook(tab: Tab, scripted_app: App, tmp_path: Path) -> None:
    page = tab.page
    page.goto(scripted_app.url)
    page.locator(".st-key-open-example button").first.click()
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
    assert "run=gallery-" in page.url
    page.goto(f"{scripted_app.url}/runs?run=gallery-hyde")
    expect(page.get_by_text("Gallery: made with the tiny built-in model")).to_be_visible()
    tab.settle()
    with page.expect_download(timeout=60_000) as download:
        press(page, "run-notebook")
    path = tmp_path / "run.ipynb"
    download.value.save_as(path)
    assert download.value.suggested_filename == "run-gallery-hyde.ipynb"
    assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == 4


def _poisoned(line: str, evil: str) -> str:
    """The event with every free text replaced; names that mean something stay."""
    kept = {"type", "kind", "state", "role", "origin", "step", "parent", "created", "call", "run", "chunk"}

    def poison(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {name: poison(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [poison(item, key) for item in value]
        return evil if isinstance(value, str) and key not in kept else value

    return json.dumps(poison(json.loads(line)))
