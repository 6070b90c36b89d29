"""The questions by which lessons are measured, written from the code and the papers and from no lesson.

`transfer.jsonl` has two for each strategy, with four options each, about cases of other fields than those that a lesson
is likely to show: what happens to a passage, which step lost it, which price is paid. Anyone who understood the
strategy as this app runs it can answer them; its name and common belief mislead. `SUPPOSED` goes before them. `why`
names the place in the code that makes an option the right one, and is not for readers.

`reading.jsonl` has five open ones for each lesson: why it works (its id ends with `why`), a calculation by hand
(`count`), what differs from where it comes from (`source`), when not to use it (`limit`), what goes wrong in a careless
version (`careless`). An answer gets a point for each of two things that are expected of it, so that a lesson counts 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from core.errors import InputError
from core.trace.passages import Frozen

HERE = Path(__file__).parent
TRANSFER, READING = HERE / "transfer.jsonl", HERE / "reading.jsonl"
SUPPOSED = "Unless a question says otherwise, all parameters are at their defaults and a capable model does each step."
"""A sentence for readers, before the transfer questions."""

Option = Literal["a", "b", "c", "d"]
Line = TypeVar("Line", bound=Frozen)


class TransferQuestion(Frozen):
    """A question with options about a case that its lesson does not show."""

    id: str
    strategy: str
    """Its key."""
    question: str
    options: dict[Option, str]
    right: Option
    why: str
    """The place in the code that says so."""


class ReadingQuestion(Frozen):
    """An open question that any good lesson answers."""

    id: str
    lesson: str
    """Key of the strategy, or of a lesson that stands without one."""
    question: str
    expected: tuple[str, str]
    """The two points of a full answer, each worth one."""


def transfer_questions() -> list[TransferQuestion]:
    """The questions with options, in teaching order."""
    return list(read_lines(TRANSFER, TransferQuestion))


def reading_questions() -> list[ReadingQuestion]:
    """The open questions, lesson by lesson."""
    return list(read_lines(READING, ReadingQuestion))


def read_lines(file: Path, kind: type[Line]) -> Iterator[Line]:
    """The values of a file with one on each line; blank lines are left out.

    Raises:
        InputError: The file cannot be read, or a line is no such value; the sentence names file and line.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file “{file}” cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield kind.model_validate_json(line)
            except ValidationError as error:
                raise InputError(f"Line {number} of “{file}” cannot be used: {error}") from None
