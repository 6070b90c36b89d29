"""Classes, for every page that asks one something or shows it: the open class, and what a projector needs of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psutil
import segno
import streamlit as st

from core.classroom.questions import Question, Source
from core.classroom.store import Classroom, ClassStore, class_store
from core.errors import InputError
from core.runs.workbench import Workbench
from core.ui.shell import address, session
from core.ui.shell.host import is_own
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.navigation import leave_for

ONLY_THE_TEACHER = (
    "On this server only the teacher opens classes: sign in under “Teacher”, behind the model's name in the "
    "sidebar."
)


def store(bench: Workbench) -> ClassStore:
    """Return the classes of this process."""
    return class_store(bench.settings.database)


def open_class(bench: Workbench, name: str, questions: Sequence[Question]) -> Classroom:
    """Open a class.

    Raises:
        InputError: Its name is too long, there are too many questions, or only the teacher may.
        StoreError: The database cannot be written.
    """
    if not session.user(bench).teacher:
        raise InputError(ONLY_THE_TEACHER)
    return store(bench).open(session.owner(), name, questions)


def current(bench: Workbench) -> Classroom | None:
    """Return the class of this browser that was opened last and is not over; None: there is none."""
    owner = session.owner()
    own = (one for one in store(bench).list([owner]) if one.owner == owner and one.phase != "ended")
    return max(own, key=lambda one: one.created, default=None)


def whose(bench: Workbench) -> tuple[str, ...] | None:
    """Return the owners whose classes and plans this teacher is shown; None: everybody's.

    Somebody who signed in as the teacher has them in every browser: that at home is another than that of the room.
    """
    return None if bench.settings.has_teacher and session.user(bench).teacher else session.owners(bench)


def class_name() -> str:
    """Return the name of a class that was given none."""
    return f"Class of {moment(datetime.now(UTC), DAY)}"


def ask(bench: Workbench, questions: Sequence[Question]) -> tuple[Classroom, int]:
    """Add questions, at least one, to the open class, or open one; returns it, and the number of the first of them.

    Raises:
        InputError, StoreError: As of `open_class`.
    """
    classroom = current(bench)
    if classroom is None:
        return open_class(bench, class_name(), questions), 0
    known = [question for question, _ in store(bench).questions(classroom.id)]
    if questions[0] in known:  # asked for twice: it is shown again
        return classroom, known.index(questions[0])
    return classroom, store(bench).add(classroom.id, questions)


def question_on(
    bench: Workbench, source: Source, target: str, texts: Collection[str]
) -> tuple[Classroom, int, Question] | None:
    """Return the question of the open class of this browser that is about something, by its id or key, and has one of
    these texts, with its class and its number; None: there is none."""
    classroom = current(bench)
    if classroom is None:
        return None
    for place, (question, _) in enumerate(store(bench).questions(classroom.id)):
        if (question.source, question.target) == (source, target) and question.text in texts:
            return classroom, place, question
    return None


def go_to(bench: Workbench, classroom: Classroom, place: int) -> None:
    """Leave for the projector of a class, which shows a question; votes are taken at once."""
    store(bench).show(classroom.id, place, "open")
    address.show(address.CLASS, classroom.id)
    st.session_state[f"view-{classroom.id}"] = "Projector"
    leave_for("pages/classroom.py")


# On a projector


def projection(classroom: Classroom, url: str) -> dict[str, Any]:
    """Return what the projector's drawing needs of a class; `url` is the address of the page that shows it."""
    address = join_address(url, classroom.code)
    parts = urlsplit(address)
    return {
        "code": classroom.code,
        "key": classroom.key,
        "address": address,
        "shown": parts.netloc + parts.path.removesuffix(f"/{classroom.code}"),
        "qr": _qr(address),
        "unreachable": _unreachable(parts.hostname or "", parts.port),
    }


def join_address(url: str, code: str) -> str:
    """Return the address at which phones join; `url` is that of a page of the app, behind whatever proxy."""
    parts = urlsplit(url)
    base = parts.path.rpartition("/")[0]
    return urlunsplit((parts.scheme, parts.netloc, f"{base}/join/{code}", "", ""))


@lru_cache(maxsize=64)
def _qr(address: str) -> str:
    """Return the QR code of an address as the address of a picture."""
    picture: str = segno.make(address, error="m", micro=False).svg_data_uri(scale=8, border=3, light="#fff")
    return picture


def _unreachable(host: str, port: int | None) -> str:
    """Return a sentence where phones cannot open the address, and what to do; else empty."""
    if not is_own(host):
        return ""
    own = _own_address()
    place = f"http://{own}{f':{port}' if port else ''}" if own else "this machine's address in the network"
    start = "Start the app with “make run ADDRESS=0.0.0.0”"
    return f"Phones cannot reach “{host}”. {start}, and open this page under {place}."


def _own_address() -> str:
    """Return an address of this machine in its network, of version 4; empty: it has none."""
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            if one.family.name == "AF_INET" and not one.address.startswith(("127.", "169.254.")):
                return str(one.address)
    return ""
