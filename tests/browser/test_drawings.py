"""The drawings of strategies, used as a reader uses them: chain, thoughts, two questions, support, turns, grid and map.

The app and a report draw the same cards with the same scripts; a report needs no server and is opened in no time. What
the app adds, charts and sliders that Python answers, is used in the app.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.cards.kinds.fusion import TABLE
from core.report import run_report
from core.runs.workbench import Workbench
from core.trace.events import Event
from tests import examples
from tests.browser.conftest import App, Tab
from tests.browser.storing import finished_run, store_run
from tests.browser.test_playground import open_all_steps
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who founded the Pellamar Ferry Company?"


LANDED = (
    "all => Promise.all(all.flatMap(one => one.getAnimations()).map(one => one.finished)).then(() => null)"
)


Finished = Callable[[str], Page]


@pytest.fixture
def finished(tab: Tab, demo_bench: Workbench, scripted: ScriptedServer, tmp_path: Path) -> Iterator[Finished]:
    """Opens the report of a finished run of a strategy; nothing may fail on it."""

    def finish(strategy: str) -> Page:
        return opened(tab, finished_run(demo_bench, QUESTION, strategy), tmp_path)

    yield finish
    assert tab.errors == []


def opened(tab: Tab, events: Sequence[Event], folder: Path) -> Page:
    file = folder / "report.html"
    file.write_text(run_report(events), encoding="utf-8")
    tab.page.goto(file.as_uri())
    return tab.page


def card(page: Page, kind: str) -> Locator:
    """The cards of a kind, in a report or in the app."""
    return page.locator(f"article[data-kind='{kind}'], [class*='st-key-card-{kind}-']")


def grade(skill: str, verdict: str | int, times: int | None = None) -> Rule:
    return Rule(skill=skill, reply=json.dumps({"verdict": verdict, "reason": "So it is."}), times=times)


def test_a_chain_joins_what_the_answer_used(finished: Finished, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(
            skill="sub_questions",
            reply=json.dumps({"queries": ["Who founded the ferry company?", "Where was she born?"]}),
        ),
        Rule(skill="answer_sub", reply="Ilse Marrack [1].", times=1),
        Rule(skill="answer_sub", reply="In Toronto [2].", times=1),
        Rule(reply="Ilse Marrack [1], born in Ternick [5]."),
    )
    page = finished("decomposition-sequential")
    chain = card(page, "sub_questions")
    expect(chain.locator(".link")).to_have_count(2)
    expect(chain.locator(".link").first.locator(".answer")).to_contain_text("Ilse Marrack")
    expect(chain.locator("svg path.tip").first).to_be_visible()
    chain.get_by_text("Knew 1 earlier answer").click()
    expect(chain.locator(".given p")).to_contain_text("Ilse Marrack")
    passage = chain.locator(".passage").first
    passage.locator("summary").click()
    expect(passage.locator("p")).to_be_visible()


def test_a_thought_shows_what_it_brought_in(finished: Finished, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill="think", reply="Brass Buttons is a western.", times=1),
        Rule(skill="think", reply="So the answer is: Marrack."),
        Rule(skill="read", reply="The answer is Ilse Marrack [7]."),
    )
    page = finished("ircot")
    evidence = page.locator("[data-card='evidence']")
    shown = evidence.locator(".card:not([hidden])")
    expect(shown).to_have_count(6)
    page.locator(".answer .prose a.cite").first.click()
    expect(shown.nth(6)).to_contain_text("7")
    evidence.get_by_text("Show only the first 6").click()
    expect(shown).to_have_count(6)
    thoughts = card(page, "thought").locator(".thought")
    expect(thoughts).to_have_count(2)
    assert thoughts.first.locator(".pool i.new").count() == thoughts.first.locator(".passage").count() > 0
    thoughts.first.locator(".passage .head").first.click()
    expect(thoughts.first.locator(".words").first).to_be_visible()
    expect(thoughts.last).to_contain_text("The chain ends")


def test_a_step_back_joins_what_both_questions_found(finished: Finished, scripted: ScriptedServer) -> None:
    reply = json.dumps({"question": "Which ferry companies are there, and who founded them?"})
    scripted.script(Rule(skill="step_back", reply=reply))
    page = finished("step-back")
    pair = card(page, "step_back")
    expect(pair.locator(".question")).to_have_text([QUESTION, json.loads(reply)["question"]])
    both = pair.locator(".side").first.locator(".both")
    expect(pair.locator(".between path")).to_have_count(both.count())
    assert both.count() > 0
    both.first.locator(".head").click()
    expect(both.first.locator(".words")).to_be_visible()


def test_hyde_marks_what_is_not_supported_and_the_map_opens_a_chunk(
    tab: Tab, demo_bench: Workbench, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    made_up = (
        'The Pellamar Ferry Company was founded by Ilse Marrack. It is "R&D" of <b>1999</b> %{x} in Atlantis.'
    )
    scripted.script(Rule(skill="passage", reply=made_up))
    events = finished_run(demo_bench, QUESTION, "hyde")
    page = opened(tab, events, tmp_path)
    passages = card(page, "passages")
    expect(passages.locator("mark").filter(has_text="Atlantis")).to_be_visible()
    supported = passages.locator(".sentence").first
    supported.locator("summary").click()
    expect(supported.locator(".nearest q")).to_contain_text("Marrack")
    assert passages.locator(".pair svg path").count() > 0

    page.goto(f"{scripted_app.url}/?run={store_run(scripted_app, events)}")
    page.locator(".st-key-all-steps").wait_for()
    tab.settle()
    open_all_steps(tab)
    chart = page.locator("[class*='st-key-map-chart-']")
    expect(chart.locator(".points path").first).to_be_visible()
    tab.settle()
    traces = chart.locator(".scatterlayer .trace")
    # The text was written by the model: whatever is in it is shown as it is.
    point(page, traces.nth(traces.count() - 2))
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text("Passage")
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text("of <b>1999</b> %{x} in Atlantis")
    expect(page.locator(".hoverlayer .hovertext")).to_contain_text('"R&D"')
    point(page, traces.nth(traces.count() - 4))
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("[class*='st-key-passages-map-'] .card").first).to_be_visible()
    assert tab.errors == []


def point(page: Page, trace: Locator) -> None:
    """Put the mouse on the last point of a trace."""
    mark = trace.locator(".points path").last
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_turns_and_grades_of_self_rag(finished: Finished, scripted: ScriptedServer) -> None:
    scripted.script(
        grade("grade_relevance", "no", times=1),
        grade("grade_relevance", "yes"),
        grade("grade_support", "fully"),
        grade("grade_use", 2, times=1),
        grade("grade_use", 5),
        Rule(skill="rewrite_question", reply='{"question": "Which western was made in 1919?"}'),
    )
    page = finished("self-rag")
    loop = page.locator("[data-card='picture']")
    turns = loop.locator(".turn")
    expect(turns).to_have_count(2)
    expect(turns.first).to_contain_text("2 of 5")
    expect(turns.first).to_contain_text("The question is rewritten")
    expect(loop.locator(".ending")).to_contain_text("Good enough")
    grades = card(page, "grade").first
    expect(grades.locator(".chip.fails")).to_have_text("✗ no")
    grades.locator("button.about").first.click()
    expect(grades.locator(".passage").first).to_be_visible()
    expect(card(page, "rewrite")).to_contain_text("Rewritten question")


def test_a_walk_is_played_and_says_why_a_passage_is_there(finished: Finished) -> None:
    page = finished("linked-passages")
    walk = card(page, "walk")
    shares = walk.locator(".share")

    def stopped() -> list[float]:
        return [float(text.split(" ")[0]) for text in shares.all_text_contents()]

    expect(shares.first).to_be_visible()
    at_the_end = stopped()
    step, restart = (walk.locator(f".{name} input") for name in ("scrubber", "restart"))
    step.fill("0")
    expect(shares.first).to_contain_text("+")
    assert sum(stopped()) < sum(at_the_end)
    step.fill("10")
    restart.fill("1")  # everybody stops where they begin
    hits = walk.locator("section:not(.asked)").first.locator(".passage")
    assert abs(sum(stopped()) - 100) < 1
    assert sum(value > 0 for value in stopped()) == hits.count()
    expect(walk.locator(".restart output")).to_have_text("1.00")
    walk.locator("section:not(.asked)").nth(1).locator(".passage").first.click()
    expect(walk.locator(".why li")).to_have_count(2)
    expect(walk.locator(".why mark")).to_have_count(1)
    expect(walk.locator("svg path.way")).to_have_count(2)  # from the question to a first hit, and on
    step.fill("8")
    walk.locator(".play").click()
    expect(walk.locator(".scrubber output")).to_have_text("the end")
    expect(walk.locator(".play")).to_have_text("▶ Play")


def test_the_grid_opens_a_passage(finished: Finished) -> None:
    page = finished("rag-fusion")
    card(page, "fusion").get_by_text(TABLE).click()
    row = card(page, "fusion").locator("tr.row").first
    expect(row.locator(".held").first).to_contain_text("1")
    row.locator("button").click()
    expect(row.locator("button")).to_have_attribute("aria-expanded", "true")
    expect(card(page, "fusion").locator("tr.more .words").first).to_be_visible()


GLIDES = """() => {
  window.glided = []
  const animate = Element.prototype.animate
  Element.prototype.animate = function (frames, how) {
    if (this.matches?.(".fused li")) window.glided.push([this.textContent, frames[0].transform, how.duration])
    return animate.call(this, frames, how)
  }
}"""


def test_lists_flow_into_the_fused_one_and_chips_glide_to_their_new_rank(tab: Tab, scripted_app: App) -> None:
    page = tab.page
    page.goto(f"{scripted_app.url}/?run={store_run(scripted_app, examples.rag_fusion())}")
    fusion = card(page, "fusion")
    columns, fused, says = fusion.locator(".list"), fusion.locator(".fused .chip"), fusion.locator(".says")
    expect(columns).to_have_count(5)
    tab.settle()
    expect(says).to_have_text("1. Full Moon High1/61 + 1/61 + 1/64 + 1/61 = 0.0648")
    fusion.locator(".map").scroll_into_view_if_needed()

    # The second of Q1 is second in Q3 and first in Q4, too.
    columns.first.locator(".chip").nth(1).hover()
    expect(says).to_have_text("2. Eight on the Lam1/62 + 1/62 + 1/61 = 0.0487")
    expect(fusion.locator(".chip.lit")).to_have_count(4)
    expect(fusion.locator(".list .lit .term")).to_have_text(["1/62", "1/62", "1/61"])
    expect(fusion.locator("path.lit")).to_have_count(1)
    page.mouse.move(0, 0)
    expect(fusion.locator(".chip.lit")).to_have_count(0)

    # By keyboard: one way in, the arrows lead on, along a passage's line too.
    expect(fusion.locator(".chip[tabindex='0']")).to_have_count(1)
    fusion.locator(".chip[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    focused = fusion.locator(".chip:focus")
    expect(focused).to_have_attribute("aria-label", "Eight on the Lam, rank 1 in Q4")
    expect(says).to_contain_text("1/62 + 1/62 + 1/61 = 0.0487")
    page.keyboard.press("Enter")
    expect(fusion.locator(".text .words p")).to_contain_text("Eight on the Lam")
    page.keyboard.press("Enter")
    expect(fusion.locator(".text .words")).to_have_count(0)
    assert (
        "George Marshall (director): rank 1 in Q3, rank 2 in Q4; 1/61 + 1/62"
        in fusion.locator(".aloud").inner_text()
    )

    page.evaluate(GLIDES)
    page.emulate_media(reduced_motion="no-preference")
    slider = fusion.get_by_role("slider")
    slider.focus()
    with tab.one_run():
        slider.press("Home")
    expect(fused.nth(2)).to_contain_text("George Marshall")
    expect(fused.nth(2)).to_contain_text("was 4 ▲")
    expect(fused.nth(3)).to_contain_text("was 3 ▼")
    fusion.locator(".fused li").evaluate_all(LANDED)
    heights = [box["y"] for box in (chip.bounding_box() for chip in fused.all()) if box]
    assert heights == sorted(heights)
    glided = page.evaluate("() => window.glided")
    assert {duration for _, _, duration in glided} == {200}
    assert any("George Marshall" in text and how.startswith("translateY(") for text, how, _ in glided)

    page.emulate_media(reduced_motion="reduce")
    with tab.one_run():
        slider.press("End")
    expect(fused.nth(2)).not_to_contain_text("George Marshall")
    assert page.evaluate("() => window.glided") == glided
    assert tab.errors == []
