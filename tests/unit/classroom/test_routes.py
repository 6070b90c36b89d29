"""The routes by which phones join and vote, and the projector counts: who may do what, and what each is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.classroom.questions import Option, Question
from core.classroom.routes import BODY_BYTES, KEY_HEADER, WRONG_FAR, ClassRoutes
from core.classroom.store import Classroom, ClassStore
from core.users import OWNER_COOKIE

QUESTION = Question(
    text="Which strategy finds <b>the</b> evidence?",
    about="Who designed the lighthouse?",
    options=(Option(key="A", text="Plain retrieval"), Option(key="B", text="RAG-Fusion", right=True)),
    after="It found both pieces.",
    source="lesson",
    target="rag-fusion",
    notes="Only for the teacher",
)


@pytest.fixture
def store(tmp_path: Path) -> ClassStore:
    return ClassStore(f"sqlite:///{tmp_path / 'classes.sqlite'}")


@pytest.fixture
def classroom(store: ClassStore) -> Classroom:
    return store.open("teacher", "Monday", [QUESTION, QUESTION])


class Server:
    """The routes as a server, and browsers of it."""

    def __init__(self, store: ClassStore, **options: Any) -> None:
        routes = ClassRoutes(
            lambda: store,
            lambda request: request.cookies.get(OWNER_COOKIE, ""),
            lambda request: request.headers["host"] == "evil.example",
            **options,
        )
        self.app = Starlette(routes=routes.routes("/loupe"))

    def browser(self, **headers: str) -> TestClient:
        return TestClient(self.app, base_url="http://testserver/loupe/join", headers=headers)

    def projector(self, classroom: Classroom) -> TestClient:
        return self.browser(**{KEY_HEADER: classroom.key})


@pytest.fixture
def server(store: ClassStore) -> Server:
    return Server(store)


def joined(server: Server, classroom: Classroom, nickname: str = "") -> TestClient:
    phone = server.browser()
    assert phone.post(f"/{classroom.code}/member", json={"nickname": nickname}).status_code == 200
    return phone


def show(server: Server, classroom: Classroom, **what: Any) -> dict[str, Any]:
    reply = server.projector(classroom).post(f"/{classroom.code}/show", json=what)
    assert reply.status_code == 200, reply.text
    view: dict[str, Any] = reply.json()
    return view


def test_a_phone_predicts_and_sees_the_truth(server: Server, classroom: Classroom) -> None:
    place = f"/{classroom.code}"
    phone = joined(server, classroom, "Ada")
    before = phone.get(f"{place}/state").json()
    assert before["nickname"] == "Ada"
    assert "question" not in before
    show(server, classroom, place=0, phase="open")
    asked = phone.get(f"{place}/state?seen={before['version']}").json()
    assert asked["question"]["text"] == QUESTION.text
    assert phone.get(f"{place}/state?seen={asked['version']}").status_code == 204
    assert phone.post(f"{place}/vote", json={"place": 0, "option": "A"}).json() == {"mine": "A"}
    assert phone.post(f"{place}/vote", json={"place": 0, "option": "B"}).json() == {"mine": "B"}
    seen = server.projector(classroom).get(f"{place}/votes").json()
    assert (seen["joined"], seen["question"]["votes"]) == (1, [0, 1])
    show(server, classroom, place=0, phase="revealed")
    late = phone.post(f"{place}/vote", json={"place": 0, "option": "A"})
    assert (late.status_code, late.json()["error"]) == (409, "This question takes no more votes.")
    truth = phone.get(f"{place}/state").json()
    assert (truth["question"]["mine"], truth["question"]["right"], truth["question"]["votes"]) == (
        "B",
        ["B"],
        [0, 1],
    )
    assert truth["score"] == {"questions": 1, "right": 1, "class_votes": 1, "class_right": 1}


def test_nothing_of_the_truth_is_sent_before_the_reveal(server: Server, classroom: Classroom) -> None:
    phone, other = joined(server, classroom), joined(server, classroom, "Somebody else")
    show(server, classroom, place=0, phase="open")
    other.post(f"/{classroom.code}/vote", json={"place": 0, "option": "B"})
    sent = phone.get(f"/{classroom.code}/state")
    for hidden in ("found both", "Only for the teacher", "Somebody else", classroom.key, classroom.id):
        assert hidden not in sent.text
    question, score = sent.json()["question"], sent.json()["score"]
    assert set(question) == {"place", "count", "text", "about", "options", "revealed", "mine"}
    assert all(set(option) == {"key", "text"} for option in question["options"])
    assert set(score.values()) == {0}
    show(server, classroom, place=0, phase="revealed")
    show(server, classroom, place=1, phase="open")
    assert set(phone.get(f"/{classroom.code}/state").json()["question"]) == set(question)


def test_what_only_the_projector_may(server: Server, classroom: Classroom, store: ClassStore) -> None:
    phone = joined(server, classroom)
    other = store.open("another teacher", "Tuesday", [])
    for key in ("", "x", other.key, classroom.key[:-1]):
        for reply in (
            phone.get(f"/{classroom.code}/votes", headers={KEY_HEADER: key}),
            phone.post(
                f"/{classroom.code}/show", headers={KEY_HEADER: key}, json={"place": 0, "phase": "open"}
            ),
        ):
            assert reply.status_code == 403
            assert "RAG-Fusion" not in reply.text
    assert store.get(classroom.id).phase == "waiting"


def test_nobody_votes_for_another(server: Server, classroom: Classroom, store: ClassStore) -> None:
    ada, eve = joined(server, classroom), server.browser()
    show(server, classroom, place=0, phase="open")
    ada.post(f"/{classroom.code}/vote", json={"place": 0, "option": "A"})
    mine = ada.cookies[OWNER_COOKIE]
    for body in ({"place": 0, "option": "B", "member": mine}, {"place": 0, "option": "B"}):
        assert eve.post(f"/{classroom.code}/vote", json=body).status_code == 409
    eve.request("DELETE", f"/{classroom.code}/member", json={"member": mine})
    assert store.students(classroom.id, [mine])[mine].votes == {0: "A"}
    assert (
        eve.get(f"/{classroom.code}/state").json().get("question") is None
    )  # who did not join sees no question


BAD_VOTES: list[Any] = [
    {}, {"place": 0}, {"place": "0", "option": "A"}, {"place": True, "option": "A"}, {"place": 0, "option": "C"},
    {"place": 7, "option": "A"}, {"place": -1, "option": "A"}, {"place": 0, "option": "a"},
    {"place": 0, "option": ["A"]},
    {"place": 10**40, "option": "A"}, [], "A", 3,
]  # fmt: skip


def test_what_is_no_vote_is_refused_with_a_sentence(server: Server, classroom: Classroom) -> None:
    phone = joined(server, classroom)
    show(server, classroom, place=0, phase="open")
    for body in BAD_VOTES:
        reply = phone.post(f"/{classroom.code}/vote", json=body)
        assert reply.status_code == 400, body
        assert reply.json()["error"].endswith(".")


def test_bodies_that_are_not_ours(server: Server, classroom: Classroom) -> None:
    place = f"/{classroom.code}/vote"
    phone = joined(server, classroom)
    typed = {"content-type": "application/json"}
    assert (
        phone.post(place, data={"place": "0", "option": "A"}).status_code == 415
    )  # as a foreign form sends it
    assert phone.post(place, content="x" * (BODY_BYTES + 1), headers=typed).status_code == 413
    for text in ("{", "[" * 1_000, "\xff", json.dumps({"place": 0, "option": "A"}) + "x"):
        assert phone.post(place, content=text.encode("latin-1"), headers=typed).status_code == 400
    foreign = server.browser(host="evil.example").get(f"/{classroom.code}/state")
    assert foreign.status_code == 403


def test_wrong_codes_are_counted_and_right_ones_are_not(server: Server, classroom: Classroom) -> None:
    member = joined(server, classroom)
    for _ in range(100):  # a class behind one address
        joined(server, classroom)
    guesser = server.browser()
    found = [guesser.get(f"/WRONG{number % 10}/state").status_code for number in range(WRONG_FAR + 5)]
    assert found == [404] * WRONG_FAR + [429] * 5
    right = guesser.get(f"/{classroom.code}/state")
    assert right.status_code == 429
    assert "Wait a minute" in right.json()["error"]
    assert member.get(f"/{classroom.code}/state").status_code == 200
    assert server.projector(classroom).get(f"/{classroom.code}/votes").status_code == 200
    elsewhere = server.browser(**{"x-forwarded-for": "1.2.3.4"})
    assert elsewhere.get(f"/{classroom.code}/state").status_code == 200


def test_names_needed(store: ClassStore, classroom: Classroom) -> None:
    server = Server(store, names_needed=True)
    phone = server.browser()
    assert phone.get(f"/{classroom.code}/state").json()["sign_in"] is True
    reply = phone.post(f"/{classroom.code}/member", json={})
    assert (reply.status_code, "set-cookie" in reply.headers) == (401, False)
    signed_in = TestClient(
        server.app, base_url="http://testserver/loupe/join", cookies={OWNER_COOKIE: "oidc-ada"}
    )
    assert signed_in.post(f"/{classroom.code}/member", json={}).json()["joined"] is True


def test_the_page_is_small_and_runs_nothing_but_its_own(server: Server) -> None:
    reply = server.browser().get("/ABCDEF")
    assert len(reply.content) < 20_000
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "http" not in reply.text.replace("https:", "")
    assert server.browser().get("").text == reply.text


def test_a_database_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    store = ClassStore(f"sqlite:///{tmp_path / 'classes.sqlite'}")
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE classes")
    reply = Server(store).browser().get("/ABCDEF/state")
    assert reply.status_code == 503
    assert "database" in reply.json()["error"]


def test_the_owner_of_a_cookie_keeps_it(store: ClassStore, classroom: Classroom) -> None:
    server = Server(store)
    phone = joined(server, classroom)
    again = phone.post(f"/{classroom.code}/member", json={"nickname": "Ada"})
    assert "set-cookie" not in again.headers
    assert [one.member for one in store.members(classroom.id)] == [phone.cookies[OWNER_COOKIE]]
