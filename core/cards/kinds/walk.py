"""A walk along mentions: who is where after each step, and why a passage is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.cards.kind import Gist, Kind, Scene, card_picture, provenance
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Drawing, Part
from core.cards.passages import STAR, named_apart, pieces, where
from core.runs.record import Record
from core.trace.artefacts import MentionLink, Walk, WalkedPassage
from core.wording import counted

READING = (
    "Readers begin at the first hits; at each passage some stop (bar), the others go on along a mention, to the next "
    "column or back. A band is as wide as the share of all readers that it brings. Choose a passage to see its way."
)
READING_ENTITIES = "A dotted line joins passages about one entity of a knowledge graph."
FIRST = 10
"""Passages that count as the first of a walk."""
FURTHER = 3
"""Steps from the first hits, beyond which all passages are in one column."""


def card(artefact: Walk, scene: Scene) -> Card:
    """The passages in columns by their distance from the first hits, and the chain of mentions to each."""
    parts: list[Part] = []
    if artefact.passages:
        reading = f"{READING} {READING_ENTITIES}" if any(link.entity for link in artefact.links) else READING
        parts = [Aid(reading), Drawing("walk", _drawn(artefact, scene))]
    return Card((*parts, *provenance(artefact)), walked(artefact) if artefact.passages else "none")


def walked(walk: Walk) -> str:
    """Where a walk begins, and how many of its first passages mentions led to."""
    seeds = min(walk.seeds, walk.reached)  # there may be fewer passages than it may begin at
    first = [hit for hit in walk.passages if hit.rank <= FIRST]
    led = sum(bool(hit.via) and not (hit.visits and hit.visits[0]) for hit in first)
    return f"from {counted(seeds, 'first hit')}; {led} of the first {counted(len(first), 'passage')} come by a mention"


def _drawn(artefact: Walk, scene: Scene) -> dict[str, Any]:
    every = [hit.passage for hit in artefact.passages]
    details = named_apart(every)
    context = scene.record.context
    chunks = {passage.chunk for passage in context.given_passages} if context else set()
    columns: dict[int, list[WalkedPassage]] = {}
    for hit in artefact.passages:
        columns.setdefault(_distance(hit), []).append(hit)
    reached = [hit for hit in artefact.passages if any(hit.visits)]
    return {
        "colour": scene.colour,
        "question": artefact.query,
        "summary": f"The walk goes {walked(artefact)}.",
        "others": artefact.reached - len(reached),
        "restart": artefact.restart,
        "columns": [
            {
                "title": _heading(distance),
                "reached": distance <= FURTHER,
                "passages": [
                    {
                        "id": hit.passage.chunk,
                        "title": f"{STAR} " * (hit.passage.chunk in scene.stars) + hit.passage.title,
                        "detail": details[hit.passage.chunk],
                        "where": where(hit.passage),
                        "pieces": [{"text": hit.passage.text, "marked": False}],
                        "starred": hit.passage.chunk in scene.stars,
                        "rank": hit.rank,
                        "given": hit.passage.chunk in chunks,
                        "visits": hit.visits,
                        "via": hit.via,
                        "told": _passage_line(hit, given=hit.passage.chunk in chunks),
                    }
                    for hit in columns[distance]
                ],
            }
            for distance in sorted(columns)
        ],
        "links": [_link(link) for link in artefact.links],
    }


def _passage_line(hit: WalkedPassage, *, given: bool) -> str:
    """A passage in the walk of the run, in words: readers who begin and stop there, its place."""
    begins = f"{hit.visits[0]:.0%} of the readers begin here; " if any(hit.visits[:1]) else ""
    stops = f"{begins}{hit.chance:.1%} stop here" if any(hit.visits) else "No mention leads here"
    place = f"place {hit.rank} by walk and cosine ({hit.cosine:.2f} with the question)"
    return f"{stops}; {place}, {'given' if given else 'not given'} to the answer."


def _link(link: MentionLink) -> dict[str, Any]:
    """A link with its sentence, in which the name is marked."""
    cut = [{"text": piece.text, "marked": piece.marked} for piece in pieces(link.sentence, [link.name])]
    own = {"pieces": cut, "entity": link.entity}
    return link.model_dump(include={"source", "target", "name", "onward", "back"}) | own


def _distance(hit: WalkedPassage) -> int:
    """Steps from the first hits, at most `FURTHER`; beyond: nothing led there."""
    steps = (step for step, chance in enumerate(hit.visits) if chance)
    return min(next(steps, FURTHER + 1), FURTHER) if any(hit.visits) else FURTHER + 1


def _heading(distance: int) -> str:
    if distance == 0:
        return "First hits"
    if distance > FURTHER:
        return "Found, not reached"
    return counted(distance, "step") if distance < FURTHER else f"{FURTHER} steps or more"


def _gist(record: Record) -> str:
    walk = record.find(Walk)[-1]
    if not walk.passages:
        return "1 search, and nothing to walk along"
    return f"1 search, and a walk {walked(walk)}"


def _sentence(walks: Sequence[Walk], scene: SceneContext) -> str:
    walk = walks[-1]
    if not walk.passages:
        return "There is nothing to walk along: no passage mentions another."
    ranked = sorted(walk.passages, key=lambda hit: hit.rank)
    called = scene.names(hit.passage for hit in ranked)
    reached = [hit for hit in ranked if hit.via and not (hit.visits and hit.visits[0])]
    text = f"The walk goes {walked(walk)}"
    if not reached:
        return f"{text}."
    best = next((hit for hit in reached if hit.passage.chunk in scene.stars), reached[0])
    return f"{text}; {called[best.passage.chunk]} comes to rank {best.rank}."


KINDS = (
    Kind(
        key="walk",
        title="Walk",
        icon="directions_walk",
        gist=Gist(70, _gist),
        card=card,
        sentence=Sentence(190, _sentence),
        picture=card_picture("The walk along mentions", Walk, card),
    ),
)
