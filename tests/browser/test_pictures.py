"""Pictures of strategies on pages of their own: pointing, choosing, the keyboard, what grows, and how wide it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

import pytest
from playwright.sync_api import Browser, Page, expect

from core.cards.kind import Scene
from core.cards.parts import Drawing
from core.cards.stage import picture
from core.runs.record import record
from core.trace.events import Event
from core.ui.knowledge.triples import Arrow, End, TripleColumn, TripleLine
from tests import fleet
from tests.browser.still import still
from tests.examples import RUNS, places_of
from tests.unit.cards.kinds.test_chain import chain_run

Opened = Callable[[Drawing, int], Page]


@pytest.fixture(scope="module")
def one_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(reduced_motion="reduce")
    yield page
    page.close()


@pytest.fixture
def opened(one_page: Page) -> Iterator[Opened]:
    """Opens a drawing, so many pixels wide; nothing may fail on it. All are opened on one page, each as if it were new:
    a page of its own takes a process of its own."""
    faults: list[object] = []

    def open_page(part: Drawing, width: int) -> Page:
        one_page.goto("about:blank")
        one_page.set_viewport_size({"width": width + 32, "height": 900})
        one_page.set_content(still(part, width=width))
        return one_page

    def note(fault: object) -> None:
        faults.append(fault)

    one_page.on("pageerror", note)
    yield open_page
    one_page.remove_listener("pageerror", note)
    assert not faults


def drawn(events: Sequence[Event]) -> Drawing:
    made = picture(Scene(record(events), "#0072B2", "run"))
    assert made is not None
    return next(part for part in made.parts if isinstance(part, Drawing))


def until(events: list[Event], kind: str, count: int) -> list[Event]:
    """The events up to the one that made so many artefacts of a kind."""
    return events[: places_of(events, kind)[count - 1]]


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"plain", "reranked", "failed"}))
@pytest.mark.parametrize("width", [340, 1000])
def test_a_picture_stays_within_its_place(opened: Opened, name: str, width: int) -> None:
    page = opened(drawn(RUNS[name]()), width)
    wide = "() => [...document.querySelector('#place').shadowRoot.querySelectorAll('.root')].map(n => n.scrollWidth)"
    assert max(page.evaluate(wide)) <= width


def test_a_query_lights_what_it_put_into_the_pool(opened: Opened) -> None:
    page = opened(drawn(RUNS["multi-query"]()), 1000)
    page.locator(".query").nth(1).hover()
    lit = page.locator(".chip.lit")
    found = page.locator(".chip:has(.ranks i:nth-child(2).found)")
    assert lit.count() == found.count() > 0
    expect(page.locator(".says")).to_contain_text("Q2")
    expect(page.locator("path.lit")).to_have_count(lit.count())
    page.mouse.move(0, 0)
    expect(lit).to_have_count(0)


def test_a_passage_of_the_pool_is_told_and_read(opened: Opened) -> None:
    page = opened(drawn(RUNS["multi-query"]()), 340)
    expect(page.locator("svg").first).to_be_hidden()
    page.locator(".chip").first.focus()
    expect(page.locator(".says")).to_contain_text("decides its place in the pool")
    page.keyboard.press("Enter")
    expect(page.locator(".text .words p")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".chip").nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".query:focus")).to_have_count(1)
    expect(page.locator("button[tabindex='0']")).to_have_count(1)


def test_the_lists_stand_alone_until_they_are_fused_and_what_is_chosen_stays(opened: Opened) -> None:
    events = RUNS["rag-fusion"]()
    page = opened(drawn(until(events, "ranking", 4)), 1000)
    expect(page.locator(".fused .chip")).to_have_count(0)
    expect(page.locator(".fused .query")).to_have_text("Not fused yet")
    page.locator(".chip").first.click()
    name = page.locator(".chip[aria-pressed='true']").first.get_attribute("data-chunk")
    page.evaluate("data => put(data)", dict(drawn(events).data))
    expect(page.locator(".fused .chip").first).to_be_visible()
    expect(page.locator(f".fused .chip.lit[data-chunk='{name}']")).to_be_visible()


@pytest.mark.parametrize("width", [340, 1000])
def test_a_chain_fills_link_by_link(opened: Opened, width: int) -> None:
    events = chain_run()
    page = opened(drawn(until(events, "sub_answer", 1)), width)
    expect(page.locator(".link")).to_have_count(2)
    expect(page.locator(".link.waiting")).to_have_count(1)
    page.locator(".link").nth(1).click()
    page.evaluate("data => put(data)", dict(drawn(events).data))
    expect(page.locator(".link.waiting")).to_have_count(0)
    chosen = page.locator(".link[aria-pressed='true']")
    expect(chosen).to_contain_text("When was he born?")
    expect(page.locator(".text")).to_contain_text("It knew")
    page.locator(".text summary").first.click()
    expect(page.locator(".text .words p").first).to_be_visible()
    chosen.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".link").first).to_be_focused()
    assert page.locator("svg > path").count() > 0


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"plain", "reranked", "failed"}))
def test_no_picture_cuts_off_what_it_draws(opened: Opened, name: str) -> None:
    page = opened(drawn(RUNS[name]()), 805)  # as wide as the stage is at 1440
    cut = page.locator(".map").evaluate_all("maps => maps.map((map) => map.scrollHeight - map.clientHeight)")
    assert set(cut) <= {0}


def test_a_ladder_shows_what_each_thought_brought(opened: Opened) -> None:
    page = opened(drawn(RUNS["ircot"]()), 1000)
    rungs = page.locator(".turn")
    expect(rungs).to_have_count(4)
    expect(rungs.first.locator(".item")).not_to_have_count(0)
    expect(page.locator(".led:visible")).to_have_count(0)
    rungs.first.locator(".box").nth(1).click()
    page.locator(".text summary").first.click()
    expect(page.locator(".text .words p").first).to_be_visible()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    expect(rungs.first.locator(".box").first).to_be_focused()


def test_a_walk_flows_from_the_question_on(opened: Opened) -> None:
    page = opened(drawn(RUNS["linked-passages"]()), 1000)
    begins = page.locator("section:not(.asked)").first.locator(".passage")
    reached = page.locator("section:not(.asked)").nth(1).locator(".passage")
    assert page.locator("path.flows").count() > begins.count()
    reached.first.hover()
    expect(page.locator(".says")).to_contain_text("is mentioned in")
    expect(page.locator(".passage.way")).to_have_count(2)
    expect(page.locator("path.way")).to_have_count(2)
    begins.first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".passage:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".why mark")).to_have_count(1)


@pytest.mark.parametrize("width", [340, 1000])
def test_the_turns_of_a_loop_say_why_it_went_round_again(opened: Opened, width: int) -> None:
    page = opened(drawn(RUNS["self-rag"]()), width)
    turns = page.locator(".turn")
    expect(turns).to_have_count(3)
    expect(turns.first.locator(".led")).to_contain_text("none of the 3 passages is relevant")
    expect(turns.first.locator(".out")).to_have_count(3)
    expect(turns.last.locator(".led")).to_be_hidden()  # it stands with the answer
    expect(page.locator(".ending")).to_contain_text("Limit reached")
    box = turns.nth(1).locator(".box").nth(1)
    box.focus()
    expect(page.locator(".says")).to_contain_text("3 of 3 passages kept")
    page.keyboard.press("Enter")
    page.locator(".text summary").first.click()
    expect(page.locator(".text .words p").first).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(turns.first.locator(".box").nth(1)).to_be_focused()


def test_a_step_through_a_graph_tells_what_it_chose_from(opened: Opened) -> None:
    page = opened(drawn(RUNS["kg-rag"]()), 1000)
    page.locator(".chip.chosen").hover()
    expect(page.locator(".says")).to_contain_text("Full Moon High")
    page.locator(".chip.chosen").click()
    expect(page.locator(".facts[open] .fact")).not_to_have_count(0)
    page.locator(".chip.chosen").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".chip:not(.chosen)")).to_be_focused()


def test_a_call_of_the_tree_is_opened_and_told(opened: Opened) -> None:
    page = opened(drawn(RUNS["agentic"]()), 1000)
    calls = page.locator(".call")
    calls.first.click()
    expect(page.locator(".text table tr")).to_have_count(3)
    expect(page.locator(".says")).to_contain_text("The final answer cites it")
    page.keyboard.press("ArrowDown")
    expect(calls.nth(1)).to_be_focused()
    expect(page.locator("path.used")).to_have_count(1)


def test_hostile_triples_are_text(opened: Opened) -> None:
    built = Arrow(End(fleet.BAD), "built", End("Ariel-1"))
    quote = f"{fleet.BAD} built it in 1801."
    lines = (
        TripleLine(built, quote),
        TripleLine(Arrow(End("", built, hyper=True), "in", End("1801")), quote),
    )
    column = TripleColumn(lines, fleet.BAD, fleet.BAD)
    page = opened(Drawing("triples", {"columns": [asdict(column)], "growing": True}), 800)
    expect(page.locator(".line")).to_have_count(2)
    expect(page.locator(".line .node.hyper .node", has_text="<img src=x")).to_be_visible()
    expect(page.locator(".line q", has_text="**yard** ![p](http")).to_have_count(2)
    assert page.locator("#place").locator("img, a, script, strong").count() == 0
