"""Reading the answer off a row of a table: a value in the question says which row, its other words say which column.

A row is a line of values behind the names of their columns, see `core.corpora.rows`. Nothing is guessed: where two rows
or two columns fit equally well and say different things, there is no answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from core.corpora.rows import row_cells
from core.skills.stems import stems, word_set
from core.trace.passages import Passage

_ASKED = {
    "when": word_set("date year time day"),
    "where": word_set("place locate port harbour harbor city town country address region"),
    "who": word_set("name person"),
    "how long": word_set("long durat"),
    "how old": word_set("age"),
    "how much": word_set("price cost fee amount total fare sum"),
    "how many": word_set("number count quantiti"),
    "how tall": word_set("high"),
    "how high": word_set("high elev altitud"),
    "how deep": word_set("deep"),
    "how wide": word_set("wide beam breadth"),
    "how heavy": word_set("weight mass tonnag"),
    "how far": word_set("distanc"),
    "how fast": word_set("speed"),
    "how large": word_set("size area"),
    "how big": word_set("size area"),
}
"""Beginning of a question -> stems of words in the names of columns that answer it."""
_HINT = 0.6
"""What such a word counts, beside 1 for a word of the question itself."""
_FIRST = 0.05
"""What the first such word of the question counts besides."""
_NAMED_FROM = 0.5
"""Share of the words of a column's name from which the question asks for it."""
_MOST_UNEXPLAINED = 1
"""Words of a question that neither row nor column explains, as “lie” in “In which city does it lie?”"""
_UNITS = re.compile(r"[(\[][^()\[\]]{0,20}[)\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class RowFact:
    """A value of a row."""

    value: str
    column: str
    line: str
    """The row, as it stands in the passage."""
    passage: Passage


@dataclass(frozen=True)
class _Row:
    """A row with a value that the question names."""

    line: str
    passage: Passage
    given: tuple[tuple[str, str], ...]
    """Names of columns and values that the question names."""
    others: tuple[tuple[str, str], ...]

    @cached_property
    def known(self) -> frozenset[str]:
        """Stems of the values that the question names."""
        return frozenset(stem for _, value in self.given for stem in stems(value))


def row_fact(question: str, passages: Sequence[Passage], without: Collection[str] = ()) -> RowFact | None:
    """The value that a question asks for, if a row of a table in the passages has it.

    Args:
        question: In any language; “when” or “how long” are understood in English only.
        passages: In which rows are looked for.
        without: Rows that are left out.
    """
    rows = [
        row
        for passage in passages
        for line in dict.fromkeys(map(str.strip, passage.text.splitlines()))
        if "|" in line and line not in without and (row := _row(line, passage, stems(question)))
    ]
    counts = Counter(stem for row in rows for stem in row.known)
    found = [
        # What names few rows says most about which row it is: a number of an order more than its state.
        (sum(1 / counts[stem] for stem in row.known), asked, fact)
        for row in rows
        for asked, fact in _facts(question, row)
    ]
    best = max((rank[:2] for rank in found), default=None)
    facts = [fact for *rank, fact in found if tuple(rank) == best]
    return facts[0] if len({fact.value for fact in facts}) == 1 else None


def _row(line: str, passage: Passage, wanted: Sequence[str]) -> _Row | None:
    cells = row_cells(line)
    given = [_is_given(value, wanted) for _, value in cells]
    if not any(given):
        return None
    return _Row(
        line, passage, *(tuple(compress(cells, chosen)) for chosen in (given, [not one for one in given]))
    )


def _facts(question: str, row: _Row) -> Iterator[tuple[float, RowFact]]:
    """The values whose column a question asks for, and how well its words name that column."""
    ordered = [stem for stem in stems(question) if stem not in row.known]
    rest, first = set(ordered), ordered[:1]
    rows = {stem for name, _ in row.given for stem in _name(name)}
    hints = _hints(question)
    for name, value in row.others:
        words = _name(name)
        unexplained = rest - words - rows - hints
        asked = (len(words & rest) + _HINT * len((words - rest) & hints)) / max(1, len(words))
        if asked >= _NAMED_FROM and len(unexplained) <= _MOST_UNEXPLAINED:
            # “Which carrier shipped it?” asks for the first of the two.
            yield (
                asked + _FIRST * any(stem in words for stem in first),
                RowFact(value, name, row.line, row.passage),
            )


def _is_given(value: str, wanted: Sequence[str]) -> bool:
    """True if a question names a value: all its words stand there together, and they are no small number."""
    own = stems(value)
    if not own or len(own) > len(wanted) or (len(own) == 1 and own[0].isdigit() and len(own[0]) < 3):
        return False
    return any(tuple(wanted[place : place + len(own)]) == own for place in range(len(wanted) - len(own) + 1))


def _name(name: str) -> set[str]:
    """Stems of a column's name, without its unit."""
    return set(stems(_CAMEL.sub(" ", _UNITS.sub("", name))))


def _hints(question: str) -> frozenset[str]:
    lowered = question.lower()
    return frozenset().union(
        *(stems_ for words, stems_ in _ASKED.items() if re.search(rf"\b{words}\b", lowered))
    )
