"""Tables written as text, whatever the format of their document, and rows read back.

Its header is a line, and so is each row, in which each value stands behind the name of its column: “Ship: Dunlin |
Built: 1911”. So a row can be understood alone, wherever a table is cut into chunks. An empty cell keeps its place; a
cell that reaches over several rows or columns stands in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

_BETWEEN = " | "
_LONGEST_NAME = 80
"""Characters of a column's name before a value."""
_LONGEST_LINE = 500
"""Characters of a row's line, about 170 tokens; the cells of a longer row stand in several lines."""
_LONGEST_KEY = 120
"""Characters of what says which row it is, at the beginning of each of these lines."""
_LONGEST_REPEATED = 300
"""Characters of a cell that is repeated: a file of a few bytes must not become gigabytes of text."""
_MOST_COLUMNS = 1000
_MOST_CELLS = 2_000_000
"""Cells of a table, repeated ones included; beyond, no cell is repeated."""
_MANY_COLUMNS = 12
"""Columns from which an empty cell's place is left out: exports have dozens of empty ones."""
_MANY_ROWS = 12
"""Rows from which two columns are a list of things rather than the properties of a single one."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_SPLIT = re.compile(r"(?<!\S)\|(?!\S)")
_CELL = re.compile(rf"([^|:]{{1,{_LONGEST_NAME}}}(?::[^\s|:]{{1,40}}){{0,3}}):\s+(\S.*)", re.DOTALL)


class Reach(str):
    """The text of a cell that reaches over more than one column, in a column beyond its first."""

    __slots__ = ()


class Grid:
    """The cells of a table, each in its own row and column, filled row by row."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._open: dict[int, tuple[str, int]] = {}
        self._cells = 0

    def add(self, cells: Iterable[tuple[str | None, int, int]]) -> None:
        """Add a row: each cell has a text, and how many columns and rows it reaches over; None: it goes on from
        above."""
        row: list[str] = []
        above, covered = (self.rows[-1] if self.rows else []), self._open
        spare = self._cells < _MOST_CELLS
        self._open = {
            place: (text, left - 1) for place, (text, left) in covered.items() if left > 1 and spare
        }
        for text, columns, rows in cells:
            while len(row) in covered:
                row.append(covered[len(row)][0])
            place = len(row)
            if place >= _MOST_COLUMNS:
                break
            words = (above[place] if place < len(above) else "") if text is None else " ".join(text.split())
            again = words if len(words) <= _LONGEST_REPEATED else ""
            reaches = max(1, min(columns, _MOST_COLUMNS - place)) if spare else 1
            row += [words, *[Reach(again)] * (reaches - 1)]
            if rows > 1 and spare:
                self._open |= {
                    place + step: (Reach(again) if step else again, rows - 1) for step in range(reaches)
                }
        while len(row) <= max(covered, default=-1):
            row.append(covered[len(row)][0] if len(row) in covered else "")
        self._cells += len(row)
        self.rows.append(row)


def table_text(rows: Sequence[Sequence[str]], named: bool | None = None) -> str:
    """Return a table as text, from the cells of each row; `named`: the first row names the columns; None: the cells
    show it."""
    return "\n\n".join(table_blocks(rows, looks_named(rows) if named is None else named, lone_header=True))


