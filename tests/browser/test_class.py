"""A class with real browsers: a teacher with a projector, eight students, and two app processes on one PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from core.classroom.plans import shipped
from core.classroom.store import class_store
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from tests.browser.conftest import App, Tab, start_app, stop_app
from tests.homes import Homes
from tests.postgres import PostgresServer

PHONE, LAPTOP = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=800)
STUDENTS = 8


@pytest.fixture(scope="module")
def database(postgres: PostgresServer) -> str:
    return postgres.new_database()


@pytest.fixture(scope="module")
def apps(database: str, homes: Homes) -> Iterator[list[App]]:
    """Two processes that share nothing but a database and a Chroma server."""
    supervisor = Supervisor(homes.new())
    environment = {
        "DATABASE_URL": database,
        "CHROMA_URL": supervisor.ensure(LOCAL_CHROMA).url,
        "TEACHER_PASSWORD": "chalk",
    }
    with ThreadPoolExecutor(2) as pool:
        apps = list(pool.map(lambda _: start_app(homes.new(), **environment), range(2)))
    yield apps
    for app in apps:
        stop_app(app)
    supervisor.release()


@pytest.fixture
def students(browser: Browser) -> Iterator[list[Page]]:
    """Half of them with phones, each a browser of its own."""
    contexts: list[BrowserContext] = [
        browser.new_context(
            viewport=LAPTOP if number % 2 else PHONE,
            color_scheme="dark" if number % 4 > 1 else "light",
            reduced_motion="reduce",
        )
        for number in range(STUDENTS)
    ]
    pages = [context.new_page() for context in contexts]
    for page in pages:
        page.set_default_timeout(90_000)
    yield pages
    for context in contexts:
        context.close()


def open_class(tab: Tab, app: App) -> str:
    """Sign in, open a class with the plan that comes with the app, and return its code."""
    page = tab.page
    page.goto(f"{app.url}/classroom")
    expect(page.get_by_text("On this server only the teacher opens classes")).to_be_visible()
    panel = tab.open_model()
    panel.get_by_text("Teacher", exact=True).click()
    field = panel.locator(".st-key-teacher-password input")
    field.fill("chalk")
    with tab.one_run():
        field.press("Enter")
    tab.close_model()
    with tab.one_run():
        page.get_by_role("button", name="Open a class with this plan").click()
    return page.locator(".join.large .code").inner_text()


def test_a_class_predicts_and_sees_the_truth(
    tab: Tab, apps: list[App], students: list[Page], database: str
) -> None:
    teacher, store = tab.page, class_store(database)
    (plan,) = shipped().values()
    questions = plan.plan.questions
    code = open_class(tab, apps[0])
    for number, page in enumerate(students):
        page.goto(f"{apps[number % 2].url}/join/{code.lower()}")
        if number:
            page.get_by_label("Nickname").fill(f"<b>Student</b> {number}")
        page.get_by_role("button", name="Join").click()
        expect(page.get_by_text("You are in.")).to_be_visible()
    expect(teacher.get_by_text(f"{STUDENTS} browsers joined")).to_be_visible()

    for place, question in enumerate(questions):
        teacher.keyboard.press("Space")
        expect(teacher.locator(".asking h2")).to_have_text(question.text)
        for number, page in enumerate(students):
            expect(page.locator("legend")).to_have_text(question.text)
            options = page.get_by_role("radio")
            options.nth(0).press("Space")  # by keyboard alone, and once more
            options.nth(number % len(question.options)).check()
            expect(page.get_by_role("status")).to_contain_text("You can change it until the reveal.")
        voted = f"{STUDENTS} of {STUDENTS} voted"
        expect(teacher.get_by_text(voted)).to_be_visible()
        assert question.after not in "".join(page.content() for page in students)
        if place == 0:
            for page in (students[0], teacher):  # a reload in the middle
                page.reload()
            expect(teacher.get_by_text(voted)).to_be_visible()
            expect(students[0].get_by_role("radio").nth(0)).to_be_checked()
            found = Axe().run(students[0])
            assert found.violations_count == 0, found.generate_report()
        teacher.keyboard.press("Space")
        expect(teacher.locator(".option.true").first).to_contain_text("✓ right")
        for number, page in enumerate(students):
            guess = question.options[number % len(question.options)]
            says = "You predicted right." if guess.right else f"You guessed {guess.key}; it was"
            expect(page.locator(".verdict")).to_contain_text(says)
            expect(page.locator(".share")).to_have_count(len(question.options))
    right = [
        sum(one.options[number % len(one.options)].right for one in questions) for number in range(STUDENTS)
    ]
    share = round(100 * sum(right) / (STUDENTS * len(questions)))
    teacher.keyboard.press("Space")
    expect(teacher.locator(".option")).to_have_count(len(questions))
    for page, mine in zip(students, right, strict=True):
        expect(page.locator(".verdict")).to_have_text(
            f"You: {mine} of {len(questions)} right. The class: {share} % of its votes."
        )
    assert sum(map(sum, (count.values() for count in store.counts(store.find(code).id)[1].values()))) == (
        STUDENTS * len(questions)
    )
