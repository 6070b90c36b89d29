"""Plans in the database and as files, and those that come with the app."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from core.classroom.plans import (
    MAX_BYTES,
    Plan,
    PlanStore,
    plan_file,
    read_plan,
    shipped,
)
from core.classroom.questions import Option, Question
from core.errors import InputError
from core.runs.gallery import PIECES
from tests.cases import cases
from tests.commands import ROOT
from tests.postgres import PostgresServer
from tools.plans import plans as made_plans

QUESTION = Question(
    text="Which one?",
    options=(Option(key="A", text="This", right=True), Option(key="B", text="That")),
    minutes=3,
)
PLAN = Plan(name="Monday", notes="Bring chalk.", questions=(QUESTION, QUESTION))


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> PlanStore:
    if request.param == "sqlite":
        return PlanStore(f"sqlite:///{tmp_path}/plans.db")
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return PlanStore(postgres.new_database())


def test_what_is_saved_comes_back(store: PlanStore) -> None:
    saved = store.save("me", PLAN)
    assert saved.plan == PLAN
    assert saved.plan.minutes == 6
    assert store.list(["me"]) == [saved, *shipped().values()]
    assert store.list(["them"]) == list(shipped().values())


def test_a_plan_is_changed_by_its_owner_alone(store: PlanStore) -> None:
    mine = store.save("me", PLAN)
    again = store.save("me", PLAN.model_copy(update={"name": "Tuesday"}), mine.id)
    assert (again.id, store.list(["me"])[0].name) == (mine.id, "Tuesday")
    copy = store.save("them", PLAN, mine.id)
    assert copy.id != mine.id
    assert store.list(["me"])[0].name == "Tuesday"
    assert store.save("me", PLAN, "pellamar-45").id not in shipped()


def test_naming_pinning_and_deleting(store: PlanStore) -> None:
    mine = store.save("me", PLAN)
    store.rename(mine.id, "  For all \n of us ")
    assert store.list(["me"])[0].plan == PLAN.model_copy(update={"name": "For all of us"})
    store.rename(mine.id, " ")
    assert store.list(["me"])[0].name == ""
    store.pin(mine.id, True)
    assert [plan.id for plan in store.list(["them"])] == [mine.id, *shipped()]
    store.delete(mine.id)
    assert [plan.id for plan in store.list(["me", "them"])] == [*shipped()]


# Files


@cases("language", ["Pellamar", "配置の計画 – 한국어", "خطة الدرس", "🎲 \u202eevil"])
def test_a_file_holds_the_whole_plan(language: str) -> None:
    plan = PLAN.model_copy(update={"name": language.replace("\u202e", "")})
    question = QUESTION.model_copy(update={"text": plan.name, "notes": "Two\nlines"})
    plan = plan.model_copy(update={"questions": (question,)})
    text = plan_file(plan)
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read_plan("plan.json", text.encode(encoding)) == plan


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    value = json.loads(plan_file(PLAN))
    change(value)
    return json.dumps(value).encode()


@cases(
    ("data", "says"),
    [
        (b"", "is not a plan"),
        (b"[]", "cannot be read as a plan"),
        (b"\xff\xfe\x00", "is not a plan"),
        (b'{"type": "comparison"}', "type: input should be 'plan'"),
        (b"[" * 100_000, "is not a plan"),
        (b'{"type": "plan", "minutes": NaN}', "is not a plan"),
        (b" " * (MAX_BYTES + 1), "larger than the 1 MB"),
        (changed(lambda plan: plan.update(version=2)), "version: input should be 1"),
        (changed(lambda plan: plan.update(owner="teacher")), "owner: extra inputs are not permitted"),
        (changed(lambda plan: plan.update({"x" * 5000: 1})), "extra inputs are not permitted"),
        (
            changed(lambda plan: plan.update(name="x" * 201)),
            "name: string should have at most 200 characters",
        ),
        (changed(lambda plan: plan["questions"][0].update(minutes=10**9)), "less than or equal to 600"),
        (changed(lambda plan: plan.update(questions=plan["questions"] * 31)), "at most 60 items"),
        (
            changed(lambda plan: plan["questions"][1].update(text="x" * 1001)),
            "questions.1.text: string should have",
        ),
        (changed(lambda plan: plan["questions"][1].update(html="<b>")), "questions.1.html: extra"),
        (changed(lambda plan: plan["questions"][0].update(target="../../secret")), "questions.0.target"),
        (
            changed(lambda plan: plan["questions"][0].update(source="https://example.org")),
            "questions.0.source",
        ),
        (
            changed(lambda plan: plan["questions"][0]["options"].pop()),
            "questions.0.options: tuple should have at",
        ),
        (changed(lambda plan: plan["questions"][0]["options"][0].update(key="B")), "the same letter"),
        (changed(lambda plan: plan["questions"][0]["options"][0].update(right=False)), "no option is marked"),
        (
            changed(lambda plan: plan["questions"][0]["options"][0].update(text="\ud800")),
            "options.0.text: string should",
        ),
    ],
)
def test_what_is_no_plan_gets_a_sentence(data: bytes, says: str) -> None:
    with pytest.raises(InputError) as raised:
        read_plan("mine.json", data)
    assert says in str(raised.value)
    assert len(str(raised.value)) < 300


def test_nothing_in_a_file_turns_the_reading_direction() -> None:
    data = changed(lambda plan: plan["questions"][0].update(text="Which\u202e one?\x07"))
    assert read_plan("plan.json", data).questions[0].text == "Which one?"


# Those that come with the app


def test_the_plans_of_the_app_are_what_runs_and_lessons_say() -> None:
    assert {key: plan_file(stored.plan) for key, stored in shipped().items()} == made_plans()


def test_a_plan_of_the_app_fits_its_time_and_says_what_to_do() -> None:
    for stored in shipped().values():
        plan = stored.plan
        assert 0 < plan.minutes <= 45
        for question in plan.questions:
            assert question.minutes
            assert all(word in question.notes for word in ("Show before:", "Tempting:", "Say after:"))
        places = [question.right[0] for question in plan.questions]
        assert max(map(places.count, places)) < len(places) / 2


def test_the_page_for_teachers_follows_the_plan() -> None:
    page = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
    rows = [(int(start), int(number)) for start, number in re.findall(r"^\| (\d+) \| (\d+)\. ", page, re.M)]
    plan = shipped()["pellamar-45"].plan
    starts = accumulate((question.minutes for question in plan.questions[:-1]), initial=rows[0][0])
    assert rows == list(zip(starts, range(1, len(plan.questions) + 1), strict=True))
    assert rows[0][0] + plan.minutes <= 45
    for title in {piece.title for piece in PIECES if piece.id in {one.target for one in plan.questions}}:
        assert f"“{title}”" in page
