"""Classes, for every page that asks one something or shows it: the open class, and what a projector needs of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urljoin, urlsplit

import segno
import streamlit as st
from streamlit.net_util import get_internal_ip

from core.classroom.questions import Question
from core.classroom.store import Classroom, ClassStore, class_store
from core.runs.workbench import Workbench
from core.ui.shell import address, session
from core.ui.shell.host import is_own
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.navigation import leave_for
from core.ui.shell.widgets import errors_shown

ASK_HELP = "Students join by phone, vote, and then see what happened."
NOBODY_KNOWS = "Nobody knows the evidence or the right answer of this question."


def store(bench: Workbench) -> ClassStore:
    """Return the classes of this process."""
    return class_store(bench.settings.database)


def whose(bench: Workbench) -> tuple[str, ...] | None:
    """Return the owners whose classes and plans this teacher is shown; None: everybody's.

    Somebody who signed in as the teacher has them in every browser: that at home is another than that of the room.
    """
    return None if bench.settings.has_teacher and session.user(bench).teacher else session.owners(bench)


def class_name() -> str:
    """Return the name of a class that was given none."""
    return f"Class of {moment(datetime.now(UTC), DAY)}"


def offer_class(bench: Workbench, questions: Sequence[Question], **look: Any) -> None:
    """Draw a button that has a class answer questions by phone, where this browser may open one; without questions it
    cannot be pressed. `look` are further arguments of `st.button`."""
    if session.user(bench).teacher and st.button(
        "Ask a class",
        key="ask-class",
        icon=":material/cast_for_education:",
        help=ASK_HELP if questions else NOBODY_KNOWS,
        disabled=not questions,
        **look,
    ):
        with errors_shown():
            _ask(bench, questions)


def _ask(bench: Workbench, questions: Sequence[Question]) -> None:
    """Have the open class of this browser answer the first of these questions, or open a class with them, which waits
    for students to join; and leave for its projector. Questions that the class has are shown again."""
    classes, owner = store(bench), session.owner()
    own = (one for one in classes.list([owner]) if one.owner == owner and one.phase != "ended")
    classroom = max(own, key=lambda one: one.created, default=None)
    if classroom is None:
        classroom = classes.open(owner, class_name(), questions)
    else:
        known = [question for question, _ in classes.questions(classroom.id)]
        again = questions[0] in known
        place = known.index(questions[0]) if again else classes.add(classroom.id, questions)
        classes.show(classroom.id, place, "open")
    address.show(address.CLASS, classroom.id)
    st.session_state[f"view-{classroom.id}"] = "Projector"
    leave_for("pages/classroom.py")


# On a projector


def projection(classroom: Classroom, url: str) -> dict[str, Any]:
    """Return what the projector's drawing needs of a class; `url` is the address of the page that shows it."""
    join = urlsplit(join_address(url))
    address = f"{join.geturl()}/{classroom.code}"
    return {
        "code": classroom.code,
        "key": classroom.key,
        "address": address,
        "shown": join.netloc + join.path,
        "qr": _qr(address),
        "unreachable": _unreachable(join.hostname or "", join.port),
    }


def join_address(url: str) -> str:
    """Return the address at which phones join; `url` is that of a page of the app, behind whatever proxy."""
    return urljoin(url, "join")


@lru_cache(maxsize=64)
def _qr(address: str) -> str:
    """Return the QR code of an address as the address of a picture."""
    picture: str = segno.make(address, error="m", micro=False).svg_data_uri(scale=8, border=3, light="#fff")
    return picture


def _unreachable(host: str, port: int | None) -> str:
    """Return a sentence where phones cannot open the address, and what to do; else empty."""
    if not is_own(host):
        return ""
    own = get_internal_ip() or host
    known = f"http://{own}{f':{port}' if port else ''}"
    place = "this machine's address in the network" if is_own(own) else known
    start = "Start the app with “make run ADDRESS=0.0.0.0”"
    return f"Phones cannot reach “{host}”. {start}, and open this page under {place}."
