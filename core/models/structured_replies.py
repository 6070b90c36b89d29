"""Structured replies: text to a checked value, or a reason that the model can act on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from core.trace.events import Message

T = TypeVar("T", bound=BaseModel)

FENCE = "```"
SHOWN_ERRORS = 5


class InvalidReply(Exception):
    """The reply is not what was asked for. `str()` says why, fit for the model and for the user."""


def parse(text: str, schema: type[T], *, cut: bool = False) -> T:
    """The value that a reply holds.

    Args:
        text: The reply; a code fence or a thought in front of the JSON is passed over.
        schema: What it must be.
        cut: Whether the endpoint said that it stopped at the token limit.

    Raises:
        InvalidReply: It is no JSON, or not of this schema.
    """
    try:
        return schema.model_validate_json(_json_in(text))
    except ValidationError as error:
        if cut:
            raise InvalidReply("The reply was cut off at the token limit.") from None
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        listed = "; ".join(_problem(problem["loc"], problem["msg"]) for problem in problems[:SHOWN_ERRORS])
        raise InvalidReply(listed) from None


def corrected(messages: Sequence[Message], reply: str, reason: str) -> tuple[Message, ...]:
    """The conversation with the bad reply and what is wrong with it."""
    wrong = (
        f"That reply does not have the form asked for: {reason}\nReply again, with the corrected JSON alone."
    )
    return (*messages, Message(role="assistant", content=reply), Message(role="user", content=wrong))


def _json_in(text: str) -> str:
    text = text.strip()
    if text.startswith(("{", "[")) or FENCE not in text:
        return text
    _, _, fenced = text.partition(FENCE)
    fenced, _, _ = fenced.rpartition(FENCE) if FENCE in fenced else (fenced, "", "")
    return fenced.strip().removeprefix("json").removeprefix("JSON")


def _problem(place: tuple[int | str, ...], message: str) -> str:
    path = ".".join(map(str, place))
    return f"{path}: {message}" if path else message
