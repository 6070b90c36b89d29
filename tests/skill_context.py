"""The context of skills in tests: each part that a test does not name is a real one that does no harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import BaseModel, SecretStr

from core.models.calling import Ask, CallBudget, Reply
from core.models.chat import Chat
from core.models.embedding_vectors import Embeddings
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.settings import Settings
from core.skills.base import SkillContext
from core.trace.events import ListTracer, Tracer
from tests.embedder import WordCounts, word_counts
from tests.scripted import ScriptedServer


class Replies(Chat):
    """A chat client that gives each of its replies once, in their order; where none is left, it may not be asked."""

    def __init__(self, *replies: str | BaseModel | Exception) -> None:
        nobody = ChatEndpoint("http://127.0.0.1:9/v1", NO_KEY, "none")
        super().__init__(nobody, ListTracer(), Settings(_env_file=None), CallBudget(0))
        self._ask = self.reply
        self._replies = list(replies)
        self.asked: list[Ask] = []

    @property
    def prompts(self) -> list[str]:
        """The last message of each call."""
        return [ask.messages[-1].content for ask in self.asked]

    async def reply(self, ask: Ask) -> Reply:
        """The next reply; an error is raised."""
        assert self._replies, (
            f"“{ask.skill}” asks the model, by “{ask.method}”, and the test has no reply for it."
        )
        self.asked.append(ask)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else reply.model_dump_json()
        return Reply("", ask.attempt, text, cut=False, tools=False)


def skill_context(
    chat: Chat | None = None,
    *,
    embeddings: Embeddings | None = None,
    tracer: Tracer | None = None,
    builtin: bool = False,
    methods: Mapping[str, str] | None = None,
) -> SkillContext:
    """A context: without a client no model may be asked, and without embeddings words are counted."""
    embedder = replace(word_counts(), embeddings=embeddings or WordCounts())
    return SkillContext(chat or Replies(), embedder, tracer or ListTracer(), builtin, methods or {})


def scripted_context(server: ScriptedServer, calls: int) -> SkillContext:
    """A context whose model is the scripted endpoint, which may be asked so often."""
    settings = Settings(_env_file=None, retry_base_seconds=0.01, openai_api_key=SecretStr("x"))
    tracer = ListTracer()
    return skill_context(Chat(server.endpoint(), tracer, settings, CallBudget(calls)), tracer=tracer)
