"""The entries that can stand on the stage of a run, one at a time: its steps, and pictures of several steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.cards.groups import Row, rows
from core.cards.kind import Picture, Scene
from core.cards.kinds import KINDS
from core.cards.kinds.route import WAYS
from core.cards.outcome import missed
from core.cards.parts import Part, drawings
from core.runs.vectors import searched_texts
from core.strategies import strategies
from core.trace.artefacts import Candidates, GraphPath, HypotheticalDocuments, Plan, Ranking, Route
from core.wording import counted, shortened


def picture(scene: Scene) -> Picture | None:
    """The picture of a run as far as it is; None: there is nothing to draw yet, or its strategy has none.

    Of a strategy that sends its question a way, it is the picture of that way, if this has one.
    """
    started = scene.record.started
    own = _picture_of(started.strategy, scene) if started else None
    for route in scene.record.find(Route)[-1:]:
        taken = next((way.strategy for way in route.ways if way.way == route.way), "")
        if below := _picture_of(taken, scene):
            title = f"{WAYS[route.way][0]}: {below.title[0].lower()}{below.title[1:]}"
            return replace(below, title=title)
    return own


def _picture_of(strategy: str, scene: Scene) -> Picture | None:
    known = strategies().get(strategy)
    kind = KINDS.get(known.picture) if known else None
    drawn = kind.picture(scene) if kind and kind.picture else None
    return replace(drawn, icon=kind.icon, kind=kind.key) if kind and drawn else None


LETTERS = 90
"""Longest line; what is longer ends in an ellipsis."""


def summary_line(row: Row) -> str:
    """A line of a few words on what the step, or the steps of one layer, did; its card is folded to it. Raw text."""
    first, *others = row.shown
    artefact = first.items[0].artefact
    if others:
        text = _several([shown.items[0].artefact for shown in row.shown])
    else:
        say = KINDS[artefact.kind].summary
        text = say(artefact) if say else first.card.subtitle
    return shortened(text, LETTERS)


def _several(artefacts: list[Any]) -> str:
    rankings = [artefact for artefact in artefacts if isinstance(artefact, Ranking)]
    if len(rankings) < len(artefacts):
        return f"{len(artefacts)} beside one another"
    different = {hit.passage.chunk for ranking in rankings for hit in ranking.used}
    return f"{len(rankings)} searches, {counted(len(different), 'different passage')}"


PLAYBACK = "playback"
PICTURE = "picture"
PASSAGES = "passages"
MAP = "map"
MISSED = "missed"


@dataclass(frozen=True)
class Entry:
    """One thing that can stand on the stage. Text is raw."""

    key: str
    """Unique in the run and stable while it goes on."""
    icon: str
    """A name of Material Symbols."""
    title: str
    summary: str
    """A line on what it did."""
    nodes: frozenset[str]
    """Nodes of the strategy's graph that it is about."""
    seconds: float | None = None
    """How long it took; None: nobody says."""
    row: Row | None = None
    """Its cards; one alone has no frame of its own. None: a picture of several steps."""
    central: bool = False
    """True if it shows the picture of the strategy."""
    edited: bool = False
    """True if somebody edited what the run had made."""
    parts: tuple[Part, ...] = ()
    """Of a picture; the playback of a graph, the map and what was missed, which the page draws by itself, have none."""


def entries(scene: Scene) -> list[Entry]:
    """Pictures of several steps first, then the steps in their order, the passages given to the answer and the map."""
    cards, maps = _entries(scene), _map(scene)
    if not any(entry.central for entry in maps):
        return [*cards, *maps]
    return [*maps, *(replace(entry, central=False) for entry in cards)]


def _map(scene: Scene) -> list[Entry]:
    """The map of what was searched with and found: the picture where made-up passages move the search."""
    record = scene.record
    texts = len(searched_texts(record))
    if record.under_way or texts < FEWEST_TEXTS or not (record.started and record.started.corpus):
        return []
    summary = f"{texts} texts that were searched with, and what they found"
    moved = bool(record.find(HypotheticalDocuments))
    return [Entry(MAP, "scatter_plot", "Embedding map", summary, frozenset(), central=moved)]


