"""An exploration of a knowledge graph played back: what it planned, saw, chose and walked, frame by frame.

Left to right: the nodes it starts from, then one column per hop. A relation that could be followed is a node of its
own that stands for everything it leads to; once it is followed and judged, the nodes on the way take its place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.cards.kinds.exploration import EXPLORE, VERDICTS
from core.cards.texts import visible
from core.drawings.network import Network, NetworkEdge, NetworkNode, State
from core.drawings.network_drawing import box_lines
from core.trace.artefacts import Artefact, Candidate, Candidates, GraphPath, PathTriple, Plan

COLUMN = 310.0
"""From one column to the next, in units of the drawing: a pixel each where nothing is zoomed."""
ROW = 80.0
LINE = 24.0
"""Heights of a row, and of a line in a box."""


def whole(name: str) -> bool:
    """True if a name is that of a hypernode, which is a whole triple."""
    return name.startswith("(") and "]->(" in name


class Board:
    """Places for nodes, named by their text: a path names its nodes by nothing else."""

    def __init__(self, starts: Sequence[str] = ()) -> None:
        self.starts = list(starts)
        """Names of the nodes that the exploration starts from."""
        self._nodes: dict[str, NetworkNode] = {}
        self._columns: dict[str, tuple[float, str]] = {}
        """Column and list of each node; the lists of a column lie over each other, since they take turns."""

    def key(self, name: str) -> str:
        """Of the node of that name."""
        return f"node {name}"

    def node(self, name: str, column: float) -> NetworkNode:
        """The node of that name; where it is new, it gets a place in this column."""
        return self._put(NetworkNode(self.key(name), name, hypernode=whole(name)), column, "nodes")

    def offer(self, name: str, column: float, *, chosen: bool) -> NetworkNode:
        """A node that could be chosen; one that is not may still get a place of its own on the way later."""
        if chosen or self.key(name) in self._nodes:
            return self.node(name, column)
        node = NetworkNode(f"offer {column} {name}", name, hypernode=whole(name))
        return self._put(node, column, "nodes")

    def way(self, step: int, number: str, label: str, column: float) -> NetworkNode:
        """A relation that could be followed, as a node; it makes room for the nodes that it leads to."""
        return self._put(NetworkNode(f"way {step} {number}", label, way=True), column, f"ways {step}")

    def _put(self, node: NetworkNode, column: float, turn: str) -> NetworkNode:
        if node.key not in self._nodes:
            self._nodes[node.key] = node
            self._columns[node.key] = (column, turn)
        return self._nodes[node.key]

    def placed(self, network: Network) -> Network:
        """The network with the places of its nodes; every list is centred on its column."""
        lists: defaultdict[tuple[float, str], list[str]] = defaultdict(list)
        for key, column in self._columns.items():
            lists[column].append(key)
        used = sorted({column for column, _ in lists})
        where: dict[str, tuple[float, float]] = {}
        for (hop, _), keys in lists.items():
            y = -sum(map(self._height, keys)) / 2
            for key in keys:
                where[key] = (used.index(hop) * COLUMN, y + self._height(key) / 2)
                y += self._height(key)
        nodes = (replace(node, x=where[node.key][0], y=where[node.key][1]) for node in network.nodes)
        return replace(network, nodes=tuple(nodes))

    def _height(self, key: str) -> float:
        node = self._nodes[key]
        return ROW / 2 + LINE * len(box_lines(node.label)) if node.hypernode or node.way else ROW


SHOWN = 10
"""Candidates of a step, and nodes of a hop, that are drawn."""


@dataclass(frozen=True)
class Frame:
    """One picture and what is said beside it, without control characters."""

    network: Network
    board: int
    """Frames of one board share their places, so that nothing moves between them."""
    title: str
    plan: str
    """The plan, with its number."""
    steps: tuple[tuple[str, str], ...]
    """Of the plan: what each explores, and what it looks for."""
    at: int
    """The step that is being done, from 0; -1: none yet."""
    text: str
    """The event, in a sentence."""
    verdict: str = ""
    """`continue`, `respond` or `refine`; empty: nothing is judged here."""
    word: str = ""
    """The verdict in words."""
    reason: str = ""
    failed: int = 0
    """Plans given up so far."""


def frames(artefacts: Sequence[Artefact]) -> tuple[Frame, ...]:
    """All frames of a run so far; what is not part of an exploration is left out."""
    return tuple(_Playback().play(artefacts))


class _Playback:
    def __init__(self) -> None:
        self.plan = Plan(steps=())
        self.path: GraphPath | None = None
        self.board = Board()
        self.boards = 0
        self.drawn: list[Frame] = []
        """Frames of the board, which get their places when it is full."""

    def play(self, artefacts: Sequence[Artefact]) -> Iterator[Frame]:
        fresh = False
        for artefact in artefacts:
            if isinstance(artefact, Plan):
                self.plan, fresh = artefact, True
                self.planned()
            elif isinstance(artefact, Candidates):
                if fresh and self.boards + len(self.drawn) > 1:
                    yield from self.placed()
                    if artefact.index == 0:
                        self.path = None
                fresh = False
                self.offered(artefact)
            elif isinstance(artefact, GraphPath):
                self.path = artefact
                self.judged(artefact)
        yield from self.placed()

    def placed(self) -> Iterator[Frame]:
        """The frames of this board; a new one follows."""
        for frame in self.drawn:
            yield replace(frame, network=self.board.placed(frame.network), board=self.boards)
        self.drawn, self.board = [], Board(self.board.starts)
        self.boards += 1

    def frame(
        self,
        title: str,
        text: str,
        network: Network | None = None,
        at: int = -1,
        path: GraphPath | None = None,
    ) -> None:
        self.drawn.append(
            Frame(
                network=network or self.way(),
                board=0,
                title=title,
                plan=f"Plan {self.plan.attempt}",
                steps=tuple((EXPLORE[step.explore], visible(step.text)) for step in self.plan.steps),
                at=at,
                text=visible(text),
                verdict=path.verdict if path else "",
                word=VERDICTS[path.verdict] if path else "",
                reason=visible(path.reason) if path else "",
                failed=self.path.failed if self.path else 0,
            )
        )

    def planned(self) -> None:
        if not self.plan.cause and self.plan.attempt == 1:
            self.frame("The plan", "The question is turned into steps through the graph.")
        else:
            reason = self.plan.cause or "no reason was given."
            self.frame("A new plan", f"The plan before was given up: {reason}")

    def offered(self, offer: Candidates) -> None:
        """Two frames: what there is to choose from, and what is chosen."""
        what = EXPLORE[offer.explore]
        title = f"Step {offer.index + 1}: {what}"
        if not offer.candidates:
            self.frame(
                title, "A dead end: there is nothing to choose from.", self.way(dead=True), offer.index
            )
            return
        if offer.index == 0:
            self.board.starts.clear()
        count = len(offer.candidates)
        chosen = sum(candidate.chosen for candidate in offer.candidates)
        more = f" {offer.left_out:,} more with lower scores were not offered." if offer.left_out else ""
        best = f"The best by {offer.score_name}: these {what} could be next.{more}"
        self.frame(title, best, self.choice(offer, lit=False), offer.index)
        words = f"{chosen} of {count} {'is' if chosen == 1 else 'are'} chosen; the others stay grey."
        self.frame(title, words, self.choice(offer, lit=True), offer.index)
        if offer.explore == "nodes" and offer.index == 0:
            labels = (candidate.label for candidate in offer.candidates if candidate.chosen)
            self.board.starts = list(dict.fromkeys(labels))

    def choice(self, offer: Candidates, *, lit: bool) -> Network:
        """The way so far and the candidates, the chosen ones lit or not yet."""
        way = self.way()
        nodes = {node.key: node for node in way.nodes}
        edges = list(way.edges)
        column = self.hop + (offer.index > 0)
        shown = [*offer.candidates[:SHOWN], *(item for item in offer.candidates[SHOWN:] if item.chosen)]
        for item in shown if offer.explore == "relationships" else _chosen_amid(shown):
            state: State = "chosen" if lit and item.chosen else "candidate"
            if offer.explore == "nodes":
                node = self.board.offer(item.label, column, chosen=item.chosen)
                first = offer.index == 0 and state == "chosen"
                nodes[node.key] = replace(node, state="start" if first else state)
                continue
            near = [name for name in item.sources if self.board.key(name) in nodes][:SHOWN]
            words = item.relation if near else item.label.removeprefix(item.start).removesuffix("●")
            back = "← " if near and item.inverse else ""
            node = self.board.way(offer.index, item.id, f"{back}{words.strip()} · {item.detail}", column)
            nodes[node.key] = replace(node, state=state)
            ends = near or [name for name in self.board.starts if name == item.start]
            edges += [
                NetworkEdge(f"{node.key} {name}", self.board.key(name), node.key, "", state=state)
                for name in ends
            ]
        return Network(tuple(nodes.values()), tuple(edges), way.hidden + len(offer.candidates) - len(shown))

    @property
    def hop(self) -> int:
        """Hops that the way has so far."""
        return max((triple.hop for triple in self.path.triples), default=0) if self.path else 0

    def judged(self, path: GraphPath) -> None:
        """The way so far with its verdict."""
        dead = path.verdict == "refine" or (path.verdict == "respond" and not path.nodes and not path.triples)
        text = {
            "continue": "The path so far is judged: it goes on.",
            "respond": "The path so far is judged: the answer is on it.",
            "refine": "The path so far is judged: a dead end, and the plan is given up.",
        }[path.verdict]
        title = f"Step {path.index + 1}: the path so far"
        self.frame(title, text, self.way(dead=dead), path.index, path)

    def way(self, *, dead: bool = False) -> Network:
        """The nodes it started from and the triples of the path."""
        dead = dead or bool(self.path and self.path.verdict == "refine")
        nodes: dict[str, NetworkNode] = {}
        for name in self.board.starts:
            node = self.board.node(name, 0)
            nodes[node.key] = replace(node, state="dead" if dead else "start")
        if self.path is None:
            return Network(tuple(nodes.values()), ())
        picked, hidden = _drawn_triples(self.path)
        edges: dict[str, NetworkEdge] = {}
        ends = set(self.path.nodes) if self.path.verdict == "respond" else set()
        for triple in picked:
            for name, hop in _ends(triple):
                node = self.board.node(name, hop)
                state: State = "dead" if dead else "chosen" if name in ends else "path"
                nodes.setdefault(node.key, replace(node, state=state))
            key = f"{triple.subject}\n{triple.relation}\n{triple.object}"
            first, last = self.board.key(triple.subject), self.board.key(triple.object)
            edges[key] = NetworkEdge(key, first, last, triple.relation, state="dead" if dead else "path")
        for part in _parts(list(nodes.values())):
            edges[part.key] = replace(part, state="dead" if dead else "path")
        return Network(tuple(nodes.values()), tuple(edges.values()), hidden + self.path.hidden)


def _chosen_amid(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The chosen ones in the middle, so that what follows spreads from there to both sides."""
    chosen = [item for item in candidates if item.chosen]
    rest = [item for item in candidates if not item.chosen]
    half = len(rest) // 2
    return [*rest[:half], *chosen, *rest[half:]]


