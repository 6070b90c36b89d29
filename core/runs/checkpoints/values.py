"""The values in checkpoints: written with the name of their class, and revived also where that had another name."""

from __future__ import annotations

import importlib
from functools import cached_property
from typing import Any, NamedTuple

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from core.trace import artefacts
from core.trace.passages import Frozen


class ClassName(NamedTuple):
    """Where a class is found, as checkpoints name it."""

    module: str
    name: str


def _class_name(kind: type) -> ClassName:
    return ClassName(kind.__module__, kind.__name__)


_CHAINS, _RECORDS = "core.knowledge.explore.chains", "core.knowledge.records"
_AGENTIC, _KG_RAG = "core.strategies.agentic_state", "core.strategies.kg_rag_steps"
FORMER = {
    ClassName("core.knowledge.exploration", "Chain"): ClassName(_CHAINS, "Chain"),
    ClassName("core.knowledge.exploration", "Hop"): ClassName(_RECORDS, "Hop"),
    ClassName("core.knowledge.exploration", "Link"): ClassName(_RECORDS, "Link"),
    ClassName("core.strategies.agentic_nodes", "Asked"): ClassName(_AGENTIC, "ReadyQuestion"),
    ClassName("core.strategies.agentic_nodes", "Request"): ClassName(_AGENTIC, "Request"),
    ClassName("core.strategies.agentic_state", "Asked"): ClassName(_AGENTIC, "ReadyQuestion"),
    ClassName("core.strategies.kg_rag_trail", "Trail"): ClassName(_KG_RAG, "Trail"),
    **{  # all artefacts were in one module
        ClassName(artefacts.__name__, value.__name__): _class_name(value)
        for value in vars(artefacts).values()
        if isinstance(value, type) and issubclass(value, Frozen)
    },
    ClassName("core.trace.artefacts", "Passages"): _class_name(artefacts.HypotheticalDocuments),
    ClassName("core.trace.artefacts", "Path"): _class_name(artefacts.GraphPath),
    ClassName("core.trace.artefacts", "Union"): _class_name(artefacts.PooledRanking),
}
"""Class names in checkpoints that were written before the class was moved or renamed."""
_OPTION = ormsgpack.OPT_NON_STR_KEYS
_FORMER_BYTES = [ormsgpack.packb(former.module) + ormsgpack.packb(former.name) for former in FORMER]
"""How the names stand in a checkpoint, one behind the other: most checkpoints hold none and stay as they are."""


class Serializer(JsonPlusSerializer):
    """Writes the values of checkpoints, and revives them, also by the former names of their classes: only our own value
    types, whose modules are imported when the first one is revived."""

    @cached_property
    def _reader(self) -> JsonPlusSerializer:
        from core.strategies import modules

        shared = map(importlib.import_module, (artefacts.__name__, Frozen.__module__, _RECORDS, _CHAINS))
        values = (value for module in (*shared, *modules()) for value in vars(module).values())
        own = [_class_name(one) for one in values if isinstance(one, type) and issubclass(one, Frozen)]
        return JsonPlusSerializer(allowed_msgpack_modules=own)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value, made of the classes of today."""
        kind, content = data
        if kind == "msgpack" and any(former in content for former in _FORMER_BYTES):
            content = _renamed(content)
        return self._reader.loads_typed((kind, content))


def _renamed(content: bytes) -> bytes:
    """The same content with the present names of classes instead of former ones."""
    return ormsgpack.packb(
        ormsgpack.unpackb(content, ext_hook=_renamed_value, option=_OPTION), option=_OPTION
    )


def _renamed_value(code: int, content: bytes) -> ormsgpack.Ext:
    """An extension value: of most codes a list that begins with module and name of a class."""
    value = ormsgpack.unpackb(content, ext_hook=_renamed_value, option=_OPTION)
    if isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) for part in value[:2]):
        value[:2] = FORMER.get(ClassName(*value[:2]), value[:2])
    return ormsgpack.Ext(code, ormsgpack.packb(value, option=_OPTION))
