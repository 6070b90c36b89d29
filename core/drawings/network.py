"""A part of a knowledge graph as it is drawn: nodes, edges, and the state each is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["", "start", "candidate", "chosen", "path", "dead"]
"""What a step of an exploration made of it; empty: nothing, it is just there."""


@dataclass(frozen=True)
class NetworkNode:
    """A node; raw text."""

    key: str
    """Unique in the drawing."""
    label: str
    kind: str = ""
    """Kind of the entity; empty: not known."""
    degree: int = 0
    """Edges it has in the whole graph; 0: not known."""
    hypernode: bool = False
    """Whether it stands for a whole triple."""
    state: State = ""
    way: bool = False
    """Whether it stands for a relation that could be followed and all the nodes that it leads to."""
    x: float | None = None
    """Where it is drawn, in units of the drawing from its middle; None: the drawing finds a place."""
    y: float | None = None


@dataclass(frozen=True)
class NetworkEdge:
    """An edge from `src` to `dst`; raw text."""

    key: str
    src: str
    dst: str
    label: str
    part: bool = False
    """Whether it joins a hypernode to its own subject or object."""
    state: State = ""


@dataclass(frozen=True)
class Network:
    """The nodes and edges of a drawing."""

    nodes: tuple[NetworkNode, ...]
    edges: tuple[NetworkEdge, ...]
    hidden: int = 0
    """Nodes next to these that are left out because there are too many."""
