"""A copy of a text for sentence splitters: of the same length, without misleading sentence and line ends."""

from __future__ import annotations

import re
from itertools import groupby

from core.corpora.rows import row_cells

_NARROWEST = 20
"""Characters; lines that are all shorter are a list or a verse."""
_FULL = 0.7
"""Share of the longest line's length from which on a line counts as full, so that its end is the margin's."""
_SENTENCE = 300
"""Characters; prose ends a sentence at least that often."""

_END = re.compile(r"[.!?…][)\]\"'”’]{0,3}(?=\s|$)|[。！？]")
_MARKER = re.compile(r"\s*(?:[#>|•‣◦・*+–—-]|\(?(?:\d{1,2}|[A-Za-z])[.)]\s|[①-⑳])")
"""Begins an item of a list, a heading or a row of a table."""
_IN_ROW = re.compile(r"[.!?…](?=[)\]\"'”’]{0,3}\s)|[。！？](?!$)")
"""Ends a sentence in a cell."""
_QUOTED = re.compile(r"[.!?。！？…](?=[」』”’\"')）]{1,3}[\u3041-\u309f\uac00-\ud7af])")
"""Ends a quotation inside a Japanese or Korean sentence: what follows it directly is a particle."""
_DATE = re.compile(
    r"(?<=\b\d{4})\.(?=\s?\d{1,2}\.)|(?<=\b\d{4}\.\s\d)\.(?=\s\d)|(?<=\b\d{4}\.\s\d\d)\.(?=\s\d)"
)
"""The inner full stops of a date such as `1998. 3. 5.`"""


def without_false_borders(text: str) -> str:
    """The text with blanks for line ends that a margin made, and commas for full stops that end no sentence.

    Splitters prefer the end of a line to the end of a sentence. In texts with a fixed margin, as most PDFs have,
    that would cut nearly every chunk in the middle of a sentence. A row of a table is a line, whatever stands in it.
    """
    if " |" not in text:
        return _without_margins(text)
    groups = groupby(text.split("\n"), key=lambda line: bool(row_cells(line)))
    return "\n".join(
        "\n".join(_IN_ROW.sub(",", line) for line in lines) if is_row else _without_margins("\n".join(lines))
        for is_row, lines in groups
    )


def _without_margins(text: str) -> str:
    flat = _unwrapped(text) if "\n" in text else text
    flat = _QUOTED.sub(",", flat)
    return _DATE.sub(",", flat)


def _unwrapped(text: str) -> str:
    parts: list[str] = []
    for blank, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        lines = list(group)
        parts += lines if blank else _paragraph(lines)
    return "\n".join(parts)


def _paragraph(lines: list[str]) -> list[str]:
    """The lines between two empty ones, those that continue each other joined by a blank."""
    widest = max(map(len, lines))
    length = sum(map(len, lines))
    if len(lines) == 1 or widest < _NARROWEST:
        return lines
    if sum(len(_END.findall(line)) for line in lines) * _SENTENCE < length:
        return lines
    joined: list[list[str]] = []
    full = False
    for line in lines:
        if full and not _MARKER.match(line):
            joined[-1].append(line)
        else:
            joined.append([line])
        full = len(line) >= _FULL * widest
    return [" ".join(parts) for parts in joined]
