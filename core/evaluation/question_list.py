"""Question lists: a table of questions about a corpus that is already there, with answers and gold documents."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from core.corpora.documents import display_name
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.spreadsheet import MAX_FIELD, delimiter
from core.errors import InputError

_COLUMNS = {
    "id": ("id", "qid"),
    "question": ("question", "text", "query", "질문", "質問", "问题", "問題"),
    "type": ("type", "kind"),
    "answers": ("answers", "answer", "정답", "답", "答え", "回答", "答案"),
    "gold": ("gold", "documents", "document", "titles", "title"),
}
"""Meaning of a column -> possible headings."""
MAX_QUESTIONS = 10_000
SEPARATOR = "|"
"""Separates answers or gold documents in one field; if it also separates columns, such a field is quoted."""


@dataclass(frozen=True)
class ListedQuestion:
    """A row of the table; raw text."""

    line: int
    """Line in the file at which the row begins, from 1."""
    id: str
    text: str
    type: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    """Titles or ids of documents, as written in the table."""


def read_question_list(name: str, data: bytes) -> tuple[ListedQuestion, ...]:
    """The questions of a table with any usual delimiter and encoding.

    The first row names the columns: `question`, and optionally `answers`, `gold`, `type`, `id`, in any order; other
    columns are ignored. A table of one column without a heading is a plain list of questions.

    Raises:
        InputError, DocumentError: It is no table, has no column of questions, or a row cannot be used; the message
            says which.
    """
    name = display_name(name)
    source = decode(name, data).lstrip("\ufeff")
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(StringIO(source, newline=""), delimiter=delimiter(source))
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, [" ".join(field.replace("\0", "").split()) for field in row]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"“{name}” is not a readable table: {error}.") from error
    rows = [row for row in rows if any(row[1])]
    if not rows:
        raise InputError(f"“{name}” holds no questions.")
    columns, body = _columns(name, rows[0][1]), rows[1:]
    if "question" not in columns:
        if any(len(fields) > 1 for _, fields in rows):
            raise InputError(f"“{name}” has no column “question”. Its first row must name the columns.")
        columns, body = {"question": 0}, rows
    if not body:
        raise InputError(f"“{name}” holds no questions.")
    if len(body) > MAX_QUESTIONS:
        raise InputError(f"“{name}” holds {len(body):,} questions; {MAX_QUESTIONS:,} are the most.")
    return _listed(name, columns, body)


def _columns(name: str, first: Sequence[str]) -> dict[str, int]:
    """Meaning -> column, from 0, according to the first row."""
    found: dict[str, int] = {}
    for column, heading in enumerate(first):
        for purpose, headings in _COLUMNS.items():
            if heading.casefold() in headings and found.setdefault(purpose, column) != column:
                raise InputError(f"“{name}” has two columns for the {purpose}.")
    return found


def _listed(
    name: str, columns: Mapping[str, int], rows: Sequence[tuple[int, Sequence[str]]]
) -> tuple[ListedQuestion, ...]:
    made: list[ListedQuestion] = []
    seen: set[str] = set()
    for number, (line, row) in enumerate(rows, 1):
        id_, text, kind, answers, gold = (
            row[columns[purpose]] if purpose in columns and columns[purpose] < len(row) else ""
            for purpose in ("id", "question", "type", "answers", "gold")
        )
        if not text:
            raise InputError(f"“{name}”: line {line} has an empty question.")
        key = id_ or f"{number}"
        if key in seen:
            raise InputError(f"“{name}”: line {line} repeats the id “{key}”.")
        seen.add(key)
        made.append(ListedQuestion(line, key, text, kind, _several(answers), _several(gold)))
    return tuple(made)


def _several(field: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in field.split(SEPARATOR))))
