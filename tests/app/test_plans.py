"""Plans on the page Class: the app's own opens a class, others are put together, saved, exported and brought in."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.classroom.plans import plan_file, plan_store, read_plan, shipped
from core.classroom.store import class_store
from core.runs.workbench import Workbench
from core.ui.classroom.plan_form import NEW
from tests.app.opening import TakenHome, click, drawn, harmless, has, keys, opened
from tests.hostile import EVIL

PAGE = "pages/classroom.py"
(SHIPPED,) = shipped().values()


def plans(bench: Workbench) -> list[str]:
    """Names of the plans of this browser."""
    return [stored.name for stored in plan_store(bench.settings.database).list(["me"])[:-1]]


def new_plan() -> AppTest:
    """The page with a new plan."""
    return drawn(opened(PAGE).selectbox(key="plan-chosen").set_value(NEW).run())


def adding(page: AppTest, source: str) -> AppTest:
    """The page on which questions from a source are looked for."""
    page.session_state["plan-add"] = True
    page.session_state["plan-from"] = source
    return drawn(page.run())


def texts(page: AppTest) -> list[str]:
    """The beginnings of the questions on the page."""
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


def test_a_changed_plan_of_the_app_is_a_copy(bench: Workbench) -> None:
    page = opened(PAGE)
    first, second, *others = texts(page)
    page = click(page, "plan-up-1")
    assert texts(page)[:2] == [second, first]
    assert plans(bench) == [SHIPPED.name]
    own = page.selectbox(key="plan-chosen").value
    assert own not in (NEW, SHIPPED.id)
    page = click(page, "plan-out-0")
    assert (texts(page), page.selectbox(key="plan-chosen").value) == ([first, *others], own)
    page = drawn(page.selectbox(key="plan-chosen").set_value(SHIPPED.id).run())
    assert texts(page)[:2] == [first, second]
    page = drawn(page.selectbox(key="plan-chosen").set_value(own).run())
    page = click(page, "stored-plan-delete-sure")
    assert plans(bench) == []
    assert page.selectbox(key="plan-chosen").value == SHIPPED.id


def test_questions_are_taken_from_what_is_stored(bench: Workbench, taken: TakenHome) -> None:
    page = new_plan()
    for source, target in (
        ("comparison", "recorded-compared"),
        ("run", "recorded-glow"),
        ("lesson", "plain"),
    ):
        page = adding(page, source)
        page = drawn(page.selectbox(key=f"plan-from-{source}").set_value(target).run())
        page = click(page, next(key for key in sorted(keys(page)) if key.startswith("plan-take-")))
    (saved, _) = plan_store(bench.settings.database).list(["me"])
    assert [(question.source, question.target) for question in saved.plan.questions] == [
        ("comparison", "recorded-compared"), ("run", "recorded-glow"), ("lesson", "plain"),
    ]  # fmt: skip
    assert read_plan("plan.json", taken.text("plan-export").encode()) == saved.plan


def test_a_plan_is_brought_in_from_a_file(bench: Workbench) -> None:
    page = opened(PAGE)
    page.file_uploader(key="import-plan-file").upload("bad.json", b'{"type": "plan"}')
    page = click(page, "import-plan-button")
    assert has(page, "name: field required")
    text = plan_file(SHIPPED.plan.model_copy(update={"name": EVIL[:100], "notes": EVIL}))
    page.file_uploader(key="import-plan-file").upload("plan.json", text.encode())
    page = click(page, "import-plan-button")
    assert len(plans(bench)) == 1
    assert len(texts(page)) == len(SHIPPED.plan.questions)
    assert harmless(page)
