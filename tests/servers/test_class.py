"""A class on the real server: students who try what is not theirs, a hundred at once, a restart."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from core.classroom.plans import shipped
from core.classroom.routes import KEY_HEADER, WRONG_FAR
from core.classroom.store import Classroom, ClassStore, class_store
from core.settings import DATABASE
from core.users import OWNER_COOKIE
from tests.browser.conftest import App, start_app, stop_app

STUDENTS = 100


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    app = start_app(tmp_path, TEACHER_PASSWORD="chalk")
    yield app
    stop_app(app)


def the_class(app: App) -> tuple[ClassStore, Classroom]:
    store = class_store(f"sqlite:///{app.home / DATABASE}")
    (plan,) = shipped().values()
    return store, store.open(secrets.token_hex(16), "Monday", plan.plan.questions)


def student(app: App, classroom: Classroom) -> httpx.Client:
    # A server closes what is idle: a request at the same moment would be refused, which browsers repeat by themselves.
    limits = httpx.Limits(max_keepalive_connections=0)
    phone = httpx.Client(base_url=f"{app.url}/join/{classroom.code}/", timeout=60, limits=limits)
    assert phone.post("member", json={}).json()["joined"]
    return phone


def test_a_hundred_vote_at_once_and_each_only_for_themselves(app: App) -> None:
    store, classroom = the_class(app)
    projector = httpx.Client(
        base_url=f"{app.url}/join/{classroom.code}/", headers={KEY_HEADER: classroom.key}, timeout=60
    )
    with ThreadPoolExecutor(16) as pool:  # all of them from one address, within a minute
        phones = list(pool.map(lambda _: student(app, classroom), range(STUDENTS)))
        projector.post("show", json={"place": 0, "phase": "open"})
        vote = {"place": 0, "option": "A"}
        taken = list(pool.map(lambda phone: phone.post("vote", json=vote).status_code, phones))
    assert taken == [200] * STUDENTS
    seen = projector.get("votes").json()
    assert (seen["joined"], seen["question"]["votes"][0]) == (STUDENTS, STUDENTS)

    ada, eve = phones[:2]
    mine = ada.cookies[OWNER_COOKIE]
    for attempt in (
        eve.post("vote", json={"place": 0, "option": "B", "member": mine, "owner": mine}),
        eve.post("vote", json={"place": 0, "option": "B"}, headers={"x-owner": mine}),
    ):
        assert attempt.status_code == 200  # her own vote, once more
    assert store.students(classroom.id, [mine])[mine].votes == {0: "A"}
    assert sum(store.counts(classroom.id)[1][0].values()) == STUDENTS
    for path in ("votes", "show"):
        for key in ("", mine, eve.cookies[OWNER_COOKIE], "chalk", classroom.id, classroom.code):
            headers = {KEY_HEADER: key}
            refused = (
                eve.get(path, headers=headers)
                if path == "votes"
                else eve.post(path, headers=headers, json={"place": 0, "phase": "revealed"})
            )
            assert refused.status_code == 403
    question = store.questions(classroom.id)[0][0]
    before = eve.get("state").text
    assert question.after not in before
    assert not {"right", "votes"} & set(eve.get("state").json()["question"])
    fresh = httpx.Client(base_url=f"{app.url}/join/{classroom.code}/")
    assert "question" not in fresh.get("state").json()  # who did not join sees nothing

    guessed = [httpx.get(f"{app.url}/join/XXXXX{digit}/state").status_code for digit in "23456789" * 5]
    assert guessed == [404] * WRONG_FAR + [429] * (40 - WRONG_FAR)
    assert fresh.get("state").status_code == 429
    assert ada.get("state").status_code == 200  # a member is let in all the same


def test_a_restart_loses_nothing(app: App) -> None:
    store, classroom = the_class(app)
    ada = student(app, classroom)
    store.show(classroom.id, 0, "open")
    ada.post("vote", json={"place": 0, "option": "B"}).raise_for_status()
    app.process.kill()
    app.process.wait(20)
    again = start_app(app.home, TEACHER_PASSWORD="chalk")
    try:
        cookies = {OWNER_COOKIE: ada.cookies[OWNER_COOKIE]}
        view = httpx.get(f"{again.url}/join/{classroom.code}/state", cookies=cookies).json()
        assert (view["joined"], view["question"]["mine"]) == (True, "B")
        changed = httpx.post(
            f"{again.url}/join/{classroom.code}/vote", json={"place": 0, "option": "A"}, cookies=cookies
        )
        assert changed.json() == {"mine": "A"}
    finally:
        stop_app(again)
