"""One browser session: its workbench, its owner, the model that answers it, and values that it keeps."""

from __future__ import annotations

import asyncio
import gc
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import sha256
from math import inf
from threading import Lock
from typing import TypeVar

import streamlit as st

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.entries import Corpus
from core.errors import LoupeError, StoreError
from core.jobs import Job
from core.models.chat_models import CONFIGURED, ChatModel
from core.runs.gallery import install
from core.runs.record import Record, record
from core.runs.request import COMMAND_LINE
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench, get_workbench
from core.skills.base import ModelKind
from core.ui.fixes.streamlit_patches import bound_uploads
from core.ui.shell import models, navigation
from core.ui.shell.assets import component
from core.ui.shell.login import owner_in, session_person
from core.users import OWNER_COOKIE, User

LESSONS_COOKIE = "rag_loupe_lessons"
WRONG_PASSWORD_SECONDS = 1.0
_GUESSING = Lock()
MOST_LESSONS = 80

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """Return the workbench of the process, whose services start in the background."""
    # What a page makes is nearly all gone without the collector: it looks less often, which saves a tenth of the time.
    gc.set_threshold(20_000)
    bench = get_workbench()
    if bench.settings.has_teacher:  # else the memory that is filled is that of one's own machine
        bound_uploads()
    bench.backends.warm(lambda: navigation.FIRST_PAGE.wait(navigation.PATIENCE_SECONDS))
    bench.corpora.clear_up()
    _gallery(bench.settings.database)
    Job(_retention(bench))
    # What is loaded now lives as long as the process: the collector need not look at it again.
    gc.collect()
    gc.freeze()
    return bench


async def _retention(bench: Workbench) -> None:
    await asyncio.to_thread(navigation.FIRST_PAGE.wait, navigation.PATIENCE_SECONDS)
    from core.classroom.erasing import every_day

    await every_day(bench)


@st.cache_resource(show_spinner=False)
def _gallery(database: str) -> Job[int]:
    return Job(asyncio.to_thread(install, database))


def gallery(bench: Workbench) -> None:
    """Wait until a new database has the gallery: a moment, once per process; a failure shows where runs are read."""
    with suppress(LoupeError):
        _gallery(bench.settings.database).result()


def owner() -> str:
    """Return the id of whoever signed in, else of this browser, who alone may stop its runs and change its corpora and
    graphs.

    That of a browser is random, and a cookie keeps it. It hides nothing: see `core.ui.shell.address`.
    """
    if (person := session_person()) is not None:
        return person.owner
    if "owner" not in st.session_state:
        kept = owner_in(st.context.cookies)
        st.session_state["owner"] = kept or secrets.token_hex(16)
        st.session_state["owner-known"] = bool(kept)
    return str(st.session_state["owner"])


def known() -> bool:
    """Return True unless this browser has just got the id of `owner`."""
    return session_person() is not None or bool(st.session_state.get("owner-known"))


def owners(bench: Workbench) -> tuple[str, ...]:
    """Return the owners whose runs are this browser's own: where no teacher is set, the command line too."""
    return (owner(),) if bench.settings.has_teacher else (owner(), COMMAND_LINE)


def user(bench: Workbench) -> User:
    """Return the user at this browser, who is asked for with every change."""
    return User(owner(), teacher=models.is_teacher(bench))


def check_runs(bench: Workbench, more: int = 1) -> None:
    """Refuse runs that are more than this browser may have; see `core.runs.allowances`.

    Raises:
        InputError: They are.
        StoreError: The database cannot be read.
    """
    if bench.settings.has_teacher:  # else nobody is limited
        bench.allowances.check_runs(user(bench), bench.launcher.running(owner()), more)


def become_teacher(bench: Workbench, password: str) -> bool:
    """Try a password; slow on purpose when it is wrong, and one at a time: many sessions guess no faster than one."""
    right = bench.settings.teacher_password.get_secret_value()
    with _GUESSING:
        if not right or not hmac.compare_digest(password.encode(), right.encode()):
            time.sleep(WRONG_PASSWORD_SECONDS)
            return False
    st.session_state["teacher"] = True
    return True


def finished_lessons() -> tuple[str, ...]:
    """Return the keys of the lessons that this browser has finished; a cookie keeps them."""
    if "lessons-finished" not in st.session_state:
        cookie = str(st.context.cookies.get(LESSONS_COOKIE, ""))
        keys = re.findall(r"(?<![a-z0-9-])[a-z0-9-]{1,40}(?![a-z0-9-])", cookie)
        st.session_state["lessons-finished"] = tuple(dict.fromkeys(keys))[:MOST_LESSONS]
    finished: tuple[str, ...] = st.session_state["lessons-finished"]
    return finished