FEWEST_TEXTS = 2
"""Of one text there is nothing to be seen on a map."""


def _entries(scene: Scene) -> list[Entry]:
    overview = picture(scene)
    cards = [*_pictures(scene), *map(_step, rows(scene)), *_passages(scene), *_missed(scene)]
    if overview is None:
        return cards
    # Of several cards none is the picture of the whole.
    holders = [
        entry
        for entry in cards
        if entry.row
        and len(entry.row.shown) == 1
        and drawings(overview.parts) & drawings(entry.row.shown[0].card.parts)
    ]
    if holders:
        return [replace(entry, central=entry is holders[-1]) for entry in cards]
    return [
        Entry(PICTURE, overview.icon, overview.title, "", frozenset(), parts=overview.parts, central=True),
        *cards,
    ]


def _step(row: Row) -> Entry:
    first, *others = row.shown
    alone = replace(row, shown=(replace(first, card=replace(first.card, framed=False)),))
    took = [shown.card.seconds for shown in row.shown if shown.card.seconds is not None]
    return Entry(
        key=first.key,
        icon=first.card.icon,
        title=first.card.title,
        summary=summary_line(row),
        nodes=frozenset(item.step.node for shown in row.shown for item in shown.items),
        seconds=max(took, default=None),  # of one layer: they run at once
        row=row if others else alone,
        edited=any(shown.card.edited for shown in row.shown),
    )


def _pictures(scene: Scene) -> list[Entry]:
    if not any(scene.record.find(kind) for kind in (Plan, Candidates, GraphPath)):
        return []
    paths = scene.record.find(GraphPath)
    walked = counted(len(paths), "path") if paths else ""
    return [Entry(PLAYBACK, "explore", "Replay the walk", walked, frozenset())]


def _passages(scene: Scene) -> list[Entry]:
    context = scene.record.context
    if context is None:
        return []
    kind = KINDS[context.kind]
    made_by = (
        step.node
        for step, artefact in scene.record.artefacts
        if artefact is context or artefact is scene.record.answer
    )
    passages = context.given_passages
    stars = sum(passage.chunk in scene.stars for passage in passages)
    summary = f"{len(passages)} given to the answer" + (f", {stars} with evidence" if stars else "")
    return [Entry(PASSAGES, kind.icon, kind.title, summary, frozenset(made_by))]


def _missed(scene: Scene) -> list[Entry]:
    """The evidence that was missed, once the run has ended."""
    pieces = len(missed(scene.record)) if scene.record.baseline else 0
    summary = f"{counted(pieces, 'piece')} not given to the answer"
    return [Entry(MISSED, "star_border", "Missed evidence", summary, frozenset())] if pieces else []


def centre(choices: Sequence[Entry], scene: Scene) -> str:
    """Key of what stands on the stage of a run unless something else is chosen; empty: there is nothing yet.

    The picture of the strategy, which fills; else of a run under way its newest step, of an ended one what tells most.
    """
    if not choices:
        return ""
    if scene.record.under_way:
        steps = [entry for entry in choices if entry.row is not None] or choices
        return next((entry for entry in choices if entry.central), steps[-1]).key
    # Of several that tell as much the last one: what came of the others.
    telling = min(reversed(choices), key=_order)
    evidence = [entry for entry in choices if entry.key == PASSAGES]
    return (telling if _order(telling) < UNTOLD or not evidence else evidence[0]).key


UNTOLD = 90
"""Order of what is not worth the stage by itself: see `core.cards.kind.Gist`."""


def _order(entry: Entry) -> int:
    if entry.row is None and not entry.central:
        return 1 if entry.key == PLAYBACK else UNTOLD
    if entry.central:
        return 0
    gist = KINDS[entry.row.shown[0].card.kind].gist if entry.row else None
    return gist.order if gist else UNTOLD


def of_node(choices: Sequence[Entry], node: str, chosen: str) -> str:
    """Key of what a node leads to: its first step, or the next one after the chosen one; empty: it has none."""
    keys = [entry.key for entry in choices if node in entry.nodes]
    if not keys:
        return ""
    return keys[(keys.index(chosen) + 1) % len(keys)] if chosen in keys else keys[0]