def table_blocks(
    rows: Iterable[Sequence[str]], named: bool = True, *, lone_header: bool = False
) -> Iterator[str]:
    """Yield the blocks of a table's text: rows as lines, and texts that are too long for one by themselves.

    Single cells above the header are titles and notes, and are kept as they are, like a table of one column. `named`:
    the first row of several cells names the columns; `lone_header`: a header that no row follows is text."""
    filled = (row for row in rows if any(map(str.strip, row)))
    row = next(filled, None)
    following = next(filled, None)
    while row is not None and _is_title(row, following):
        yield next(cell for cell in row if cell.strip()).strip()
        row, following = following, next(filled, None)
    if row is None:
        return
    lines = list[str]()
    names: Sequence[str] = ()
    rest: list[Sequence[str]] = [row] if following is None else [row, following]
    if named and following is None:
        lines += [_plain_line(row)] if lone_header else []
        rest = []
    elif named and following is not None:
        second = following if _is_second_header(row, following) else None
        names = _names(row, second)
        lines += [_plain_line(header) for header in (row, second) if header is not None]
        rest = [] if second is not None else [following]
    for values in chain(rest, filled):
        if _is_section(values):
            yield from _joined(lines)
            yield next(cell for cell in values if cell.strip()).strip()
            continue
        for line, alone in _lines(names, values):
            if alone:
                yield from _joined(lines)
                yield line
            else:
                lines.append(line)
    yield from _joined(lines)


