"""What a skill asks of a model, and what came back: the values between the chat client and who replies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from core.errors import CallLimitReached
from core.models.capabilities import Sampling
from core.models.wire import Likely
from core.trace.events import Message, ModelStarted, Usage

_UNTOLD = ("stream_options", "user")
"""Fields of a request that are in no event: runs are passed on, and who asked them is not."""


class CallBudget:
    """Counts the calls that a run sends, failed ones included, and ends it at the limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0

    def take(self) -> None:
        """Count one call.

        Raises:
            CallLimitReached: The limit is used up; the call must not be sent.
        """
        if self.used >= self.limit:
            raise CallLimitReached(
                f"Cap reached: the run used up its {self.limit} model calls, and what it has so far is kept; "
                "choose fewer rounds or variants, or raise MAX_CALLS."
            )
        self.used += 1


@dataclass(frozen=True)
class Ask:
    """One prompt of a skill, before an endpoint's ways are taken into account."""

    messages: tuple[Message, ...]
    skill: str
    method: str
    sampling: Sampling
    schema: type[BaseModel] | None = None
    """Form of the reply; None: free text."""
    show: bool = False
    """Whether the reply is reported piece by piece."""
    attempt: int = 1
    tools: tuple[dict[str, Any], ...] = ()
    """Functions that may be called, as the OpenAI API describes them."""
    first_word: bool = False
    """Whether only the beginning of the reply counts."""
    prompt: str = ""
    """Hash of the prompt, where a recording is used."""

    def roomier(self, times: int = 2) -> Ask:
        """The same with a larger token limit, for a reply that was cut off."""
        limit = self.sampling.max_tokens
        if limit is None:
            return self
        return replace(self, sampling=self.sampling.model_copy(update={"max_tokens": times * limit}))

    def started(
        self, call: str, model: str, messages: tuple[Message, ...], body: dict[str, Any]
    ) -> ModelStarted:
        """The event of a call that is sent.

        Args:
            call: Its id.
            model: Who is asked.
            messages: As they are sent.
            body: The rest of the request.
        """
        return ModelStarted(
            call=call,
            skill=self.skill,
            method=self.method,
            model=model,
            messages=messages,
            sampling={name: value for name, value in body.items() if name not in _UNTOLD},
        )


@dataclass(frozen=True)
class Reply:
    """What came back from one call."""

    call: str
    """Id of the call."""
    attempt: int
    text: str
    """Tool calls in the form that a JSON schema would have given them."""
    cut: bool
    """Whether it reached the token limit."""
    tools: bool
    """Whether tools could be called natively."""
    likely: tuple[Likely, ...] = ()
    """What it could have begun with, where that was asked for and given."""
    usage: Usage = Usage()  # noqa: RUF009  # frozen
    first: float = 0.0
    """Seconds until its first piece."""
    seconds: float = 0.0
    """Seconds until its end."""
