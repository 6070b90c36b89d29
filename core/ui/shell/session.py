"""What belongs to one browser session."""

from __future__ import annotations

import asyncio
import gc
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import inf
from threading import Lock
from typing import TypeVar

import streamlit as st

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.entries import Corpus
from core.errors import LoupeError, StoreError
from core.jobs import Job
from core.models.chat_models import CONFIGURED, ChatModel
from core.models.endpoint import ChatEndpoint
from core.runs.gallery import install
from core.runs.record import Record, record
from core.runs.request import COMMAND_LINE
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench, get_workbench
from core.skills.model_kind import ModelKind
from core.ui.fixes.streamlit_patches import bound_uploads
from core.ui.shell import models, navigation
from core.ui.shell.assets import asset
from core.users import User

OWNER_COOKIE = "rag_loupe_owner"
TOLD_COOKIE = "rag_loupe_told"
WRONG_PASSWORD_SECONDS = 1.0
_GUESSING = Lock()
MOST_TOLD = 50
ENDPOINT = "endpoint-in-use"
"""Key of this session's own endpoint; not the key of any widget or form."""

T = TypeVar("T")

_cookie = st.components.v2.component("rag_loupe.cookie", js=asset("cookie.js"))


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The process's workbench, its services starting in the background."""
    # What a page makes is nearly all gone without the collector: it looks less often, which saves a tenth of the time.
    gc.set_threshold(20_000)
    bench = get_workbench()
    if bench.settings.has_teacher:  # else the memory that is filled is that of one's own machine
        bound_uploads()
    bench.backends.warm(navigation.wait_for_page)
    bench.corpora.clear_up()
    _gallery(bench.settings.database)
    # What is loaded now lives as long as the process: the collector need not look at it again.
    gc.collect()
    gc.freeze()
    return bench


@st.cache_resource(show_spinner=False)
def _gallery(database: str) -> Job[int]:
    return Job(asyncio.to_thread(install, database))


def gallery(bench: Workbench) -> None:
    """Wait until a new database has the gallery: a moment, once per process; a failure shows where runs are read."""
    with suppress(LoupeError):
        _gallery(bench.settings.database).result()


def owner() -> str:
    """Random id of this browser, which alone may stop its runs and change its corpora and graphs; kept in a cookie, so
    that a reload keeps it.

    It hides nothing: see `core.ui.shell.address`.
    """
    if "owner" not in st.session_state:
        kept = str(st.context.cookies.get(OWNER_COOKIE, ""))
        known = re.fullmatch(r"[0-9a-f]{32}", kept) is not None
        st.session_state["owner"] = kept if known else secrets.token_hex(16)
        st.session_state["owner-known"] = known
    return str(st.session_state["owner"])


def owners(bench: Workbench) -> tuple[str, ...]:
    """Whose runs are this browser's own: where no teacher is set, those of the command line too."""
    return (owner(),) if bench.settings.has_teacher else (owner(), COMMAND_LINE)


def is_teacher(bench: Workbench) -> bool:
    """Whether this session may pin, and change what is not its own; without a password everybody may."""
    return not bench.settings.has_teacher or bool(st.session_state.get("teacher"))


def user(bench: Workbench) -> User:
    """Who is at this browser, as changes ask it."""
    return User(owner(), teacher=is_teacher(bench))


def check_runs(bench: Workbench, more: int = 1) -> None:
    """Refuse runs that are more than this browser may have; see `core.runs.allowances`.

    Raises:
        InputError: They are.
        StoreError: The database cannot be read.
    """
    bench.allowances.check_runs(user(bench), bench.launcher.running_of(owner()), more)


def become_teacher(bench: Workbench, password: str) -> bool:
    """Try a password; slow on purpose when it is wrong, and one at a time: many sessions guess no faster than one."""
    right = bench.settings.teacher_password.get_secret_value()
    with _GUESSING:
        if not right or not hmac.compare_digest(password.encode(), right.encode()):
            time.sleep(WRONG_PASSWORD_SECONDS)
            return False
    st.session_state["teacher"] = True
    return True


def keep_owner() -> None:
    """Have the browser remember its owner id, unless it came with one."""
    mine = owner()
    if not st.session_state.get("owner-known"):
        _cookie(data={"name": OWNER_COOKIE, "value": mine}, key="owner-cookie")


