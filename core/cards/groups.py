"""The artefacts of a run as cards, in the order of the run, and which of them are drawn together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.cards.kind import Item, Scene, items_of
from core.cards.kinds import KINDS
from core.cards.parts import Card
from core.cards.recorded import step_mark, together
from core.runs.record import Record, Step
from core.trace.artefacts import AnyArtefact


@dataclass(frozen=True)
class Shown:
    """A card and what it shows."""

    card: Card
    items: tuple[Item, ...]
    """At least one; with the artefacts that are drawn inside."""

    @property
    def key(self) -> str:
        """Unique in the run and stable while it goes on."""
        return self.items[0].key


@dataclass(frozen=True)
class Row:
    """Cards of one group."""

    beside: bool
    """Side by side, from the first one on: nothing moves when the others arrive."""
    shown: tuple[Shown, ...]


def rows(scene: Scene) -> Iterator[Row]:
    """The steps of a run as cards, in their order; what has a place of its own is left out."""
    marked_steps: set[str] = set()
    for row in _rows(scene):
        yield replace(row, shown=tuple(_marked(shown, marked_steps, scene.record) for shown in row.shown))


def _marked(shown: Shown, marked_steps: set[str], record: Record) -> Shown:
    """With what was recorded of its steps; what is said once of a step is not said again."""
    steps = {item.step.id: item.step for item in shown.items if item.step.id not in marked_steps}
    marked_steps |= steps.keys()
    marks = [mark for step in steps.values() if (mark := step_mark(step, record))]
    return replace(shown, card=replace(shown.card, mark=together(marks)))


def _rows(scene: Scene) -> Iterator[Row]:
    record = scene.record
    branches = Counter(step.layer for step in record.steps)
    for group in groups(record):
        first = group[0]
        join = KINDS[first.artefact.kind].join
        if join is not None and join.card is not None and len(group) > 1:
            yield Row(False, (_shown(join.card(group, scene), group, scene),))
            continue
        beside = join is not None and join.card is None and max(branches[first.step.layer], len(group)) > 1
        yield Row(beside, tuple(_single(item, scene) for item in group))


def groups(record: Record) -> Iterator[tuple[Item, ...]]:
    """Artefacts that are drawn together, in the order of the run."""
    kinds = {artefact.kind for _, artefact in record.artefacts}
    inside = {key for kind in kinds for key in KINDS[kind].inside(record)}
    group: list[Item] = []
    for item in items_of(record):
        if KINDS[item.artefact.kind].apart(item.artefact) or item.key in inside:
            continue
        join = KINDS[group[0].artefact.kind].join if group else None
        if group and not (join and join.takes(group[0], item)):
            yield tuple(group)
            group = []
        group.append(item)
    if group:
        yield tuple(group)


def card_of(artefact: AnyArtefact, scene: Scene) -> Card:
    """The card of one artefact alone; how long it took is not said."""
    return _framed(KINDS[artefact.kind].card(artefact, scene), [artefact], scene, None)


def _single(item: Item, scene: Scene) -> Shown:
    kind = KINDS[item.artefact.kind]
    inside = set(kind.inside(scene.record))
    others = (other for other in items_of(scene.record) if other.key in inside)
    return _shown(kind.card(item.artefact, scene), (item, *others), scene)


def _shown(card: Card, items: Sequence[Item], scene: Scene) -> Shown:
    artefacts = [item.artefact for item in items]
    return Shown(_framed(card, artefacts, scene, items[0].step), tuple(items))


def _framed(card: Card, artefacts: Sequence[AnyArtefact], scene: Scene, step: Step | None) -> Card:
    kind, fork = KINDS[artefacts[0].kind], scene.record.fork
    # What a fork took over took its own run no time.
    timed = step is not None and step.end is not None and not step.inherited and not kind.spans
    return replace(
        card,
        kind=kind.key,
        title=kind.title,
        icon=kind.icon,
        seconds=step.end - step.start if timed and step and step.end else None,
        edited=fork is not None and any(artefact is fork.after for artefact in artefacts),
    )
