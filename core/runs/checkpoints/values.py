"""The values in checkpoints: written with the name of their class, and revived also where that had another name."""

from __future__ import annotations

from typing import Any, NamedTuple

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from core.knowledge import records
from core.knowledge.explore import chains
from core.strategies import agentic_state, kg_rag_steps, modules
from core.trace import artefacts, passages
from core.trace.passages import Frozen


class ClassName(NamedTuple):
    """Where a class is found, as checkpoints name it."""

    module: str
    name: str


def _present(kind: type) -> ClassName:
    return ClassName(kind.__module__, kind.__name__)


FORMER = {
    ClassName("core.knowledge.exploration", "Chain"): _present(chains.Chain),
    ClassName("core.knowledge.exploration", "Hop"): _present(records.Hop),
    ClassName("core.knowledge.exploration", "Link"): _present(records.Link),
    ClassName("core.strategies.agentic_nodes", "Asked"): _present(agentic_state.ReadyQuestion),
    ClassName("core.strategies.agentic_nodes", "Request"): _present(agentic_state.Request),
    ClassName("core.strategies.agentic_state", "Asked"): _present(agentic_state.ReadyQuestion),
    ClassName("core.strategies.kg_rag_trail", "Trail"): _present(kg_rag_steps.Trail),
    **{  # all artefacts were in one module
        ClassName(artefacts.__name__, value.__name__): _present(value)
        for value in vars(artefacts).values()
        if isinstance(value, type) and issubclass(value, Frozen)
    },
    ClassName("core.trace.artefacts", "Passages"): _present(artefacts.HypotheticalDocuments),
    ClassName("core.trace.artefacts", "Path"): _present(artefacts.GraphPath),
    ClassName("core.trace.artefacts", "Union"): _present(artefacts.PooledRanking),
}
"""Class names in checkpoints that were written before the class was moved or renamed."""
_OPTION = ormsgpack.OPT_NON_STR_KEYS
_FORMER_BYTES = [ormsgpack.packb(former.module) + ormsgpack.packb(former.name) for former in FORMER]
"""How the names stand in a checkpoint, one behind the other: most checkpoints hold none and stay as they are."""


class Serializer(JsonPlusSerializer):
    """Knows classes also by their former names."""

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value, made of the classes of today."""
        kind, content = data
        if kind == "msgpack" and any(former in content for former in _FORMER_BYTES):
            content = _renamed(content)
        return super().loads_typed((kind, content))


def serializer() -> Serializer:
    """Writes and revives the values of checkpoints; only our own value types may be revived."""
    allowed = [
        _present(value)
        for module in (artefacts, passages, records, chains, *modules())
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Frozen)
    ]
    return Serializer(allowed_msgpack_modules=allowed)


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