def told() -> tuple[str, ...]:
    """Ids of the corpora that this browser has been told of; a cookie keeps them, so that it is told once."""
    if "told" not in st.session_state:
        st.session_state["told"] = tuple(
            re.findall(r"\bc[0-9a-f]{15}\b", str(st.context.cookies.get(TOLD_COOKIE, "")))
        )
    found: tuple[str, ...] = st.session_state["told"]
    return found


def note_told(ident: str) -> None:
    """Do not tell this browser of it again."""
    st.session_state["told"] = (*told(), ident)[-MOST_TOLD:]
    st.session_state["told-now"] = True


def keep_told() -> None:
    """Have the browser remember what was noted in this session."""
    if st.session_state.get("told-now"):
        _cookie(data={"name": TOLD_COOKIE, "value": ".".join(told())}, key="told-cookie")


def keep_model() -> None:
    """Have the browser remember, until it is closed, which model was chosen in this session."""
    if (kept := models.for_cookie()) is not None:
        _cookie(data={"name": models.COOKIE, "value": kept, "brief": True}, key="model-cookie")


def endpoint() -> ChatEndpoint | None:
    """The chat endpoint set in this browser, kept in memory for this session only."""
    found: ChatEndpoint | None = st.session_state.get(ENDPOINT)
    return found


def reached() -> ChatModel:
    """The model at the endpoint set in this browser; where none is, the configured one."""
    return models.reached(endpoint())


def use_endpoint(chosen: ChatEndpoint | None) -> None:
    """Ask this endpoint from now on; None: what answers where nothing is chosen."""
    st.session_state[ENDPOINT] = chosen
    models.choose_capability(models.TYPED, None)  # of the one before
    models.choose(workbench(), models.TYPED if chosen else None)


def chosen(bench: Workbench) -> models.Option:
    """The option that is chosen; one of `core.ui.shell.models.options`."""
    return models.chosen(bench, endpoint())


def chat(bench: Workbench, wanted: models.Option | None = None) -> ChatModel:
    """Which chat model answers this browser.

    Args:
        bench: What the server has.
        wanted: One of `models.options`; None: the one that is chosen.
    """
    return models.chat(bench, endpoint(), owners(bench), wanted)


def chat_as_observed(bench: Workbench, recording: str) -> ChatModel:
    """Which model answers where it is to come out as observed: a recording that comes with the app; empty: a model."""
    return chat(bench, models.like(bench, endpoint(), recording))


def undecided(bench: Workbench) -> bool:
    """Whether nobody has said yet who does what the recording lacks that answers."""
    play = chat(bench).play
    return play is not None and play.missing == "ask"


def chat_for_work(bench: Workbench) -> ChatModel:
    """Which model evaluates, and reads documents for graphs and contexts: a recording, which knows few documents, only
    where somebody chose one. Where that leaves the built-in model, it does not begin before somebody chose that, see
    `undecided`."""
    found = chat(bench)
    if found.play is None or found.play.keeps or models.by_hand():
        return found
    return found.without_recording or CONFIGURED


def kind(bench: Workbench) -> ModelKind:
    """What kind of model answers this browser."""
    return bench.backends.kind(chat(bench))


def kind_for_work(bench: Workbench) -> ModelKind:
    """What kind of model `chat_for_work` is."""
    return bench.backends.kind(chat_for_work(bench))


def demo(bench: Workbench, name: str = DEMO_CORPUS, *, again: bool = False) -> IndexJob:
    """The job that makes a corpus that comes with the app ready.

    A failed one stays, with its error, until it is asked for again: the workbench would start another one
    with every redraw.
    """
    jobs: dict[str, IndexJob] = st.session_state.setdefault("demos", {})
    if again or name not in jobs:
        jobs[name] = bench.corpora.demo(name)
    return jobs[name]


def searchable(bench: Workbench, corpora: Mapping[str, Corpus | None], name: str) -> Corpus | None:
    """The corpus of this name, if it can be searched; one that comes with the app is made ready if it cannot.

    Where it cannot, `watch_demo` shows how far it is, and has the page drawn again.

    Args:
        bench: Where it is.
        corpora: Those that are offered.
        name: One of them.
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
