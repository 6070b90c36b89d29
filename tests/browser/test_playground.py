"""The Playground as a user goes through it, in a real browser, with the scripted endpoint behind it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Tab
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


def widget(page: Page, key: str) -> str:
    return f".st-key-{key}"


def open_playground(tab: Tab, app: App) -> Page:
    tab.page.goto(app.url)
    tab.page.wait_for_selector(".st-key-question textarea")
    tab.settle()
    return tab.page


def upload(tab: Tab, app: App, path: Path, corpus: str) -> None:
    """Index a file into a corpus of its own by way of the page."""
    page = tab.page
    page.goto(f"{app.url}/documents")
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    tab.settle()
    tab.put(".st-key-files input[type=file]", path)
    field = page.locator(".st-key-corpus-name input")
    if not field.count():  # a first corpus of one's own is already there
        page.locator(".st-key-into div[data-baseweb=select]").click()
        page.get_by_role("option").first.click()
    field.fill(corpus)
    field.press("Tab")
    tab.settle()
    page.locator(".st-key-index button").click()
    expect(page.locator(".st-key-upload [data-testid=stAlert]").filter(has_text="indexed")).to_be_visible(
        timeout=60_000
    )


def choose_corpus(tab: Tab, corpus: str) -> None:
    page = tab.page
    page.locator(".st-key-corpus").get_by_role("combobox").click()
    page.get_by_role("option", name=corpus).click()
    tab.settle()


def ask(tab: Tab, question: str, strategy: str) -> None:
    page = tab.page
    page.locator(".st-key-strategy").get_by_role("radio", name=strategy).click()
    tab.settle()
    field = page.locator(".st-key-question textarea")
    field.fill(question)
    field.press("Tab")
    tab.settle()
    page.locator(".st-key-ask button").click(timeout=90_000)  # waits for the model and the corpus to be ready


def test_upload_ask_slide_cite_and_stop(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, tmp_path: Path
) -> None:
    page = tab.page
    notes = tmp_path / "films.md"
    notes.write_text(
        "# Films\n\nA Dangerous Age is a 1958 film directed by Sidney J. Furie.\n\n"
        "5 Steps to Danger is a 1957 film by Henry S. Kesler.\n\nThe Lamb is a 1915 silent film.\n",
        encoding="utf-8",
    )
    upload(tab, scripted_app, notes, "Films")
    open_playground(tab, scripted_app)
    choose_corpus(tab, "Films")
    scripted.script(Rule(match="numbered passages", reply="Sidney J. Furie directed it [1].", pause=0.05))
    ask(tab, QUESTION, "RAG-Fusion")

    answer = page.locator("[class*='st-key-answer-text']")
    expect(answer).to_contain_text("Sidney J. Furie directed it", timeout=20_000)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=20_000)
    tab.settle()
    asked = len(scripted.requests)

    # The k slider recomputes at once, without a model call, and says what the answer was made with.
    slider = page.locator("[class*='st-key-rrf-k']").get_by_role("slider")
    slider.focus()
    for _ in range(10):
        slider.press("ArrowLeft")
    expect(page.get_by_text(re.compile(r"answer was made with k = 60"))).to_be_visible()
    expect(slider).to_have_value("50")
    tab.settle()
    assert len(scripted.requests) == asked

    # A citation opens its passage with the words marked.
    page.locator("[class*='st-key-cite-']").get_by_role("button").first.click()
    tab.settle()
    marked = page.locator("mark").first
    expect(marked).to_contain_text("directed by Sidney J. Furie")

    # Stop ends a run within a second; what it has stays.
    scripted.script(Rule(match="numbered passages", reply="slow word " * 500, pause=0.05))
    ask(tab, QUESTION, "Multi-Query")
    expect(answer).to_contain_text("slow word", timeout=20_000)
    start = time.monotonic()
    page.locator(".st-key-stop button").click()
    # Looked for with every picture: `expect` looks once a second after a while, and that would be what is measured.
    page.wait_for_function("() => document.body.innerText.includes('This run was stopped')", timeout=5_000)
    assert time.monotonic() - start < 2.5
    expect(page.get_by_text("This run was stopped")).to_be_visible()
    expect(answer).to_contain_text("slow word")


@pytest.mark.parametrize(
    "strategy",
    [
        "Closed book",
        "Plain retrieval",
        "Multi-Query",
        "RAG-Fusion",
        "Decomposition, sequential",
        "Decomposition, independent",
        "Least-to-most",
    ],
)
def test_every_strategy_on_the_demo_corpus(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, strategy: str
) -> None:
    page = open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    ask(tab, QUESTION, strategy)
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    assert page.locator("[data-testid='stException']").count() == 0


def test_a_failure_is_one_sentence_and_nothing_is_lost(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(match="numbered passages", fault="server_error"))
    ask(tab, QUESTION, "RAG-Fusion")
    expect(page.get_by_text("This run failed")).to_be_visible(timeout=30_000)
    expect(page.get_by_text(re.compile("status 500")).first).to_be_visible()
    expect(page.get_by_text("Rank fusion").first).to_be_visible()
    expect(page.locator(".st-key-question textarea")).to_have_value(QUESTION)
    assert "Traceback" not in page.content()


@pytest.mark.parametrize(
    ("question", "sentence"), [("", "The question is empty"), ("x" * 100_000, "characters")]
)
def test_bad_questions_are_refused_and_kept(
    tab: Tab, scripted_app: App, scripted: ScriptedServer, question: str, sentence: str
) -> None:
    page = open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    ask(tab, question, "Plain retrieval")
    expect(page.get_by_text(re.compile(sentence)).first).to_be_visible()
    expect(page.locator(".st-key-question textarea")).to_have_value(question)
    assert scripted.requests == []


def test_a_run_survives_navigation_and_reload(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(match="numbered passages", reply="It goes on and on. " * 20, pause=0.05))
    ask(tab, QUESTION, "Plain retrieval")
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("It goes on", timeout=20_000)
    page.get_by_role("link", name="Documents").click()
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    page.get_by_role("link", name="Playground").click()
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    page.reload()
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("It goes on")


def test_a_run_can_be_stopped_after_a_reload(tab: Tab, scripted_app: App, scripted: ScriptedServer) -> None:
    page = open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(match="numbered passages", reply="It goes on and on. " * 500, pause=0.05))
    ask(tab, QUESTION, "Plain retrieval")
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("It goes on", timeout=20_000)
    page.reload()
    page.locator(".st-key-stop button").click(timeout=20_000)
    expect(page.get_by_text("This run was stopped")).to_be_visible(timeout=5_000)


def test_an_endpoint_set_in_the_browser(tab: Tab, builtin_app: App, scripted: ScriptedServer) -> None:
    page = open_playground(tab, builtin_app)
    expect(page.get_by_text("SmolLM2").first).to_be_visible()
    scripted.key = "browser-key"

    def use(key: str) -> None:
        tab.settle()
        if not page.locator(".st-key-endpoint-url input").is_visible():
            page.get_by_text("Use another model").click()
        page.locator(".st-key-endpoint-url input").fill(scripted.base_url)
        page.locator(".st-key-endpoint-model input").fill("scripted")
        page.locator(".st-key-endpoint-key input").fill(key)
        page.locator(".st-key-endpoint-use button").click()

    use("wrong-key")
    expect(page.get_by_text(re.compile("refused the key"))).to_be_visible(timeout=20_000)
    tab.settle()
    use("browser-key")
    expect(page.locator(".st-key-model").get_by_text("scripted")).to_be_visible(timeout=20_000)
    ask(tab, "Why?", "Closed book")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(timeout=30_000)
    for path in builtin_app.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"browser-key" not in content, path
            assert b"wrong-key" not in content, path


def test_the_built_in_model_on_the_demo_corpus(tab: Tab, builtin_app: App) -> None:
    page = open_playground(tab, builtin_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=120_000)
    ask(tab, QUESTION, "RAG-Fusion")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible(
        timeout=180_000
    )  # 18 samples on a busy machine
    expect(page.locator("[class*='st-key-answer-text']")).to_contain_text("Sidney J. Furie")
    expect(page.get_by_text(re.compile("Copied, not written"))).to_be_visible()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.txt", b"", "empty"),
        ("program.exe", b"MZ\x90\x00", "exe"),
        ("broken.pdf", b"%PDF-1.4\nnothing", "pdf"),
    ],
)
def test_bad_files_are_refused_with_a_reason(
    tab: Tab, scripted_app: App, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    page = tab.page
    path = tmp_path / name
    path.write_bytes(content)
    page.goto(f"{scripted_app.url}/documents")
    page.wait_for_selector(".st-key-files input[type=file]", state="attached")
    tab.settle()
    if name == "program.exe":  # the browser keeps it
        page.set_input_files(".st-key-files input[type=file]", path)
        tab.settle()
    else:
        tab.put(".st-key-files input[type=file]", path)
    if page.locator(".st-key-index button:not([disabled])").count():
        page.locator(".st-key-corpus-name input").fill("Refused")
        page.locator(".st-key-corpus-name input").press("Tab")
        tab.settle()
        page.locator(".st-key-index button").click()
    expect(page.get_by_text(re.compile(rf"{re.escape(name)}.*", re.I)).first).to_be_visible(timeout=30_000)
    expect(page.get_by_text(re.compile(sentence, re.I)).first).to_be_visible()
    assert page.locator("[data-testid='stException']").count() == 0
