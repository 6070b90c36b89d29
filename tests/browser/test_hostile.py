"""Hostile text in a document, a file name, a question, a reply and a tool: nothing runs, and nothing is fetched.

The `tab` fixture fails the test when a dialog opens or a request leaves this machine.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

from core.runs.workbench import Workbench
from tests.browser.conftest import App, Tab
from tests.browser.storing import finished_run, store_run
from tests.browser.test_playground import (
    ask,
    choose_corpus,
    open_all_steps,
    open_playground,
    upload,
)
from tests.homes import READY
from tests.scripted import Rule, ScriptedServer

_, MOVIES, _ = READY
HOSTILE = (
    "<script>alert('script')</script> <img src=x onerror=\"alert('img')\"> <svg onload=alert('svg')> "
    "![picture](http://attacker.example/pixel.png) [link](javascript:alert('link')) [site](http://attacker.example/x) "
    "<a href=\"javascript:alert('a')\">a</a> [ref][1] <iframe src=http://attacker.example></iframe> "
    ":material/home: :red[red] $$x$$ `code` http://attacker.example/bare\n\n[1]: http://attacker.example/ref\n\n"
    "```mermaid\ngraph TD; A-->B; click A \"javascript:alert('mermaid')\"\n```"
)

REACHES_OUT = ", ".join(
    f"{tag}[{attribute}*='{address}']"
    for tag, attribute in (("a", "href"), ("img", "src"), ("iframe", "src"), ("object", "data"))
    for address in ("//attacker", "javascript:")
)
"""Elements that would fetch from the attacker, lead there, or run script."""


def test_nothing_runs_and_nothing_is_fetched(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    page = tab.page
    corpus = "Hostile <b onmouseover=alert(1)>"
    path = tmp_path / "<img src=x onerror=alert('name')> ![p](http:..attacker.example).md"
    path.write_text(f"# {HOSTILE}\n\nWho is it? {HOSTILE}", encoding="utf-8")
    upload(tab, scripted_app, path, corpus)
    open_playground(tab, scripted_app)
    choose_corpus(tab, corpus)
    variants = '{"queries": ["<script>alert(1)</script> one?", "![x](http://attacker.example/q.png) two?"]}'
    scripted.script(
        Rule(skill="answer", reply=f"It is so [1]. {HOSTILE} [1]"),
        Rule(skill="search_queries", reply=variants),
    )
    ask(tab, f"Who is it? {HOSTILE}", "RAG-Fusion")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    open_all_steps(tab)
    for opener in page.locator(".st-key-run [data-testid='stExpander'] summary").all()[:8]:
        opener.click()
    page.locator("[class*='st-key-cite-']").get_by_role("button").first.click()
    tab.settle()
    expect(page.locator("mark").first).to_be_visible()
    assert page.locator("script:has-text(\"alert('script')\")").count() == 0
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
    assert (tab.foreign, tab.dialogs) == ([], [])


def test_hostile_text_in_tools_stays_text(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, demo_bench: Workbench
) -> None:
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
    run = store_run(scripted_app, finished_run(demo_bench, "Who is it?", "agentic", MOVIES))
    page = tab.page
    page.goto(f"{scripted_app.url}/?run={run}")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    tab.settle()
    open_all_steps(tab)
    tree = page.locator("[class*='st-key-card-tool_call-']")
    expect(tree.locator(".call")).to_have_count(2)
    for fold in tree.locator("details > summary").all():
        fold.click()
    expect(tree.locator("td").first).to_contain_text("<script>")
    assert page.locator(REACHES_OUT).count() == 0
    assert page.locator("[onerror], [onload], [onmouseover]").count() == 0
    assert tab.errors == []
