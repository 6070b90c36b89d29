"""Agentic RAG as a reader sees it: its tree with the built-in methods, and hostile text in tools."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, Tab
from tests.browser.test_hostile import HOSTILE, REACHES_OUT
from tests.browser.test_playground import open_playground
from tests.scripted import Rule, ScriptedServer

GRAPH = "Movies (Neo4j example)"


def asked(tab: Tab, app: App, question: str) -> tuple[Page, Locator]:
    """The page with a finished run on the movies graph and the demo corpus, and its tree."""
    import time; t0=time.time(); P=lambda w: print("TT", w, round(time.time()-t0,1))
    page = open_playground(tab, app)
    P("opened")
    page.locator(".st-key-strategy").get_by_role("radio", name="Agentic RAG").click()
    tab.settle()
    page.locator(".st-key-graph").get_by_role("combobox").click()
    page.get_by_role("option", name=GRAPH).click()
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=120_000)
    P("ready")
    page.locator(".st-key-question textarea").fill(question)
    page.locator(".st-key-question textarea").press("Tab")
    tab.settle()
    P("filled")
    page.locator(".st-key-ask button").click()
    P("clicked")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=60_000)
    P("done")
    tab.settle()
    P("settled")
    assert tab.errors == []
    return page, page.locator("[class*='st-key-card-tool_call-']")


def test_graph_and_documents_answer_a_double_question(tab: Tab, builtin_app: App) -> None:
    page, tree = asked(
        tab, builtin_app, "Who directed The Matrix and who is the director of the film A Dangerous Age?"
    )
    expect(tree.locator(".question h4")).to_have_text(
        ["Who directed The Matrix?", "Who is the director of the film A Dangerous Age?"]
    )
    expect(tree.locator(".tool")).to_have_text(["people_of_film", "search_documents"])
    expect(tree.locator(".call.used")).to_have_count(2)
    expect(tree.locator(".critique.enough")).to_be_visible()
    tree.get_by_text("2 rows").click()
    expect(tree.get_by_role("cell", name="Lilly Wachowski")).to_be_visible()
    tree.get_by_text("Cypher", exact=True).click()
    expect(tree.locator("pre")).to_contain_text("$title")
    tree.get_by_text("4 passages").click()
    expect(tree.locator(".words").first).to_contain_text("Furie")
    answer = page.locator(".st-key-run")
    expect(answer).to_contain_text("Lana Wachowski")
    expect(answer).to_contain_text("Sidney J. Furie")


def test_hostile_text_in_tools_stays_text(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    value = HOSTILE.partition("```")[0]  # a fence would end the query
    scripted.script(
        Rule(skill="split_question", reply=json.dumps({"questions": [f"Who? {HOSTILE[:300]}"]})),
        Rule(
            skill="choose_tool",
            calls=[("text2cypher", {"question": HOSTILE}), (HOSTILE, {HOSTILE: HOSTILE})],
        ),
        Rule(skill="critique", reply=json.dumps({"complete": True, "reason": HOSTILE, "questions": []})),
        Rule(skill="answer_gathered", reply=f"It is so [1]. {HOSTILE}"),
        Rule(skill="text2cypher", reply=f"RETURN {json.dumps(value)} AS `<img src=x onerror=alert(1)>`"),
    )
    page, tree = asked(tab, scripted_app, "Who is it?")
    expect(tree.locator(".call")).to_have_count(2)
    for fold in tree.locator("details > summary").all():
        fold.click()
    expect(tree.locator("td").first).to_contain_text("<script>")
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
