"""Building a graph and merging its duplicates in a real browser: stop, leave, kill, fail, retry, merge, undo."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from core.knowledge.graphs import Graphs
from core.runs.building import BuildJob
from core.runs.workbench import Workbench
from tests.bench import open_bench
from tests.browser.conftest import App, Tab, start_app, stop_app
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_building import contents

SHIPS = 12
ANSWERED = 5
"""Chunks that the endpoint answers before it holds back the rest."""
BAD = "<img src=x onerror=alert('graph')> **yard** ![p](http://attacker.example/p.png)"
PAIRS = (("Café Nero", "Cafe Nero"), ("The Salt Company", "Salt Company"), ("Port Orlau", "Port-Orlau"))


def text(number: int) -> str:
    return f"The ship Ariel-{number} carried salt to Port Orlau. {BAD} built it in {1800 + number}."


def reply(number: int) -> str:
    built = {"subject": BAD, "relation": "built", "object": f"Ariel-{number}"}
    quote = f"{BAD} built it in {1800 + number}."
    when = {"subject": built, "relation": "in", "object": str(1800 + number), "quote": quote}
    wrong = {"subject": "Ariel", "relation": "sank", "object": "sea", "quote": "It sank in the sea."}
    known = [
        {
            "subject": f"Ariel-{number}",
            "relation": "known to",
            "object": pair[number % 2],
            "quote": "carried salt",
        }
        for pair in PAIRS
    ]
    return json.dumps({"triples": [built | {"quote": quote}, when, *known, wrong]})


def rules() -> list[Rule]:
    return [Rule(match=rf"The ship Ariel-{number} ", reply=reply(number)) for number in range(SHIPS)]


def hold_back(server: ScriptedServer) -> None:
    """Answer some chunks, and keep all others waiting."""
    asked = itertools.count()
    server.script(
        Rule(when=lambda body: "The ship" in str(body) and next(asked) >= ANSWERED, fault="hang"), *rules()
    )


def sent(server: ScriptedServer, *, answered: bool = False) -> list[int]:
    """Which ships the endpoint was asked about, in order; or only those that it answered."""
    prompts = [
        str(request["body"]["messages"][0]["content"])
        for request in server.requests
        if request["finished"] or not answered
    ]
    return [int(found[1]) for prompt in prompts if (found := re.search(r"The ship Ariel-(\d+) ", prompt))]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, scripted_server: ScriptedServer) -> Iterator[Workbench]:
    """A look from outside at what the app works with; it indexes the corpus."""
    bench = open_bench(tmp_path_factory.mktemp("building-home"), scripted_server)
    files = [(f"ship-{number}.txt", text(number).encode()) for number in range(SHIPS)]
    assert bench.library.index(files, "Fleet").report().chunks == SHIPS
    yield bench
    bench.graphs.graphs.close()
    bench.engines.supervisor.release()


@pytest.fixture
def graphs(bench: Workbench) -> Graphs:
    return bench.graphs.graphs


class Fleet:
    """The app on the home of `bench`; started again after a kill."""

    def __init__(self, bench: Workbench, server: ScriptedServer) -> None:
        self._home = bench.settings.rag_loupe_home
        self._server = server
        self.app = self.start()

    def start(self) -> App:
        self.app = start_app(
            self._home,
            OPENAI_BASE_URL=self._server.base_url,
            CHAT_MODEL="scripted",
            OPENAI_API_KEY="test-key",
            MODEL_TIMEOUT_SECONDS="120",
            RETRY_BASE_SECONDS="0.2",
        )
        return self.app


@pytest.fixture(scope="module")
def fleet(bench: Workbench, scripted_server: ScriptedServer) -> Iterator[Fleet]:
    fleet = Fleet(bench, scripted_server)
    yield fleet
    stop_app(fleet.app)


def open_section(page: Page, app: App, address: str) -> None:
    page.goto(f"{app.url}/knowledge_graph?{address}")
    page.wait_for_selector(".st-key-section", timeout=60_000)


def open_build(tab: Tab, fleet: Fleet) -> Page:
    open_section(tab.page, fleet.app, "section=Build")
    expect(tab.page.locator(".st-key-graph-build")).to_be_visible(timeout=60_000)
    tab.settle()
    return tab.page


def begin(tab: Tab, fleet: Fleet, name: str) -> Page:
    page = open_build(tab, fleet)
    page.locator("[class*='st-key-build-name-'] input").fill(name)
    page.locator("[class*='st-key-build-name-'] input").press("Enter")
    tab.settle()
    page.locator(".st-key-build-go button").click()
    return page


def figure(page: Page, name: str) -> str:
    shown = page.locator("[data-testid=stMetric]", has_text=name).locator("[data-testid=stMetricValue]")
    return (shown.text_content() or "").strip()


def test_a_build_is_watched_left_stopped_and_taken_up_again(
    tab: Tab, fleet: Fleet, graphs: Graphs, scripted: ScriptedServer, browser: Browser
) -> None:
    hold_back(scripted)
    page = open_build(tab, fleet)
    expect(
        page.get_by_text(re.compile("12 chunks; about 12 model calls; time: .* nobody can tell"))
    ).to_be_visible()
    begin(tab, fleet, "Watched")
    expect(page.get_by_text("5 of 12 chunks")).to_be_visible(timeout=60_000)
    lines = page.locator(".st-key-build-latest .line")
    expect(lines).to_have_count(12)
    expect(lines.locator(".node.hyper .node", has_text="<img src=x").first).to_be_visible()
    expect(lines.locator("q", has_text="**yard** ![p](http").first).to_be_visible()
    assert figure(page, "Triples") == str(5 * ANSWERED)
    assert figure(page, "Dropped") == str(ANSWERED)
    expect(page.get_by_text("the quote is not in the chunk")).to_be_visible()

    page.locator("[data-testid=stSidebarNav]").get_by_text("Documents").click()
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible(timeout=20_000)
    page.locator("[data-testid=stSidebarNav]").get_by_text("Knowledge graph").click()
    page.locator(".st-key-section").get_by_text("Build", exact=True).click()
    expect(page.get_by_text("5 of 12 chunks")).to_be_visible(timeout=20_000)

    other = browser.new_context().new_page()  # another browser sees it too
    open_section(other, fleet.app, "section=Build")
    expect(other.get_by_text("Building “Watched”")).to_be_visible(timeout=20_000)
    other.context.close()

    page.locator(".st-key-build-stop button").click()
    expect(page.get_by_text(re.compile("^Stopped. What is done stays"))).to_be_visible(timeout=20_000)
    expect(page.get_by_text("5 of 12 chunks done, 7 open.")).to_be_visible()
    assert len(graphs.ledger.notes(graphs.catalogue.graph("Watched").id)) == ANSWERED

    asked = sent(scripted, answered=True)
    scripted.reset()
    scripted.script(*rules())
    expect(
        page.get_by_text(re.compile("7 chunks; about 7 model calls; about .* judged from"))
    ).to_be_visible()
    page.locator(".st-key-build-go button").click()
    expect(page.get_by_text("12 of 12 chunks done.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile("^7 chunks done in .*, 5 done before"))).to_be_visible()
    assert sorted([*asked, *sent(scripted)]) == list(range(SHIPS)), "each chunk was paid once"
    page.locator(".st-key-build-explore button").click()
    expect(page.locator(".st-key-begin-0")).to_be_visible(timeout=60_000)
    assert "graph=Watched" in page.url


def test_a_chunk_that_failed_is_listed_and_retried(
    tab: Tab, fleet: Fleet, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(
        Rule(when=lambda body: "Ariel-7 " in str(body), reply="Once upon a time", times=2), *rules()
    )
    page = begin(tab, fleet, "Retried")
    expect(page.get_by_text("11 of 12 chunks done, 1 failed.")).to_be_visible(timeout=60_000)
    expect(page.locator(".st-key-build-failures")).to_contain_text(
        re.compile("ship-7.txt, chunk 1: .*without the form")
    )
    scripted.requests.clear()
    page.locator(".st-key-build-retry button").click()
    expect(page.get_by_text("12 of 12 chunks done.")).to_be_visible(timeout=60_000)
    assert sent(scripted) == [7]
    expect(page.locator(".st-key-build-failures")).to_have_count(0)


def test_duplicates_are_merged_dismissed_and_undone(
    tab: Tab, fleet: Fleet, bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(*rules())
    BuildJob(bench.library, graphs, "Fleet", "Doubled").report()
    before, graph = contents(graphs, "Doubled"), graphs.catalogue.graph("Doubled")
    page = tab.page
    open_section(page, fleet.app, "section=Duplicates&graph=Doubled")
    page.locator(".st-key-duplicates-meaning label").first.click()
    tab.settle()
    page.locator(".st-key-duplicates-find button").click()
    expect(page.get_by_text("3 pairs to decide")).to_be_visible(timeout=60_000)
    tab.settle()

    pair = page.locator("[class*='st-key-pair-']").filter(has_text="Salt Company")
    expect(pair.locator(".column")).to_have_count(2)
    expect(pair.locator(".column").first.locator(".line").first).to_contain_text("—[known to]→")
    pair.locator("[class*='st-key-dismiss-'] button").first.click()
    expect(page.get_by_text("2 pairs to decide")).to_be_visible()

    page.locator("[class*='st-key-pair-']").filter(has_text="Nero").locator(
        "[class*='st-key-merge-'] button"
    ).click()
    expect(page.get_by_text("Merged so far: 1")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("1 pair to decide")).to_be_visible()
    assert len(graphs.aliases.merges(graph.id)) == 1
    page.locator("[class*='st-key-undo-'] button").click()
    expect(page.get_by_text("Undone. Both entities are as they were before.")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("2 pairs to decide")).to_be_visible()
    assert contents(graphs, "Doubled") == before

    page.locator(".st-key-duplicates-safe button").first.click()
    page.locator(".st-key-duplicates-safe-sure button").click()
    expect(page.get_by_text("2 merged. Each can be undone below.")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("Nothing to decide")).to_be_visible()
    assert {one.gone.name for one in graphs.aliases.merges(graph.id)} < {
        name for two in PAIRS for name in two
    }
    assert graphs.catalogue.graph("Doubled").nodes == graph.nodes - 2


def test_a_killed_app_goes_on_where_it_was(
    tab: Tab, fleet: Fleet, bench: Workbench, graphs: Graphs, scripted: ScriptedServer
) -> None:
    scripted.script(*rules())
    BuildJob(bench.library, graphs, "Fleet", "Calm").report()
    scripted.reset()
    hold_back(scripted)
    page = begin(tab, fleet, "Killed")
    expect(page.get_by_text("5 of 12 chunks")).to_be_visible(timeout=60_000)
    fleet.app.process.kill()
    fleet.app.process.wait(10)
    done = set(graphs.ledger.notes(graphs.catalogue.graph("Killed").id))
    assert len(done) == ANSWERED

    asked = sent(scripted, answered=True)
    scripted.reset()
    scripted.script(*rules())
    fleet.start()
    open_build(tab, fleet)
    expect(page.get_by_text("“Killed” was not finished.")).to_be_visible(timeout=20_000)
    page.locator("[class*='st-key-build-other-Killed'] button").click()
    expect(page.get_by_text("5 of 12 chunks done, 7 open.")).to_be_visible(timeout=20_000)
    page.locator(".st-key-build-go button").click()
    expect(page.get_by_text("12 of 12 chunks done.")).to_be_visible(timeout=90_000)
    assert sorted([*asked, *sent(scripted)]) == list(range(SHIPS)), "nothing was asked twice"
    assert contents(graphs, "Killed") == contents(graphs, "Calm"), "nothing is lost or doubled"
