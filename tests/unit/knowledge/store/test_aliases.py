"""The table of merged entities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import InputError
from core.knowledge.records import NodeRecord
from core.knowledge.store.aliases import Aliases, former_names
from core.knowledge.store.graph_catalogue import GraphCatalogue

A, B, C = (NodeRecord(id=name * 300, name=f"{name} 日本", kind="x" * 300) for name in "abc")
EDGE = {"type": "REL", "s": "a", "rel": "r", "t": "b", "chunk": None, "document": "", "quote": "“q”"}


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'x.sqlite'}"


@pytest.fixture
def aliases(database: str) -> Iterator[Aliases]:
    aliases = Aliases(database)
    yield aliases
    aliases.close()


def test_merges_are_kept_in_their_order_and_removed(aliases: Aliases, database: str) -> None:
    first, second = aliases.add("g1", A, B, "spelling"), aliases.add("g1", C, A, "")
    aliases.add("g2", A, B, "")
    moved = replace(first, moved=[EDGE, EDGE], added=[EDGE])
    aliases.moving(moved)
    other = Aliases(database)
    assert other.merges("g1") == [moved, second]
    assert other.merge("g1", f" {first.id} ") == moved
    assert abs(first.created - datetime.now(UTC)) < timedelta(minutes=1)
    aliases.remove(first.id)
    assert other.merges("g1") == [second]
    with pytest.raises(InputError, match="no merge"):
        aliases.merge("g1", first.id)
    GraphCatalogue(database).forget("g1")
    assert (other.merges("g1"), len(other.merges("g2"))) == ([], 1)


def test_a_lost_name_stands_for_what_the_last_merge_left(aliases: Aliases) -> None:
    aliases.add("g1", A, B, "")
    aliases.add("g1", C, A, "")
    assert former_names(aliases.merges("g1")) == [(B.name, C.id), (A.name, C.id)]
    aliases.add("g1", B, C, "")  # B came up again before
    assert [name for name, _ in former_names(aliases.merges("g1"))] == [B.name, A.name, C.name]