def looks_named(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first row of several cells names the columns of a table that does not say so itself. The first
    of two columns often names the second's values, so that no row names anything."""
    rows = [row for row in rows if any(map(str.strip, row))]
    titles = 0
    while titles + 1 < len(rows) and _is_title(rows[titles], rows[titles + 1]):
        titles += 1
    if len(rows) < titles + 2:
        return False
    head, below = rows[titles], rows[titles + 1 :]
    width = max(len(head), *map(len, below))
    first = [cell.strip() for cell in head]
    if not first[0] and all(first[1:]) and len(first) == width > 1:
        return True  # an empty corner stands above the names of rows
    names = [cell.strip() for cell in head if not isinstance(cell, Reach)]
    if not all(first[1:]) or not _may_be_names(names):
        return False
    if width > 2 or len(below) >= _MANY_ROWS:
        return True
    values = [row[-1].strip() for row in below]
    return (
        len(values) > 2
        and all(any(map(str.isdigit, value)) for value in values)
        and not any(map(str.isdigit, names[-1]))
    )


def _may_be_names(cells: Sequence[str]) -> bool:
    """Return True if cells differ, are short, and are words but for the first, or all of them years."""
    if len(set(cells)) < len(cells) or any(len(name) > _LONGEST_NAME for name in cells):
        return False
    numbers = [name for name in cells[1:] if not any(map(str.isalpha, name))]
    return not numbers or (len(numbers) == len(cells) - 1 > 1 and all(map(_YEAR.fullmatch, numbers)))


def row_cells(line: str) -> list[tuple[str, str]]:
    """Return the name of its column, or an empty one, and the value of each filled cell of a row's line; empty: it is
    no row."""
    parts = [part.strip() for part in _SPLIT.split(line)]
    if len(parts) < 2:
        return []
    matches = [_CELL.fullmatch(part) for part in parts]
    cells = [
        (cell[1].strip(), cell[2].strip()) if cell else ("", part)
        for cell, part in zip(matches, parts, strict=True)
        if part
    ]
    # Half of the cells: a line with a pipe and a colon in it is no row yet.
    named = sum(bool(name) for name, _ in cells)
    return cells if named and 2 * named >= len(cells) - 1 else []


def _is_title(row: Sequence[str], following: Sequence[str] | None) -> bool:
    """Return True if a row above the header is a single cell."""
    if len({cell.strip() for cell in row if cell.strip()}) > 1 or _is_several(row):
        return False
    # Tables with numbered rows often leave the first name out; a title ends before the table below it does.
    return not (following and not row[0].strip() and _width(row) == _width(following))


def _is_several(row: Sequence[str]) -> bool:
    return sum(bool(cell.strip()) and not isinstance(cell, Reach) for cell in row) > 1


def _is_section(row: Sequence[str]) -> bool:
    """Return True if a row is one cell that reaches over all columns: a title within the table."""
    return len(row) > 1 and not isinstance(row[0], Reach) and all(isinstance(cell, Reach) for cell in row[1:])


def _is_second_header(row: Sequence[str], following: Sequence[str]) -> bool:
    """Return True if a row goes on with the header above it: it names columns below names that reach over several."""
    below = {place: cell.strip() for place, cell in enumerate(following)}
    gaps = [
        place for place, cell in enumerate(row) if place and (isinstance(cell, Reach) or not cell.strip())
    ]
    gaps = [place for place in gaps if place < _width(following)]
    if not gaps or not all(below.get(place) and below[place] != row[place] for place in gaps):
        return False
    others = [place for place in range(len(row)) if place not in gaps and place + 1 not in gaps]
    own = [cell for place, cell in below.items() if cell and cell != row[place : place + 1]]
    named = all(any(map(str.isalpha, cell)) or _YEAR.fullmatch(cell) for cell in own)
    return (
        named and bool(others) and all(below.get(place, "") in ("", row[place].strip()) for place in others)
    )


def _names(row: Sequence[str], second: Sequence[str] | None) -> list[str]:
    """Return the name of each column. One that reaches over several columns names none of them by itself."""
    names = list[str]()
    group = ""
    for place, cell in enumerate(row):
        reaches = place + 1 < len(row) and isinstance(row[place + 1], Reach)
        if second is None:
            name = "" if reaches or isinstance(cell, Reach) else cell
        else:
            group = cell.strip() or group
            below = second[place].strip() if place < len(second) else ""
            name = group if below in ("", group) else f"{group} {below}"
        names.append(_short(_flat(name).rstrip(": ")))
    if second is not None:
        names += [_short(_flat(f"{group} {cell}")) for cell in second[len(row) :]]
    return names


def _lines(names: Sequence[str], row: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield a row as a line, or as several that each say which row it is; whether each is a block of its own."""
    width = max(_width(row), _width(names) if names and any(names) else len(row))
    cells = [
        _named(names[place] if place < len(names) else "", row[place] if place < len(row) else "")
        for place in range(width)
    ]
    places = [_flat(cell) for cell in cells]
    line = _joined_cells(places if width <= _MANY_COLUMNS else filter(None, places))
    if len(line) <= _LONGEST_LINE or sum(map(bool, places)) == 1 == width:
        yield line, len(line) > _LONGEST_LINE
        return
    key = _key(places)
    gathered = list(key)
    for place, cell in enumerate(places):
        if not cell or (place < len(key) and cell == key[place]):
            continue
        if len(cell) > _LONGEST_LINE - _LONGEST_KEY:
            # With its own line ends: it is a text rather than a value.
            yield _BETWEEN.join([*filter(None, key), cells[place].strip()]), True
            continue
        if len(gathered) > len(key) and len(_BETWEEN.join([*gathered, cell])) > _LONGEST_LINE:
            yield _BETWEEN.join(filter(None, gathered)), False
            gathered = list(key)
        gathered.append(cell)
    if len(gathered) > len(key):
        yield _BETWEEN.join(filter(None, gathered)), False


def _key(places: Sequence[str]) -> list[str]:
    """Return the first cells, up to one with letters in its value: what says which row it is."""
    key = list[str]()
    for cell in places[:3]:
        if len(_BETWEEN.join([*key, cell])) > _LONGEST_KEY:
            break
        key.append(cell)
        if any(map(str.isalpha, cell.partition(": ")[2] or cell)):
            break
    return key


def _named(name: str, value: str) -> str:
    value = value.strip()
    return f"{name}: {value}" if name and value else value


def _plain_line(row: Sequence[str]) -> str:
    return _joined_cells("" if isinstance(cell, Reach) else _flat(cell) for cell in row)


def _joined_cells(cells: Iterable[str]) -> str:
    return " |".join(f" {cell}" if cell else "" for cell in cells).strip()


def _flat(text: str) -> str:
    """Return a cell's text in one line, in which no bar reads like the border of a cell."""
    return re.sub(r" ?\| ?", "|", " ".join(text.split()))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"


def _width(row: Sequence[str]) -> int:
    return max((place for place, cell in enumerate(row, 1) if cell.strip()), default=0)


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield the lines as a block, if there are any; they are taken away."""
    if lines:
        yield "\n".join(lines)
        lines.clear()
