"""Questions that a class predicts the answer to, as plain values."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from core.cards.texts import visible
from core.trace.passages import Frozen

MAX_TEXT = 1_000
"""Characters of a question, and of what is said after the reveal."""
MAX_OPTION = 300

_VISIBLE = BeforeValidator(lambda value: visible(value) if isinstance(value, str) else value)
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT), _VISIBLE]
MoreText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_TEXT), _VISIBLE]
OptionText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_OPTION), _VISIBLE
]
Source = Literal["comparison", "run", "lesson", "written"]
"""Subject of a question; `written` by the teacher, it is about nothing that this app stores."""


class Option(Frozen):
    """A possible answer."""

    key: str = Field(pattern=r"^[A-Z]$")
    """Letter under which it is voted for."""
    text: OptionText
    right: bool = False
    """True if it is what happened; several may be."""


class Question(Frozen):
    """One question to predict: what a class sees before and after the reveal. No text is markup."""

    text: Text
    about: MoreText = ""
    """The question that was asked of a strategy, or the case; empty: the text says it all."""
    options: tuple[Option, ...] = Field(min_length=2, max_length=6)
    after: MoreText = ""
    """Said after the reveal: what happened, and why."""
    source: Source = "written"
    target: str = Field(default="", max_length=80, pattern=r"^[A-Za-z0-9_.-]*$")
    """Id of the comparison or run, or key of the lesson, where it can be seen; empty: nowhere."""
    notes: MoreText = ""
    """For the teacher only."""
    minutes: int = Field(default=0, ge=0, le=600)
    """Time that it is planned to take, talk included; 0: it is not planned."""

    @model_validator(mode="after")
    def _fits(self) -> Question:
        keys = [option.key for option in self.options]
        if len(set(keys)) < len(keys):
            raise ValueError("two options have the same letter")
        if not any(option.right for option in self.options):
            raise ValueError("no option is marked as right")
        return self

    @property
    def right(self) -> tuple[str, ...]:
        """Letters of the right options, at least one."""
        return tuple(option.key for option in self.options if option.right)