def _drawn_triples(path: GraphPath) -> tuple[list[PathTriple], int]:
    """The triples that are drawn, at most `SHOWN` a hop: from the last hop back, those that lead on come first."""
    picked: list[PathTriple] = []
    wanted = set(path.nodes)
    for hop in sorted({triple.hop for triple in path.triples}, reverse=True):
        mine = [triple for triple in path.triples if triple.hop == hop]
        mine.sort(key=lambda triple: not wanted & {triple.subject, triple.object})
        picked = mine[:SHOWN] + picked
        wanted |= {name for triple in mine[:SHOWN] for name, _ in _ends(triple)}
    names = {name for triple in path.triples for name, _ in _ends(triple)}
    return picked, len(names - {name for triple in picked for name, _ in _ends(triple)})


def _ends(triple: PathTriple) -> tuple[tuple[str, float], tuple[str, float]]:
    """Both ends with their columns, in the direction of the way; a hypernode stands between two columns."""
    near, far = triple.subject, triple.object
    if triple.inverse:
        near, far = far, near
    between = {name: triple.hypernode and whole(name) for name in (near, far)}
    before = triple.hop - (0.5 if between[near] else 1)
    return (near, before), (far, triple.hop - (0.5 if between[far] else 0))


def _parts(nodes: Sequence[NetworkNode]) -> Iterator[NetworkEdge]:
    """From each hypernode to its own subject and object, where they are drawn."""
    for statement in (node for node in nodes if node.hypernode):
        for node in nodes:
            if node is statement:
                continue
            for word, fits in (
                ("subject", statement.label.startswith(f"({node.label})-[")),
                ("object", statement.label.endswith(f"]->({node.label})")),
            ):
                if fits:
                    yield NetworkEdge(
                        f"{word}\n{statement.key}\n{node.key}", statement.key, node.key, word, part=True
                    )
