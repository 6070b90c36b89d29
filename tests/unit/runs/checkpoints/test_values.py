"""Checkpoints that an earlier version wrote are revived as values of today's classes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langgraph.types import Send

from core.knowledge.explore.chains import Chain
from core.knowledge.records import Hop, NodeRecord
from core.runs.checkpoints.opening import FORMER, ClassName, Serializer
from core.strategies.agentic_state import ReadyQuestion, Request
from core.trace.artefacts import HypotheticalDocuments
from tests.home import unpack

CHAIN = Chain(start=NodeRecord(id="ann", name="Ann"), hops=(Hop(rel="knows"),), score=0.5)
TEXTS = HypotheticalDocuments(question="q", style="news", texts=("a",), with_question=True)
OPTION = ormsgpack.OPT_NON_STR_KEYS


def test_a_class_is_known_by_its_former_name() -> None:
    values = [CHAIN, {"chains": (CHAIN,)}, Send("walk", {"chain": CHAIN}), TEXTS]
    kind, content = Serializer().dumps_typed(values)
    former = renamed(content, {present: former for former, present in FORMER.items()})
    assert b"core.knowledge.exploration" in former
    assert b"HypotheticalDocuments" not in former
    assert Serializer().loads_typed((kind, former)) == Serializer().loads_typed((kind, content))
    assert Serializer().loads_typed((kind, former))[0] == CHAIN


def test_values_of_strategies_are_known_by_the_file_that_they_were_in() -> None:
    question = ReadyQuestion(index=0, asked="Who?", question="Who is it?")
    values = [question, Request(asked=question, tool="t")]
    kind, content = Serializer().dumps_typed(values)
    former = {
        ClassName(ReadyQuestion.__module__, "ReadyQuestion"): ClassName(
            "core.strategies.agentic_nodes", "Asked"
        ),
        ClassName(Request.__module__, "Request"): ClassName("core.strategies.agentic_nodes", "Request"),
    }
    content = renamed(content, former)
    assert b"ReadyQuestion" not in content
    assert Serializer().loads_typed((kind, content)) == values


def test_every_class_in_the_kept_home_is_still_known(tmp_path: Path) -> None:
    """Whoever moves or renames a class of which checkpoints hold values notes its former name."""
    values = Serializer()
    found: set[ClassName] = set()
    chains: list[Any] = []
    for kind, content in checkpoints(unpack(tmp_path) / "checkpoints.sqlite"):
        revived = values.loads_typed((kind, content))
        chains += channel(revived, "chains")
        found |= set(class_names(content)) if kind == "msgpack" else set()
    assert chains
    assert all(isinstance(chain, Chain) for chain in chains)
    ours = {name for name in found if name.module.startswith("core.")}
    assert ClassName("core.knowledge.exploration", "Chain") in ours
    for name in ours:
        present = FORMER.get(name, name)
        kind_of = getattr(import_module(present.module), present.name)
        assert isinstance(values.loads_typed(values.dumps_typed(kind_of.model_construct())), kind_of), name


@pytest.mark.parametrize("former", FORMER, ids=lambda former: f"{former.module}.{former.name}")
def test_every_former_name_leads_to_a_class(former: ClassName) -> None:
    present = FORMER[former]
    kind = getattr(import_module(present.module), present.name)
    assert (kind.__module__, kind.__name__) == present


def channel(checkpoint: Any, name: str) -> list[Any]:
    """What a channel of the state holds in a checkpoint."""
    return (
        list(checkpoint["channel_values"].get(name, ()))
        if isinstance(checkpoint, dict) and "channel_values" in checkpoint
        else []
    )


def checkpoints(file: Path) -> Iterator[tuple[str, bytes]]:
    with closing(sqlite3.connect(file)) as connection:
        yield from connection.execute("SELECT type, checkpoint FROM checkpoints")
        yield from connection.execute("SELECT type, value FROM writes")


def class_names(content: bytes) -> Iterator[ClassName]:
    """The classes of all values within."""
    found: list[ClassName] = []

    def note(code: int, data: bytes) -> Any:
        value = ormsgpack.unpackb(data, ext_hook=note, option=OPTION)
        if isinstance(value, list) and len(value) > 2 and isinstance(value[0], str):
            found.append(ClassName(value[0], value[1]))
        return None

    ormsgpack.unpackb(content, ext_hook=note, option=OPTION)
    yield from found


def renamed(content: bytes, names: dict[ClassName, ClassName]) -> bytes:
    """The content with other names of classes."""

    def rename(code: int, data: bytes) -> ormsgpack.Ext:
        value = ormsgpack.unpackb(data, ext_hook=rename, option=OPTION)
        if isinstance(value, list) and len(value) > 2:
            value[:2] = names.get(ClassName(*value[:2]), value[:2])
        return ormsgpack.Ext(code, ormsgpack.packb(value, option=OPTION))

    return ormsgpack.packb(ormsgpack.unpackb(content, ext_hook=rename, option=OPTION), option=OPTION)
