"""Writing contexts for chunks with the models and stores of this process."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.corpora.contexts import ContextLedger, request_key
from core.corpora.entries import Contextual
from core.corpora.gathering import Work
from core.corpora.reports import ContextReport
from core.corpora.writing import uninterrupted
from core.errors import InputError, UnusableReply
from core.models.chat_models import CONFIGURED, ChatModel
from core.models.endpoint import ChatEndpoint, name_for_endpoint
from core.models.reach.files import find_file
from core.models.spending import DayBudget, day_budget
from core.runs.backends import Backends, import_graphs
from core.runs.request import COMMAND_LINE
from core.settings import Settings
from core.skills import check_prompt
from core.skills.base import MODEL, SkillContext, builtin_prompt, prompt_key
from core.skills.situate import SITUATE, ChunkContexts, Portion, contexts_in, portions, situate
from core.trace.events import ListTracer, Message, ModelFinished, ModelStarted
from core.trace.passages import ChunkContext, Passage
from core.users import TEACHER, User

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WORKERS = 4
"""Calls under way at once."""
MAX_MODEL = 200
"""Characters of a model's name that are kept."""
MOST_CHARS = 255
"""Of a place and a model's name there, by which replies are told apart; longer ones are cut."""
CALLS_PER_PORTION = 20
"""Calls that the chunks of one call may take with all that is repeated."""
NEEDS_ENDPOINT = (
    "This needs a capable model. Connect one under “Use another model” in the sidebar, or set OPENAI_BASE_URL and "
    "CHAT_MODEL."
)
PROMPT = prompt_key(SITUATE.key, MODEL)


@dataclass(frozen=True)
class ContextOptions:
    """How contexts are written."""

    chat: ChatModel = CONFIGURED
    """Which chat model writes them; the built-in one cannot."""
    prompt: str = ""
    """Edited by a user; empty: the one that comes with the app."""
    workers: int = WORKERS
    """Calls under way at once, as far as documents are read ahead."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """As skills take it."""
        return {PROMPT: self.prompt} if self.prompt else {}


def prompt_mark(prompt: str) -> str:
    """Hash of a prompt as the catalogue keeps it; empty: of the one that comes with the app."""
    return hashlib.sha256((prompt or builtin_prompt(PROMPT)).encode()).hexdigest()[:16]


class Contexts:
    """Asks the model for the contexts of one import, and counts what that takes."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        backends: Backends,
        ledger: ContextLedger,
        options: ContextOptions,
        replier: Sequence[str],
        user: str = "",
        owner: str = "",
        day: DayBudget | None = None,
    ) -> None:
        """Take the model, what counts its tokens and what keeps its replies; `replier`: see `who_answers`; `user`: who
        asks, as the endpoint is told, empty: it is not; `owner`: whose documents they are; `day`: see
        `CallBudget`."""
        self._endpoint, self._backends, self._ledger = endpoint, backends, ledger
        self._options, self._replier, self._user = options, replier, user
        self._owner, self._day = owner, day
        self._model = endpoint.model[:MAX_MODEL]
        self._free = asyncio.Semaphore(options.workers)
        self.report = ContextReport(
            model=self._model, chunks=0, without=0, alone=0, calls=0, kept=0, tokens_in=0, tokens_out=0
        )
        """The cost until now."""

    @property
    def kind(self) -> Contextual:
        """The model that writes, and its prompt."""
        return Contextual(self._model, prompt_mark(self._options.prompt))

    async def write(self, work: Work) -> Work:
        """See `core.corpora.contexts.ContextWriter.write`."""
        tokenizer = self._backends.embedder.tokenizer
        calls = await asyncio.to_thread(lambda: list(calls_for(work.passages, tokenizer)))
        title = work.document.title or work.document.name
        ended = await asyncio.gather(*(self._situate(title, call) for call in calls), return_exceptions=True)
        for result in ended:  # not before all have ended, since what they bring is paid for
            if isinstance(result, BaseException):
                raise result
        texts = {
            chunk: text for result in ended if isinstance(result, dict) for chunk, text in result.items()
        }
        written = sum(map(bool, texts.values()))
        self._count(
            chunks=written,
            without=len(work.passages) - len(texts) if calls else 0,
            alone=len(texts) - written if calls else len(work.passages),
        )
        passages = []
        for passage in work.passages:
            text = texts.get(passage.chunk)
            context = ChunkContext(text=text, model=self._model) if text else None
            passages.append(passage.model_copy(update={"indexed_with": context}))
        return replace(work, passages=passages)

    async def _situate(self, title: str, portion: Portion) -> dict[str, str]:
        from core.models.calling import CallBudget
        from core.models.chat import Chat

        tracer, backends = ListTracer(), self._backends
        budget, speeds = CallBudget(CALLS_PER_PORTION, day=self._day), backends.models.speeds
        context = SkillContext(
            chat=Chat(self._endpoint, tracer, backends.settings, budget, self._user, speeds=speeds),
            embedder=backends.embedder,
            tracer=tracer,
            builtin=False,
            prompts=self._options.prompts,
        )
        try:
            return await situate(context, title, portion, partial(self._remembered, tracer))
        except UnusableReply:  # the endpoint is well; these chunks stay without
            return {}
        finally:
            ended = [event.usage for event in tracer.events if isinstance(event, ModelFinished)]
            self._count(
                calls=sum(isinstance(event, ModelStarted) for event in tracer.events),
                tokens_in=sum(usage.input or 0 for usage in ended),
                tokens_out=sum(usage.output or 0 for usage in ended),
            )

    async def _remembered(
        self,
        tracer: ListTracer,
        messages: tuple[Message, ...],
        chunks: int,
        send: Callable[[], Awaitable[ChunkContexts]],
    ) -> dict[int, str]:
        """The contexts that the ledger knows, else those of a reply, which it keeps; see `situate`."""
        key = request_key(self._replier, [(message.role, message.content) for message in messages])
        known = await asyncio.to_thread(self._ledger.known, key)
        if known is not None:
            self._count(kept=1)
            return known
        async with self._free:
            before, started = len(tracer.events), time.monotonic()
            contexts = contexts_in(await send())
        seconds = round(time.monotonic() - started, 3)
        ended = [event for event in tracer.events[before:] if isinstance(event, ModelFinished)]
        written = ended[-1].usage.output if ended else None
        reply = key, self._model, contexts, chunks, written, seconds, self._owner
        await uninterrupted(self._ledger.note, *reply)
        return contexts

    def _count(self, **more: int) -> None:
        counted = {name: getattr(self.report, name) + number for name, number in more.items()}
        self.report = self.report.model_copy(update=counted)


