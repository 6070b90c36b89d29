"""JSON and JSON Lines: one line per value, behind its key path; Jupyter notebooks: their cells in order; and
`corpus.jsonl`: one document per line, `{"id": ..., "title": ..., "text": ...}`."""

from __future__ import annotations

import json
import re
from typing import Any

from core.corpora.documents import Document, TextBuilder, about, clean, content_id, without_files
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.markdown import markdown_document
from core.errors import DocumentError
from core.strict_json import MOST_DEPTH, is_deep, read_json

_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
_BETWEEN = re.compile(r"[\s\x1e]+")
"""White space and marks between values in JSON Lines and in JSON text sequences (RFC 7464)."""
_MAX_KEY = 100
"""Characters of a key that are shown: each value repeats all keys above it."""
_MAX_PATH = 300
"""Characters of a path that are shown; of a longer one the last keys, since these say most."""


def load_json(name: str, data: bytes) -> list[Document]:
    """Return the values of JSON or JSON Lines as `path.to.key: value` lines, values of one object together."""
    builder = TextBuilder()
    # A stack of our own keeps the order of the file: objects within an object come after its own values.
    stack: list[tuple[str, Any]] = [("", _parsed(name, data))]
    while stack:
        path, value = stack.pop()
        if len(path) > _MAX_PATH:
            path = f"…{path[-_MAX_PATH:]}"
        if isinstance(value, dict):
            items = [
                (f"{path}.{key[:_MAX_KEY]}" if path else key[:_MAX_KEY], item) for key, item in value.items()
            ]
        elif isinstance(value, list):
            items = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        else:
            items = [(path, value)]
        if lines := [_line(*item) for item in items if _is_leaf(item[1])]:
            builder.block("\n".join(lines))
        stack.extend(item for item in reversed(items) if item[1] and not _is_leaf(item[1]))
    return [builder.build(name, data)]


def load_notebook(name: str, data: bytes) -> list[Document]:
    """Return a Jupyter notebook as Markdown: its text, and its code in fences. Outputs are left out."""
    notebook = _parsed(name, data)
    if not isinstance(notebook, dict):
        raise DocumentError(f"“{name}” is not a Jupyter notebook.")
    # Until version 3 of the format, cells were in worksheets, and code was called input.
    sheets = [notebook, *_objects(notebook.get("worksheets"))]
    cells = [cell for sheet in sheets for cell in _objects(sheet.get("cells"))]
    if not cells:
        raise DocumentError(f"“{name}” is not a Jupyter notebook, or it has no cells.")
    metadata = notebook.get("metadata")
    info = metadata.get("language_info") if isinstance(metadata, dict) else None
    language = str((info or {}).get("name", ""))
    source = "\n\n".join(filter(None, (_cell(cell, language) for cell in cells)))
    return [markdown_document(name, data, source)]


def _parsed(name: str, data: bytes) -> Any:
    """Return the value of a JSON text; of several, one after another as in JSON Lines, a list of them.

    Numbers stay as they are written: they are only shown, and exporters write more digits than a float has.
    """
    text = decode(name, data).lstrip("\ufeff")
    if is_deep(text):
        raise DocumentError(
            f"“{name}” is nested too deeply to be read (more than {MOST_DEPTH} levels); it may be damaged."
        )
    values: list[Any] = []
    place = 0
    try:
        while place < len(text) or not values:
            place = between.end() if (between := _BETWEEN.match(text, place)) else place
            if place < len(text) or not values:
                value, place = _DECODER.raw_decode(text, place)
                values.append(value)
    except ValueError as error:
        where = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise DocumentError(f"“{name}” is not JSON: there is a mistake{where}.") from error
    return values[0] if len(values) == 1 else values


def _is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _line(path: str, value: Any) -> str:
    if value is None or value == "":
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{path}: {text}" if path else text


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _cell(cell: dict[str, Any], language: str) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    if not text.strip():
        return ""
    if cell.get("cell_type") == "code":
        fence = max(["```", *(mark + "`" for mark in re.findall("`{3,}", text))], key=len)
        return f"{fence}{re.sub('[^A-Za-z0-9+#-]', '', language)}\n{text.rstrip()}\n{fence}"
    if cell.get("cell_type") == "heading":
        return f"{'#' * min(max(int(cell.get('level', 1)), 1), 6)} {text}"
    return text


def load_jsonl(name: str, data: bytes) -> list[Document]:
    """Return the documents of a `corpus.jsonl`, each known by its id in the set and hashed by its own line."""
    documents: list[Document] = []
    seen: dict[str, str] = {}
    for number, line in enumerate(decode(name, data).split("\n"), 1):
        if not line.strip():
            continue
        key, title, text, more = _fields(name, number, line)
        if seen.get(key) == line.strip():
            continue
        if key in seen:
            raise DocumentError(f"“{name}”: line {number} repeats the id “{key}”.")
        seen[key] = line.strip()
        identity = content_id(line.strip().encode("utf-8", "replace"))
        documents.append(
            Document(id=identity, name=f"{name}:{key}", title=title, text=text, key=key, about=about(more))
        )
    return documents


def _fields(name: str, number: int, line: str) -> tuple[str, str, str, list[tuple[str, Any]]]:
    try:
        record: Any = read_json(line, finite=False)
    except ValueError as error:
        raise DocumentError(f"“{name}”: line {number} is not JSON.") from error
    if isinstance(record, dict) and "_id" in record:  # as BEIR calls it
        record.setdefault("id", record.pop("_id"))
    if not isinstance(record, dict) or "id" not in record or "text" not in record:
        raise DocumentError(f"“{name}”: line {number} is not an object with the fields id and text.")
    values = [record["id"], record.get("title") or "", record["text"]]
    if not all(isinstance(value, str | int) for value in values):
        raise DocumentError(f"“{name}”: the fields of line {number} must be text.")
    key, title, text = (clean(str(value)).strip() for value in values)
    # Some data sets keep what they know of a document in an object of its own.
    inner = record.get("metadata")
    more = [*record.items(), *(inner.items() if isinstance(inner, dict) else ())]
    return key, " ".join(title.split()), without_files(text), more
