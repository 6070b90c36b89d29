"""Checking what a model can do, as a background job, and what that changes: see `core.skills.checking`."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from core.errors import InputError, LoupeError
from core.jobs import WatchedJob
from core.models.choice import ChatChoice, resolve_chat
from core.models.reach.marks import ModelMark, mark_of
from core.runs.request import COMMAND_LINE, kind_of_model
from core.skills.model_kind import ModelKind
from core.users import TEACHER, NotAllowed, User, told_name

if TYPE_CHECKING:
    from core.models.endpoint import ChatEndpoint
    from core.runs.backends import Backends
    from core.skills.checking.results import CheckResult, CheckStore

CALLS_PER_ITEM = 3
"""Model calls that an item may take on average, where replies have no usable form or calls fail and are repeated."""
KNOWN = (
    "The built-in model and recordings need no check: what they can do is known. Choose another model first."
)


class Checked(NamedTuple):
    """How far a check is."""

    done: int = 0
    """Items that are through."""
    total: int = 0


class CheckJob(WatchedJob["CheckResult", Checked]):
    """A model being checked; one that is stopped changes nothing."""

    def __init__(self, checks: ModelChecks, chat: ChatChoice, by: User) -> None:
        """Begin in the background."""
        super().__init__(self._check(checks, chat, by), Checked(total=checks.calls))

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return self.progress.done / self.progress.total

    @property
    def message(self) -> str:
        """How far it is, in a few words."""
        return f"Checking: {self.progress.done} of {self.progress.total} questions"

    async def _check(self, checks: ModelChecks, chat: ChatChoice, by: User) -> CheckResult:
        from core.models.calling import CallBudget
        from core.models.chat import Chat
        from core.runs.backends import import_graphs
        from core.skills.base import SkillContext
        from core.skills.checking.asking import ask_all
        from core.skills.checking.items import items
        from core.skills.checking.results import CheckResult
        from core.trace.tracer import ListTracer

        await asyncio.to_thread(import_graphs)
        backends, asked = checks.backends, items()
        endpoint = await resolve_chat(backends.settings, backends.supervisor, chat)
        mark = mark_of(backends.settings, chat, endpoint)
        if mark is None:
            raise InputError(KNOWN)
        user = told_name(by.owner or COMMAND_LINE) if chat.endpoint is None else ""
        budget, tracer = CallBudget(CALLS_PER_ITEM * asked.calls), ListTracer()
        context = SkillContext(
            chat=Chat(endpoint, tracer, backends.settings, budget, user),
            embedder=backends.embedder,
            tracer=tracer,
            builtin=False,
        )
        begun = time.monotonic()
        probes = await ask_all(context, asked, lambda done: self.tell(Checked(done, asked.calls)))
        result = CheckResult(
            model=endpoint.model,
            version=asked.version,
            created=datetime.now(UTC),
            seconds=time.monotonic() - begun,
            probes=probes,
        )
        await asyncio.to_thread(checks.store.put, mark, result)
        return result


class ModelChecks:
    """The checks of one process, and what is known of models from all of them; thread-safe."""

    def __init__(self, backends: Backends) -> None:
        self.backends = backends
        self._jobs: dict[ModelMark, CheckJob] = {}
        self._lock = threading.Lock()

    @cached_property
    def store(self) -> CheckStore:
        """What is kept."""
        from core.skills.checking.results import CheckStore

        return CheckStore(self.backends.settings.database)

    @property
    def calls(self) -> int:
        """Model calls that a check takes, unless some have to be repeated."""
        from core.skills.checking.items import items

        return items().calls

    def mark(self, chat: ChatChoice, endpoint: ChatEndpoint | None = None) -> ModelMark | None:
        """What the chosen model is known by; None: it is one that needs no check.

        Args:
            chat: What was chosen.
            endpoint: What that came to, where it is known already.

        Raises:
            InputError: Its address is not valid.
        """
        found = mark_of(self.backends.settings, chat, endpoint)
        if found is not None and not found.known and chat.endpoint is None:
            status = self.backends.chat_status(chat)  # the server's model has been asked for its name
            return replace(found, model=status.name) if status.state == "ready" else found
        return found

    def result(self, chat: ChatChoice, endpoint: ChatEndpoint | None = None) -> CheckResult | None:
        """What is known of the chosen model; None: nothing. Blocks for a moment; arguments as for `mark`.

        Raises:
            InputError: Its address is not valid.
            StoreError: The database cannot be read.
        """
        mark = self.mark(chat, endpoint)
        return self.store.result(mark) if mark is not None and mark.known else None

    def kind(self, chat: ChatChoice, endpoint: ChatEndpoint | None = None) -> ModelKind:
        """What kind of model answers, and what it cannot do as far as it was checked: by this, each skill takes its
        method where nobody picks one. Where that cannot be read, the model is trusted with all. Blocks for a moment;
        arguments as for `mark`.
        """
        kind = kind_of_model(self.backends.settings, chat)
        with suppress(LoupeError):
            if result := self.result(chat, endpoint):
                return replace(kind, cannot=result.cannot)
        return kind

    def job(self, chat: ChatChoice) -> CheckJob | None:
        """The last check of a model in this process, under way or ended; None: there was none.

        Raises:
            InputError: Its address is not valid.
        """
        mark = self.mark(chat)
        return self._jobs.get(mark) if mark else None

    def start(self, chat: ChatChoice, by: User = TEACHER) -> CheckJob:
        """Check a model in the background, or watch the check of it that is under way.

        Raises:
            InputError: It is one that needs no check, or its address is not valid.
            NotAllowed: It is the server's, and only the teacher may have it checked.
        """
        self._check_may(chat, by)
        mark = self.mark(chat)
        if mark is None:
            raise InputError(KNOWN)
        with self._lock:
            job = self._jobs.get(mark)
            if job is None or job.done:
                job = self._jobs[mark] = CheckJob(self, chat, by)
            return job

    def forget(self, chat: ChatChoice, by: User = TEACHER) -> None:
        """Trust the model with all again.

        Raises:
            InputError, NotAllowed: As for `start`.
            StoreError: The database cannot be written.
        """
        self._check_may(chat, by)
        if (mark := self.mark(chat)) is not None:
            self.store.forget(mark)

    def may(self, chat: ChatChoice, by: User) -> bool:
        """Whether they may have it checked: an endpoint of their own, or as the teacher."""
        return by.teacher or chat.endpoint is not None

    def _check_may(self, chat: ChatChoice, by: User) -> None:
        if not self.may(chat, by):
            raise NotAllowed("On this server, only the teacher can have the server's model checked.")
