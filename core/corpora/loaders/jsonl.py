"""`corpus.jsonl`: one document per line, `{"id": ..., "title": ..., "text": ...}`."""

from __future__ import annotations

from typing import Any

from core.corpora.about import about
from core.corpora.documents import Document, clean, content_id, without_files
from core.corpora.loaders.decoding import decode
from core.errors import DocumentError
from core.strict_json import read_json


def load_jsonl(name: str, data: bytes) -> list[Document]:
    """The documents of a data set. Each is known by its id in the set and hashed by its own line.

    Raises:
        DocumentError: A line is not such an object, or an id occurs twice with different words; the message gives the
            line.
    """
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
