"""Numbers in sentences, texts that are cut, characters that can be stored and sent, and lists of words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def counted(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun, e.g. “1 passage” or “3,000 passages”.

    Args:
        singular: The noun, perhaps with its verb, as it follows 1.
        plural: As it follows any other number; empty: `singular` with an s.
    """
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"


_WORDS = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


def number_word(count: int) -> str:
    """A number as a word up to twelve, 0 as “no”; else in digits."""
    return _WORDS[count] if count < len(_WORDS) else str(count)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(number: int) -> str:
    """The place of a number, from 1, e.g. “third” or “21st”; a word up to the tenth."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    endings = {1: "st", 2: "nd", 3: "rd"} if number % 100 not in (11, 12, 13) else {}
    return f"{number}{endings.get(number % 10, 'th')}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them: “A”, “A and B”, “A, B and C”."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def duration(seconds: float) -> str:
    """A time in words, at least one second, e.g. “5 min”."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def time_span(low: float, high: float) -> str:
    """A time of which two bounds are known, in seconds, e.g. “about 40 seconds” or “2 to 5 minutes”."""
    (first, unit), (last, other) = _rough(low), _rough(high)
    if (first, unit) == (last, other):
        return f"about {counted(first, unit)}"
    return (
        f"{first:,} to {counted(last, unit)}"
        if unit == other
        else f"{counted(first, unit)} to {counted(last, other)}"
    )


def _rough(seconds: float) -> tuple[int, str]:
    """A time as somebody says who has no clock: the number, at least 1, and its unit."""
    if seconds < 10:
        return max(1, round(seconds)), "second"
    if seconds < 90:
        return 5 * round(seconds / 5), "second"
    return (round(seconds / 60), "minute") if seconds < 5400 else (round(seconds / 3600), "hour")


def file_size(count: int) -> str:
    """A number of bytes as people say it, in decimal units: "2.1 GB", "98 MB"."""
    if count >= 10**9:
        return f"{count / 10**9:.1f} GB"
    return f"{count / 10**6:.0f} MB" if count >= 10**6 else f"{max(1, count // 1000)} kB"


def rounded(number: float) -> int:
    """A number rounded to its first two digits."""
    return int(float(f"{number:.2g}"))


def shortened(text: str, letters: int) -> str:
    """A text on one line, of at most so many letters: cut after a word, unless that would lose more than a third."""
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    cut = line[: letters - 1]
    whole = cut if not line[letters - 1].isalnum() else cut.rpartition(" ")[0]
    return f"{(whole if len(whole) > letters * 2 // 3 else cut).rstrip(' ,;:')}…"


def whole_characters(text: str) -> str:
    """The text with the halves of a character that came apart put together, and a lone half replaced.

    JSON escapes may name half a character (a lone surrogate), which neither UTF-8 nor JSON can hold.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def words_beside(module: str) -> dict[str, Any]:
    """The lists of words that a module reads from the TOML file beside it, which is named like it.

    Args:
        module: Its `__file__`.
    """
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
