"""Asking what comes with the app, in one home. Ids of runs say what was asked, so that nothing is asked twice."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from core.cards.starters import FILE as CARDS
from core.corpora.demo import DEMO_CORPUS, ORDER
from core.corpora.entries import Question
from core.evaluation.pairs import run_of, run_stored
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED, ChatModel, RecordedModel
from core.models.recordings.items import KeptRun
from core.retrieval.retriever import Retriever
from core.runs.budget import KEPT_DEPTH
from core.runs.gallery import ANSWERED
from core.runs.record import record
from core.runs.recordings import SHIPPED
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import DATABASE, Settings, get_settings
from core.trace.events import Event, RunResumed, RunStarted
from core.trace.passages import Passage
from core.users import APP

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".examples"
"""Where it is asked, in a folder for what answers are made of and from: each state of it begins anew."""
CODE = ("corpora", "knowledge", "models", "retrieval", "services", "skills", "strategies")
"""Packages of `core` that answers depend on."""
SHOWN = {"lessons", "tutorial"}
"""Folders of them that they do not depend on."""
DATA = ROOT / "data" / "demo_world"
LOCAL = ("embedding_base_url", "embedding_model", "chroma_url", "neo4j_uri")
CHAT = ("openai_base_url", "chat_model")
Who = Literal["recording", "builtin", "endpoint"]
"""Who answers: the recording that comes with the app, and nobody else; the built-in model; or the endpoint of the
environment."""
WHO: tuple[Who, ...] = get_args(Who)


class Unfinished(Exception):
    """A run did not reach its end; the message says why."""


class Asking:
    """Questions to the demo corpus and the demo graph."""

    def __init__(self, who: Who, *, home: Path = HOME) -> None:
        """Index the demo corpus, or find it indexed.

        Raises:
            SystemExit: There is no endpoint in the environment.
        """
        self.who = who
        settings = settings_of(who)
        if who == "endpoint" and not settings.has_chat_endpoint:
            raise SystemExit("No endpoint is configured: set CHAT_MODEL, OPENAI_BASE_URL or both.")
        self._state = state_of(settings, who)
        folder = home / self._state
        self.goes_on = (folder / DATABASE).exists()
        self.bench = Workbench(settings.model_copy(update={"rag_loupe_home": folder}))
        self.bench.corpora.demo().result()
        self._chat: ChatModel = CONFIGURED
        if who == "recording":
            shipped = next(
                one for one in self.bench.recordings.store.listed([APP.owner]) if one.owner == APP.owner
            )
            self._chat = RecordedModel(shipped, pace="recorded")  # as it is replayed

    @cached_property
    def known(self) -> set[tuple[str, str]] | None:
        """Strategies and questions that can be asked; None: any."""
        return None if self._chat.play is None else {(run.strategy, run.question) for run in self.runs}

    @cached_property
    def runs(self) -> list[KeptRun]:
        """How questions were asked while what is played was made; empty: nothing is."""
        play = self._chat.play
        return self.bench.recordings.store.runs(play.recording.id) if play else []

    def retriever(self, corpus: str = DEMO_CORPUS) -> str:
        """What a corpus is searched with where a strategy leaves the choice: as it was recorded, else its default."""
        if self._chat.play is not None:
            return "dense"
        found = self.bench.corpora.catalogue.corpus(corpus)
        return run_blocking(self.bench.corpora.defaults.find(found)).retriever

    @property
    def questions(self) -> tuple[Question, ...]:
        """Of the demo corpus."""
        return self.questions_of(DEMO_CORPUS)

    def questions_of(self, corpus: str) -> tuple[Question, ...]:
        """Of a corpus that comes with the app, which is indexed if it is not."""
        self.bench.corpora.demo(corpus).result()
        return self.bench.corpora.catalogue.corpus(corpus).questions

    def events(self, request: RunRequest, *, whole: bool = False) -> list[Event]:
        """A run to its end: asked now, gone on with where it was cut off, or as it was stored.

        Args:
            request: Without an owner; it is searched with `retriever`.
            whole: Whether one that was cut off is asked anew.

        Raises:
            Unfinished: It did not reach its end, or another model answered.
        """
        asked = run_of(self._state, request.strategy, request.question)
        events = self._run(request, asked)
        again = 1
        while whole and any(isinstance(event, RunResumed) for event in events):
            events = self._run(request, f"{asked}-{again}")
            again += 1
        return events

    def _run(self, request: RunRequest, run: str) -> list[Event]:
        asked = replace(
            request,
            owner=APP.owner,
            chat=self._chat,
            retriever=self.retriever(request.corpus or DEMO_CORPUS),
        )
        found = run_blocking(run_stored(self.bench.launcher, asked, run))
        started = found.started
        if found.state != "finished" or started is None:
            raise Unfinished(found.error or "it was stopped")
        if started.builtin != (self.who == "builtin"):
            raise Unfinished(f"another model answered: {started.chat_model}")
        return self.bench.store.events(run)

    def plain(self, question: str) -> list[Passage]:
        """The ranking of plain retrieval's search."""
        found = run_blocking(self._retriever.search(question, KEPT_DEPTH, KEPT_DEPTH))
        return [hit.passage for hit in found.hits]

    @cached_property
    def _retriever(self) -> Retriever:
        return run_blocking(self.bench.corpora.retriever(DEMO_CORPUS, self.retriever()))

    def close(self) -> None:
        """End the services."""
        self.bench.graphs.graphs.close()
        self.bench.backends.supervisor.release()

    @staticmethod
    def forget(home: Path = HOME) -> None:
        """Everything is made: the next time begins anew."""
        shutil.rmtree(home, ignore_errors=True)


def settings_of(who: Who) -> Settings:
    """Those of the environment, but with local services, and without an endpoint where another one answers."""
    own = dict.fromkeys(LOCAL if who == "endpoint" else (*LOCAL, *CHAT), "")
    return get_settings().model_copy(
        update={**own, "database_url": Settings.model_fields["database_url"].default}
    )


def state_of(settings: Settings, who: Who) -> str:
    """What answers are made of and from, in sixteen digits."""
    digest = hashlib.sha256(f"{who}\0{settings.openai_base_url}\0{settings.chat_model}".encode())
    if who == "recording":
        digest.update(SHIPPED.read_bytes())
    for file in _files():
        digest.update(f"{file.relative_to(ROOT)}\0".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _files() -> Iterator[Path]:
    for package in CODE:
        for file in sorted((ROOT / "core" / package).rglob("*")):
            if file.is_file() and file.suffix != ".pyc" and not SHOWN & set(file.parts):
                yield file
    yield from sorted(
        file for file in DATA.glob("*.*") if file.suffix != ".md" and file not in (ORDER, ANSWERED, CARDS)
    )


def started_of(events: list[Event]) -> RunStarted:
    """The first event of a run, in which its models are named."""
    started = record(events).started
    assert started is not None
    return started