def calls_for(passages: Sequence[Passage], tokenizer: Tokenizer) -> Iterable[Portion]:
    """The calls that the chunks of one document take. Blocks while counting."""
    encoded = tokenizer.encode_batch([passage.text for passage in passages], add_special_tokens=False)
    return portions(passages, [len(encoding.ids) for encoding in encoded])


async def open_contexts(
    backends: Backends, ledger: ContextLedger, options: ContextOptions, by: User = TEACHER
) -> Contexts:
    """Open the writer of the contexts of an import.

    Raises:
        InputError: Only the built-in model is there, or the prompt or the endpoint cannot be used.
        ModelError: The endpoint does not say which models it has.
    """
    if options.chat.is_builtin(backends.settings):
        raise InputError(NEEDS_ENDPOINT)
    for key, text in options.prompts.items():
        check_prompt(key, text)
    await asyncio.to_thread(import_graphs)
    endpoint = await options.chat.open(backends.models)
    user = name_for_endpoint(by.owner or COMMAND_LINE) if options.chat.typed is None else ""
    replier = who_answers(backends.settings, options.chat, endpoint, by)
    day = day_budget(backends.settings, options.chat, by)
    return Contexts(endpoint, backends, ledger, options, replier, user, by.owner, day)


def who_answers(
    settings: Settings, chat: ChatModel, endpoint: ChatEndpoint, by: User
) -> tuple[str, str, str]:
    """By what replies are told apart: where the model runs, which one it is there, and whose endpoint it is.

    Replies of a model that the server's owner chose are everybody's. Those of an endpoint that somebody typed are only
    theirs, since it may say anything.
    """
    place, model = "", endpoint.model
    if endpoint.file:
        header = find_file(settings, endpoint.file).header
        place, model = "file", header.fingerprint if header else ""
    elif chat.play is None and not endpoint.builtin:
        address = urlsplit(endpoint.base_url)
        port = address.port or (443 if address.scheme == "https" else 80)
        place, model = f"{address.hostname}:{port}", endpoint.model.strip()
    return place[:MOST_CHARS], model[:MOST_CHARS], by.owner if chat.typed else ""
