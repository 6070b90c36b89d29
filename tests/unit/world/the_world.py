"""The demo world as the tests read it: facts, names, and the texts of its documents as they are shipped."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from core.corpora.demo import DEMOS, WORLD, own_documents
from core.corpora.documents import Document
from core.corpora.rows import row_cells
from tools.demo_world.facts import Fact, Named, read_facts, read_names

FOREIGN = ("ja-", "ko-", "zh-")
"""Begin the names of the documents that are not in English."""


@cache
def facts() -> dict[str, Fact]:
    """By id."""
    return {fact.id: fact for fact in read_facts(WORLD)}


@cache
def names() -> dict[str, Named]:
    """By name."""
    return {one.name: one for one in read_names(WORLD)}


@cache
def documents() -> dict[str, Document]:
    """Those of the demo corpus, by name."""
    return {document.name: document for document in own_documents(DEMOS[0])}


@cache
def english() -> dict[str, str]:
    """The text of each English document on one line, by name."""
    return {name: spaced(one.text) for name, one in documents().items() if not name.startswith(FOREIGN)}


@cache
def questions() -> list[dict[str, Any]]:
    """As they are written."""
    return [json.loads(line) for line in (WORLD / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def quoted(document: str) -> tuple[str, ...]:
    """Every quote of a document, on one line each."""
    return tuple(
        spaced(said.quote) for fact in facts().values() for said in fact.said if said.document == document
    )


def rows(document: str) -> list[dict[str, str]]:
    """The records of a table."""
    read = (row_cells(line) for line in documents()[document].text.splitlines())
    return [dict(cells) for row in read if (cells := [(name, value) for name, value in row if name])]


def about(relation: str) -> list[Fact]:
    """The facts with a relation."""
    return [fact for fact in facts().values() if fact.relation == relation]


def bare(name: str) -> str:
    """A name as documents write it: without what tells namesakes apart."""
    return name.partition(" (")[0]


def spaced(text: str) -> str:
    """With single blanks."""
    return " ".join(text.split())


def tight(text: str) -> str:
    """Without blanks."""
    return "".join(text.split())
