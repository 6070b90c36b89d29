"""Data sets in a real browser: one is made by the keyboard, as slowly and as fast as one likes."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from playwright.sync_api import Locator, Page, expect

from core.corpora.demo import DEMO_CORPUS
from tests.browser.conftest import App, Tab

Marks = dict[str, int]

FIRST = "Who painted the swing bridge anew?"
TENDER, LOBSTERS = "Repainting of the Swing Bridge: Bids and Award", "Shellfish Ordinance 2003"
MANY = "Who sailed to Ternick?"
"""Found in more documents than are marked."""
SECOND = "Is <img src=x onerror=alert(1)> a **film**?"


def data_sets(tab: Tab, app: App) -> Page:
    page = tab.page
    page.goto(f"{app.url}/evaluate?section=Data+sets")
    expect(page.get_by_text("Add a data set")).to_be_visible()
    tab.settle()
    return page


def begin(tab: Tab, app: App, name: str) -> Page:
    """A data set about the demo corpus, which is there when the app is new a moment later."""
    page = data_sets(tab, app)
    page.get_by_text("Make one", exact=True).click()
    field = page.locator(".st-key-making-corpus input")
    expect(field).to_be_attached(timeout=60_000)
    field.click()
    page.get_by_role("option", name=re.compile(rf"^{DEMO_CORPUS} \(\d+ documents\)")).click()
    page.locator(".st-key-making-name input").fill(name)
    page.locator(".st-key-making-begin button").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    return page


def field(page: Page, what: str) -> Locator:
    return page.locator(f"[class*='st-key-made-{what}-']").locator("textarea, input")


def card(page: Page, title: str) -> Locator:
    return page.locator("article.card").filter(has=page.get_by_text(title, exact=True))


def kept(page: Page, questions: int, complete: int) -> None:
    """What is said of all questions is read from the database."""
    expect(page.get_by_text(f"All questions: {questions}, complete: {complete}")).to_be_visible()


def marks_of(app: App, data_set: str) -> list[Marks]:
    """What is in the database: for each question of a data set, the titles of its marked documents and their grades."""
    with closing(sqlite3.connect(app.home / "rag-loupe.sqlite")) as database:
        questions = database.execute(
            "SELECT q.data_set, q.id FROM made_questions q JOIN data_sets d ON q.data_set = d.id "
            "WHERE d.name = ? ORDER BY q.place",
            [data_set],
        ).fetchall()
        marks = "SELECT title, grade FROM made_marks WHERE data_set = ? AND question = ?"
        return [dict(database.execute(marks, question).fetchall()) for question in questions]


def marked(app: App, data_set: str, expected: list[Marks], seconds: float = 30) -> None:
    """What was clicked is in the database, or will be in a moment: the page shows it before."""
    end = time.monotonic() + seconds
    while marks_of(app, data_set) != expected and time.monotonic() < end:
        time.sleep(0.1)
    assert marks_of(app, data_set) == expected


@contextmanager
def busy_database(app: App) -> Iterator[None]:
    """Nothing can be saved meanwhile; everything that is to be saved waits."""
    with closing(sqlite3.connect(app.home / "rag-loupe.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA busy_timeout = 10000")
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("ROLLBACK")


def test_questions_are_made_by_the_keyboard_as_slowly_and_as_fast_as_one_likes(
    tab: Tab, scripted_app: App
) -> None:
    name = "Films <b>and</b> more"
    page = begin(tab, scripted_app, name)

    # By the keyboard alone: the field of a new question has the focus.
    expect(field(page, "text")).to_be_focused()
    page.keyboard.type(FIRST)
    page.keyboard.press("Tab")
    expect(card(page, TENDER)).to_be_visible()
    expect(field(page, "answers")).to_be_focused()
    page.keyboard.type("a firm")
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(card(page, TENDER)).to_be_focused()
    page.keyboard.press("2")
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")
    kept(page, 1, 1)
    expect(page.locator("[aria-checked=true].gold")).to_have_count(1)
    expect(card(page, TENDER).get_by_text("Fully")).to_have_attribute("aria-checked", "true")

    # On at once: what was marked last is saved though the page of the next question is asked for already.
    page.locator(".st-key-making-next button").click()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    tab.settle()
    marked(scripted_app, name, [{TENDER: 2}, {}])
    expect(field(page, "text")).to_be_focused()
    page.keyboard.type(SECOND)
    page.keyboard.press("Tab")
    expect(page.locator("article.card").first).to_be_visible()
    kept(page, 2, 1)
    page.reload()
    expect(page.get_by_text("Question 2 of 2")).to_be_visible()
    expect(field(page, "text")).to_have_value(SECOND)

    # A document that shares no word with the question is found by other words.
    field(page, "search").fill("carapace of a lobster")
    field(page, "search").press("Enter")
    card(page, LOBSTERS).get_by_text("Partly").click()
    field(page, "answers").fill("no\nfalse")
    field(page, "answers").press("Tab")
    kept(page, 2, 2)
    marked(scripted_app, name, [{TENDER: 2}, {LOBSTERS: 1}])

    # In quick succession, while nothing can be saved: what is marked and written is kept as it was last.
    page.locator(".st-key-making-next button").click()
    expect(page.get_by_text("Question 3 of 3")).to_be_visible()
    tab.settle()
    expect(field(page, "text")).to_be_focused()
    page.keyboard.type(MANY)
    page.keyboard.press("Tab")
    expect(page.locator("article.card").nth(3)).to_be_visible()
    tab.settle()
    first = page.locator("article.card .title").first.inner_text()
    page.locator("article.card").first.focus()
    with busy_database(scripted_app):
        # Three cards are marked on the way down and unmarked on the way up; then the first one again.
        for key in ["1"] * 3 + ["ArrowUp", "0", "ArrowUp"] * 3 + ["2"]:
            page.keyboard.press(key)
            page.wait_for_timeout(50)  # as a person does: with every mark, a run of the page begins
        field(page, "answers").fill("a firm")
        page.locator(".st-key-making-next button").click()
        page.wait_for_timeout(500)
    expect(page.get_by_text("Question 4 of 4")).to_be_visible()
    tab.settle()
    marked(scripted_app, name, [{TENDER: 2}, {LOBSTERS: 1}, {first: 2}, {}])
    kept(page, 4, 3)
    back(tab, "Question 3 of 4")
    expect(field(page, "answers")).to_have_value("a firm")
    expect(card(page, first).get_by_text("Fully")).to_have_attribute("aria-checked", "true")
    expect(page.locator("[aria-checked=true].gold")).to_have_count(1)

    back(tab, "Question 2 of 4")
    back(tab, "Question 1 of 4")
    expect(field(page, "text")).to_have_value(FIRST)
    expect(card(page, TENDER).get_by_text("Fully")).to_have_attribute("aria-checked", "true")


def back(tab: Tab, to: str) -> None:
    tab.page.locator(".st-key-making-back button").click()
    expect(tab.page.get_by_text(to)).to_be_visible()
    tab.settle()
