"""Editing an artefact: the fields of its form, and texts checked and marked as the user's.

What a form makes of an artefact stands with its kind, in `core.cards.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from core.errors import InputError
from core.strict_json import read_json
from core.trace.artefacts import AnyArtefact, Artefact

A = TypeVar("A", bound=Artefact)

YOURS = "Changed by you."
MAX_CHARS = 4000
MAX_LINES = 12


@dataclass(frozen=True)
class TextField:
    """A field for text, on one line or several."""

    key: str
    label: str
    text: str
    pixels: int = 0
    """Height of a field for several lines; 0: one line."""


@dataclass(frozen=True)
class ChoiceField:
    """One of some options."""

    key: str
    label: str
    options: Sequence[str]
    chosen: str
    head: str = ""
    """Title of the thing that is judged, shown in bold before `text`."""
    text: str = ""


@dataclass(frozen=True)
class PickField:
    """Some of many, in the order in which they are chosen."""

    key: str
    label: str
    options: Mapping[str, str]
    """Id -> its name on screen."""
    chosen: Sequence[str]
    help: str = ""


Field = TextField | ChoiceField | PickField


@dataclass(frozen=True)
class Edit(Generic[A]):
    """How an artefact is edited."""

    fields: Callable[[A], Sequence[Field]]
    change: Callable[[A, Sequence[Any]], AnyArtefact]
    """The artefact with the values of the fields, in their order; an `InputError` says what is wrong with them."""
    lines: Callable[[A], Sequence[str]]
    """All that can be edited as lines of text, by which a fork shows what it changed."""
    label: Callable[[A], str] | None = None
    """Tells the artefact from others of its kind; None: there is one of it in a card."""


def text_edit(
    label: str,
    text: Callable[[A], str],
    change: Callable[[A, str], AnyArtefact],
    pixels: int = 0,
    name: Callable[[A], str] | None = None,
) -> Edit[A]:
    """An edit of one text.

    Args:
        label: Of its field.
        text: As it is.
        change: The artefact with another text.
        pixels: Height of the field; 0: one line.
        name: As `Edit.label`.
    """
    return Edit(
        lambda artefact: (TextField("edit-text", label, text(artefact), pixels),),
        lambda artefact, values: change(artefact, values[0]),
        lambda artefact: [text(artefact)],
        name,
    )


def lines_edit(
    label: str, lines: Callable[[A], Sequence[str]], change: Callable[[A, str], AnyArtefact]
) -> Edit[A]:
    """An edit of several texts in one field, one a line; arguments as for `text_edit`."""
    return Edit(
        lambda artefact: (TextField("edit-lines", label, "\n".join(lines(artefact)), 180),),
        lambda artefact, values: change(artefact, values[0]),
        lines,
    )


def edited(artefact: A, **values: object) -> A:
    """The artefact with other values, marked as changed by the user."""
    return artefact.model_copy(update={**values, "note": YOURS})


def checked_text(text: str) -> str:
    """A text without white space around it.

    Raises:
        InputError: It is empty or too long.
    """
    text = text.strip()
    if not text:
        raise InputError("The text is empty. Write something, or leave the artefact as it is.")
    if len(text) > MAX_CHARS:
        raise InputError(f"The text has {len(text):,} characters; at most {MAX_CHARS:,} are possible.")
    return text


def lines_of(text: str) -> list[str]:
    """The lines of a text field, without blanks and copies.

    Raises:
        InputError: There is none, or there are too many or too long ones.
    """
    lines = list(dict.fromkeys(" ".join(line.split()) for line in text.splitlines() if line.strip()))
    if not lines:
        raise InputError("At least one line is needed. Write one, or leave the artefact as it is.")
    if len(lines) > MAX_LINES:
        raise InputError(f"There are {len(lines)} lines; at most {MAX_LINES} are possible.")
    return [checked_text(line) for line in lines]


_ARTEFACT: TypeAdapter[AnyArtefact] = TypeAdapter(AnyArtefact)


def read_artefact(text: bytes) -> AnyArtefact:
    """An artefact from JSON as `runs show --json` prints it; the step it came from may be in it.

    Raises:
        InputError: It is none.
    """
    try:
        fields = read_json(text)
        for name in ("step", "node"):
            fields.pop(name, None)
        return _ARTEFACT.validate_python(fields)
    except (ValueError, AttributeError, TypeError):
        raise InputError(
            "The file does not hold an artefact. Take one from `runs show RUN --json`, and change its text."
        ) from None