def note_lesson(key: str, done: bool) -> None:
    """Remember in this browser that a lesson is finished, or that it is not; also a callback."""
    others = [one for one in finished_lessons() if one != key]
    st.session_state["lessons-finished"] = (*others, *([key] if done else []))[-MOST_LESSONS:]
    st.session_state["lessons-now"] = True


def keep_cookies() -> None:
    """Have the browser remember its owner's id, unless it came with one, the lessons finished in this session, and,
    until it is closed, the model chosen in this session."""
    mine, cookie = owner(), component("cookie")
    if not known():
        cookie(data={"name": OWNER_COOKIE, "value": mine}, key="owner-cookie")
    if st.session_state.get("lessons-now"):
        cookie(data={"name": LESSONS_COOKIE, "value": ".".join(finished_lessons())}, key="lessons-cookie")
    if (model := models.for_cookie()) is not None:
        cookie(data={"name": models.COOKIE, "value": model, "brief": True}, key="model-cookie")


def chat(bench: Workbench, wanted: models.Option | None = None) -> ChatModel:
    """Return the chat model that answers this browser: that of an option (`wanted`), else of the chosen one."""
    return models.chat(bench, owners(bench), wanted)


def undecided(bench: Workbench) -> bool:
    """Return True if nobody has said yet who gives the replies that the recording lacks."""
    play = chat(bench).play
    return play is not None and play.missing == "ask"


def chat_for_work(bench: Workbench) -> ChatModel:
    """Return the model that evaluates, and reads documents for graphs and contexts.

    A recording, which knows few documents, does so only where somebody chose one. Where that leaves the built-in
    model, it does not begin before somebody chose that, see `undecided`.
    """
    model = chat(bench)
    if model.play is None or model.play.keeps or models.by_hand():
        return model
    return model.without_recording or CONFIGURED


def kind(bench: Workbench) -> ModelKind:
    """Return the kind of the model that answers this browser."""
    return bench.backends.kind(chat(bench))


def kind_for_work(bench: Workbench) -> ModelKind:
    """Return the kind of the model of `chat_for_work`."""
    return bench.backends.kind(chat_for_work(bench))


def demo(bench: Workbench, name: str = DEMO_CORPUS, *, again: bool = False) -> IndexJob:
    """Return the job that makes a corpus ready which comes with the app.

    A failed one stays, with its error, until it is asked for `again`: the workbench would start one with every redraw.
    """
    jobs: dict[str, IndexJob] = st.session_state.setdefault("demos", {})
    if again or name not in jobs:
        jobs[name] = bench.corpora.demo(name)
    return jobs[name]


def searchable(bench: Workbench, corpora: Mapping[str, Corpus | None], name: str) -> Corpus | None:
    """Return the corpus of this name among those offered, if it can be searched.

    One that comes with the app is made ready if it cannot; `watch_demo` draws its progress.
    """
    if name not in DEMO_CORPORA:
        return corpora.get(name)
    job = demo(bench, name)
    return corpora.get(name) if job.done and job.error() is None else None


def parent(bench: Workbench, run: Record) -> Record | None:
    """Return the run that a fork was forked from, if it is still stored; it is read once per session."""
    if run.fork is None:
        return None
    key = run.fork.parent

    def read() -> Record | None:
        try:
            return record(bench.store.events(key))
        except StoreError:
            return None

    return recall(f"parent-{key}", key, read)


def files_mark(files: Iterable[tuple[str, bytes]]) -> str:
    """Return a text that stays the same as long as the names and contents of some files do."""
    contents = repr([(name, sha256(data).digest()) for name, data in files])
    return sha256(contents.encode()).hexdigest()[:16]


def recall(key: str, mark: object, make: Callable[[], T], seconds: float = inf) -> T:
    """Return what `make` returns, kept in the session.

    Args:
        key: Of the value in the session.
        mark: The value is made anew where this is another one than before.
        make: Makes it.
        seconds: How long it is kept.
    """
    entry = st.session_state.get(key)
    if entry is None or entry[0] != mark or time.monotonic() > entry[1]:
        entry = st.session_state[key] = (mark, time.monotonic() + seconds, make())
    value: T = entry[2]
    return value
