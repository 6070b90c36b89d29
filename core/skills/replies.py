"""Reading an answering model's reply: the short answer in it, and the mark that says whether there is an answer.

Every answering prompt asks for the same form, in any language: the answer itself on a line of its own, with `[0]` in
front where the sources do not hold it, `[?]` where they only suggest it and `[+]` where they hold a part of it only.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from core.skills.refusals import abstains

NOT_HELD, SUGGESTED, INCOMPLETE = "[0]", "[?]", "[+]"
"""Marks in front of an answer that the sources do not hold, only suggest, or hold only a part of."""
SHORT_CHARS = 200
"""A longer line is no short answer."""

_MARK = re.compile(r"(?:(?<![ \t])[ \t]+)?\[\s*([0?+])\s*\][ \t]*[:：]?[ \t]*")
CITED = r"\[\d{1,2}(?:\s*,\s*\d{1,2})*\]"
MARKS = re.compile(rf"(?:(?<!\s)\s+)?({CITED})")
"""Citation marks such as `[1]` or `[2, 3]`, with the blanks before them. It begins where these begin and nowhere within
them: in a long run, each place would be tried as far as its end."""
_NUMBER = re.compile(r"\d+")
_LABEL = re.compile(
    r"^(?:(?:the )?(?:short |final )?answer|답|답변|答え|回答|答案)\s*[:：]\s*", re.IGNORECASE
)
_DECORATION = re.compile(r"\*\*|__|^#+\s+|^[-*•]\s+")


def cited(mark: str) -> tuple[int, ...]:
    """The numbers of the passages that a citation mark names."""
    return tuple(map(int, _NUMBER.findall(mark)))


def split_at_marks(text: str, known: Container[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A text in pieces, each with the numbers that a citation mark right behind it names and that are known.

    A mark without any known number stays part of its piece.
    """
    reached = 0
    for mark in MARKS.finditer(text):
        if numbers := tuple(number for number in cited(mark[1]) if number in known):
            yield text[reached : mark.start()], numbers
            reached = mark.end()
    yield text[reached:], ()


@dataclass(frozen=True)
class AnswerReply:
    """A reply, read."""

    text: str
    """Without the marks in front of it, and without labels."""
    short: str
    """The answer itself, without citation marks; empty: there is none, or none so short."""
    abstained: bool
    suggested: bool
    incomplete: bool = False


def read_reply(written: str, *, last: bool = False) -> AnswerReply:
    """Read the reply of a model that was asked for an answer.

    Args:
        written: The reply.
        last: True if the answer itself was asked for on the last line, behind the reasoning, and not on the first.
    """
    lines = [line for line in written.strip().splitlines() if line.strip()]
    if not lines:
        return AnswerReply("", "", abstained=True, suggested=False)
    head = _DECORATION.sub("", _LABEL.sub("", _DECORATION.sub("", lines[-1 if last else 0].strip())))
    # Small models put the mark behind the line, or in front of the wrong one.
    ends = {mark[1] for line in (lines[0], lines[-1]) if (mark := _MARK.match(_DECORATION.sub("", line)))}
    marks = ends | set(_MARK.findall(head))
    text = _MARK.sub(_blank, written.strip()).strip()
    plain = MARKS.sub("", _MARK.sub(_blank, head)).strip()
    uncited = "0" in _MARK.findall(written) and not MARKS.search(text)
    abstained = "0" in marks or uncited or abstains(MARKS.sub("", text))
    alone = len(lines) > 1 or len(plain) <= SHORT_CHARS // 2
    short = plain if alone and len(plain) <= SHORT_CHARS and not abstained else ""
    suggested, incomplete = (mark in marks and not abstained for mark in "?+")
    return AnswerReply(text, short, abstained, suggested, incomplete)


def _blank(mark: re.Match[str]) -> str:
    """The blank in the place of a mark; nothing at the edge of a line."""
    before, after = mark.string[: mark.start()], mark.string[mark.end() :]
    return " " if before and after and not before.endswith("\n") and not after.startswith("\n") else ""
