"""Plans on the page Class: the app's own opens a class, others are put together, saved, exported and brought in."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from core.classroom.plans import plan_file, plan_store, shipped
from core.classroom.store import class_store
from core.runs.workbench import Workbench
from core.ui.classroom.plan_form import NEW
from tests.app.opening import TakenHome, click, drawn, has, keys, opened
from tests.hostile import EVIL

PAGE = "pages/classroom.py"
(SHIPPED,) = shipped().values()


def plans(bench: Workbench) -> list[str]:
    """Names of the plans of this browser."""
    return [stored.name for stored in plan_store(bench.settings.database).list(["me"])[:-1]]


def new_plan(name: str) -> AppTest:
    """The page with a new plan of this name."""
    page = opened(PAGE)
    drawn(page.selectbox(key="plan-chosen").set_value(NEW).run())
    return drawn(name_field(page).set_value(name).run())


def name_field(page: AppTest) -> TextInput:
    """The name of the plan on the page."""
    return next(one for one in page.text_input if str(one.key).startswith("plan-name-"))


def adding(page: AppTest, source: str) -> AppTest:
    """The page on which questions from a source are looked for."""
    page.session_state["plan-add"] = True
    page.session_state["plan-from"] = source
    return drawn(page.run())


def texts(page: AppTest) -> list[str]:
    """What the questions on the page begin with."""
    lines = [
        one.value for one in page.markdown if one.value[:3] in [f"**{number}" for number in range(1, 10)]
    ]
    return [line.partition("** ")[2] for line in lines]


def test_the_plan_of_the_app_opens_a_class(bench: Workbench) -> None:
    page = click(opened(PAGE), "plan-open")
    (classroom,) = class_store(bench.settings.database).list(["me"])
    assert classroom.name == SHIPPED.name
    asked = [question for question, _ in class_store(bench.settings.database).questions(classroom.id)]
    assert asked == list(SHIPPED.plan.questions)
    assert "plan-open" not in keys(page)


def test_a_changed_plan_of_the_app_is_saved_as_ones_own(bench: Workbench) -> None:
    page = opened(PAGE)
    first, second, *_ = texts(page)
    page = click(page, next(str(one.key) for one in page.button if str(one.key).endswith("-down")))
    assert texts(page)[:2] == [second, first]
    name_field(page).set_value("Mine")
    page = click(page, "plan-save")
    assert plans(bench) == ["Mine"]
    assert texts(page)[:2] == [second, first]
    assert page.selectbox(key="plan-chosen").value not in (NEW, SHIPPED.id)
    page = drawn(page.selectbox(key="plan-chosen").set_value(SHIPPED.id).run())
    assert texts(page)[0] == first  # saving made a copy


def test_questions_are_taken_from_what_is_stored(bench: Workbench) -> None:
    page = new_plan("Monday")
    for source, target in (
        ("comparison", "recorded-compared"),
        ("run", "recorded-glow"),
        ("lesson", "plain"),
    ):
        page = adding(page, source)
        page = drawn(page.selectbox(key=f"plan-from-{source}").set_value(target).run())
        page = click(page, next(key for key in sorted(keys(page)) if key.startswith("plan-take-")))
    page = click(page, "plan-save")
    (saved, _) = plan_store(bench.settings.database).list(["me"])
    assert [(question.source, question.target) for question in saved.plan.questions] == [
        ("comparison", "recorded-compared"), ("run", "recorded-glow"), ("lesson", "plain"),
    ]  # fmt: skip


def test_what_was_written_stays_until_it_can_be_added(bench: Workbench, taken: TakenHome) -> None:
    page = adding(new_plan("Monday"), "written")
    page.text_area(key="plan-text-0").set_value(EVIL)
    page.text_input(key="plan-option-B-0").set_value("This")
    page = click(page, "plan-write-add-0")
    assert has(page, "options: should have at least 2 items")
    page.text_input(key="plan-option-C-0").set_value("That")
    page = click(page, "plan-write-add-0")
    assert has(page, "no option is marked as right")
    assert page.text_area(key="plan-text-0").value == EVIL
    page.checkbox(key="plan-option-C-0-right").set_value(True)
    page = click(page, "plan-write-add-0")
    assert page.text_area(key="plan-text-1").value == ""
    assert len(texts(page)) == 1
    page = drawn(name_field(page).set_value(" ").run())
    page = click(page, "plan-save")
    assert has(page, "name: it is empty")
    page = drawn(name_field(page).set_value("Monday").run())
    (question,) = json.loads(taken.text("plan-export"))["questions"]
    assert [(option["key"], option["right"]) for option in question["options"]] == [("A", False), ("B", True)]


def test_a_plan_is_brought_in_from_a_file(bench: Workbench) -> None:
    page = opened(PAGE)
    page.file_uploader(key="import-plan-file").upload("bad.json", b'{"type": "plan"}')
    page = click(page, "import-plan-button")
    assert has(page, "reads version 1")
    text = plan_file(SHIPPED.plan.model_copy(update={"name": "Theirs"}))
    page.file_uploader(key="import-plan-file").upload("plan.json", text.encode())
    page = click(page, "import-plan-button")
    assert plans(bench) == ["Theirs"]
    assert name_field(page).value == "Theirs"


def test_a_new_name_in_the_menu_is_that_of_the_draft(bench: Workbench) -> None:
    page = click(opened(PAGE), "plan-save")
    (saved, _) = plan_store(bench.settings.database).list(["me"])
    plan_store(bench.settings.database).rename(saved.id, "Later")
    page = drawn(page.run())
    assert name_field(page).value == "Later"
    page = click(page, "stored-plan-delete-sure")
    assert plans(bench) == []
    assert page.selectbox(key="plan-chosen").value == SHIPPED.id
