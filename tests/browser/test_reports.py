"""Reports opened from disk with the network off: they ask for nothing, show both themes, and run nothing foreign."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.report import comparison_report, run_report, stored_report
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.trace.events import Event, RunStarted
from tests import examples
from tests.bench import CORPUS, open_bench
from tests.browser.conftest import Tab
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.unit.report.test_run_report import EVIL, poisoned

QUESTION = "Who directed A Dangerous Age?"
MADE = ("self-rag", "hyde", "kg-rag", "agentic", "linked-passages", "corrective", "adaptive")
"""Runs that are made by hand, with the drawings that RAG-Fusion does not have."""


@pytest.fixture(scope="module")
def bench(homes: Homes, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    bench = open_bench(homes.indexed(), scripted_server)
    yield bench
    bench.backends.supervisor.release()


@pytest.fixture
def reader(tab: Tab) -> Iterator[Tab]:
    """A browser without a network, in which nothing but the file may be asked for and nothing may go wrong."""
    asked: list[str] = []
    tab.page.context.set_offline(True)
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.page.on(
        "console", lambda message: tab.errors.append(message.text) if message.type == "error" else None
    )
    yield tab
    assert len(asked) == 1
    assert asked[0].startswith("file://")
    assert tab.errors == []


def run(bench: Workbench, scripted: ScriptedServer, strategy: str) -> list[Event]:
    """What really comes of a question."""
    scripted.script(Rule(skill="answer", reply="It was Sidney J. Furie [1]."))
    return list(bench.launcher.start(RunRequest(QUESTION, strategy, corpus=CORPUS)).result(60))


def opened(reader: Tab, report: str, folder: Path) -> Page:
    file = folder / "report.html"
    file.write_text(report, encoding="utf-8")
    reader.page.goto(file.as_uri())
    expect(reader.page.locator("#theme")).to_be_visible()
    return reader.page


def colour(page: Page) -> str:
    found: str = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return found


def looked_at(page: Page) -> None:
    """Every drawing is drawn, in both themes and every width."""
    expect(page.locator("script.drawing")).to_have_count(0)
    assert page.locator(".drawing").count() >= 3
    assert all(
        page.locator(".drawing").evaluate_all(
            "all => all.map(one => one.shadowRoot.textContent.trim() !== '')"
        )
    )
    page.emulate_media(color_scheme="dark")
    assert colour(page) == "rgb(18, 24, 31)"
    page.get_by_role("button", name="Light theme").click()
    assert colour(page) == "rgb(255, 255, 255)"
    for width in (1440, 800, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("() => parseFloat(getComputedStyle(document.body).fontSize)") >= 16


def test_a_real_run_opens_from_disk_in_both_themes(
    reader: Tab, bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    page = opened(reader, stored_report(run(bench, scripted, "rag-fusion"), bench.store), tmp_path)
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    looked_at(page)


@pytest.mark.parametrize("name", MADE)
def test_a_run_with_other_drawings_opens_from_disk_in_both_themes(
    reader: Tab, tmp_path: Path, name: str
) -> None:
    events = examples.RUNS[name]()
    page = opened(reader, run_report(events), tmp_path)
    started = events[0]
    assert isinstance(started, RunStarted)
    expect(page.get_by_role("heading", level=1)).to_have_text(started.question)
    looked_at(page)


def test_a_citation_leads_to_its_passage_also_by_keyboard(
    reader: Tab, bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    events = run(bench, scripted, "rag-fusion")
    page = opened(reader, stored_report(events, bench.store), tmp_path)
    page.set_viewport_size({"width": 900, "height": 300})
    first = page.locator("#run-evidence .card").first
    expect(first.locator("mark")).not_to_have_count(0)
    page.locator(".answer .prose a.cite").focus()
    page.keyboard.press("Enter")
    expect(first).to_have_class("card open")
    expect(first).to_be_in_viewport()
    expect(first.locator("button.more")).to_be_focused()
    first.locator("button.back").press("Enter")
    expect(page.locator(".answer .prose a.cite")).to_be_focused()


def test_a_comparison_opens_its_runs(
    reader: Tab, bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    runs = [run(bench, scripted, "rag-fusion"), run(bench, scripted, "self-rag"), []]
    ids = [events[0].run for events in runs if events and events[0].type == "run_started"]
    made = bench.comparisons.add(QUESTION, [*ids, "deleted"], "me")
    page = opened(reader, comparison_report(made, runs), tmp_path)
    expect(page.get_by_text("This run is no longer stored.")).to_have_count(2)
    page.locator(".of-B a.cite").first.click()
    whole = page.locator("#whole-B")
    expect(whole).to_have_attribute("open", "")
    expect(whole.locator("#B-evidence .card.open")).to_be_in_viewport()
    expect(page.locator("#whole-A")).not_to_have_attribute("open", "")
    page.locator(".of-A").get_by_role("link", name="The whole run").click()
    expect(page.locator("#whole-A")).to_have_attribute("open", "")


def test_a_hostile_run_is_text(
    reader: Tab, bench: Workbench, scripted: ScriptedServer, tmp_path: Path
) -> None:
    events = poisoned(run(bench, scripted, "rag-fusion"), EVIL)
    page = opened(reader, stored_report(events, bench.store), tmp_path)
    for fold in page.locator("details > summary").all():
        fold.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=alert(2)>")
    assert page.locator("img, iframe, [onerror], [onmouseover]").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_a_reranking_shows_the_order_before_and_after_and_what_neither_uses_on_demand(
    reader: Tab, tmp_path: Path
) -> None:
    page = opened(reader, run_report(examples.plain_reranked()), tmp_path)
    expect(page.locator(".answer .prose")).to_contain_text("Larry Cohen")
    card = page.locator("article[data-kind='ranking']")
    expect(card).to_contain_text(
        "Reranking brought in 1 passage and dropped 1; the first was at rank 4 before."
    )
    expect(card.locator(".compact .was").first).to_have_text("4 →")
    expect(card.locator(".pair section")).to_have_count(2)  # drawn after the text
    before, after = card.locator(".pair section").all()
    for section, title, ranks in ((before, "Before", ["1", "2", "4"]), (after, "After", ["1", "2", "3"])):
        expect(section.locator("header b")).to_have_text(title)
        expect(section.locator(".stand:not([hidden]) .rank")).to_have_text(ranks)
    expect(after.locator(".in .remark")).to_have_text("▲ came in, was rank 4")
    expect(card.locator(".pair path")).to_have_count(3)
    card.get_by_role("button", name="Show 1 more that neither uses").click()
    expect(card.locator(".pair path")).to_have_count(4)
    passage = after.locator(".stand").first
    passage.locator("summary").click()
    expect(passage.locator("p")).to_be_visible()
