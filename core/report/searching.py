"""Cards of what is searched and found, and of the answer made from it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.aids import AIDS
from core.cards.evidence import SHOWN, answer_view, context_view, score_name
from core.cards.fusion import FIRST, bump_lines, bump_names, example, fusion_view
from core.cards.grid import Grid
from core.cards.queries import QueryLine, queries_view
from core.cards.ranking import ranking_view
from core.cards.union import union_view
from core.report.parts import Aid, Bump, Card, Cites, Drawing, Fold, Line, Lines, Note, Part, Prose
from core.report.prose import prose
from core.report.scene import Scene, made, passages
from core.trace.artefacts import Answer, Context, Fusion, Queries, Ranking, Union

DRAFT_CHARS = 90


def queries(artefact: Queries, scene: Scene) -> Card:
    """The queries with their origin, and those that were dropped."""
    view = queries_view(artefact)
    lines = Lines([Line(line.text, line.remark) for line in view.used])
    return Card("queries", (lines, *dropped(view.dropped), *made(artefact)), f"{len(view.used)} searched")


def dropped(lines: Sequence[QueryLine]) -> tuple[Part, ...]:
    """What was written and is not used."""
    if not lines:
        return ()
    struck = Lines([Line(line.text, line.remark) for line in lines], numbered=False, struck=True)
    return (Fold(f"{len(lines)} dropped, and why", (struck,)),)


def ranking(artefact: Ranking, scene: Scene) -> Card:
    """What one query found."""
    view = ranking_view(artefact)
    parts: list[Part] = [passages(view.used) if view.used else Note("Nothing found for this query.")]
    if view.rest:
        parts.append(Fold(f"{len(view.rest)} more below k, not used", (passages(view.rest),)))
    return Card("ranking", (*parts, *made(artefact)), f"{view.retriever}: {view.query}")


def grid(view: Grid, colour: str) -> tuple[Part, ...]:
    """A grid, and what its columns stand for."""
    lists = Lines([Line(column.meaning, head=column.name) for column in view.lists], numbered=False)
    return Drawing("grid", view.data() | {"colour": colour}), lists


def union(artefact: Union, scene: Scene) -> Card:
    """Which query found which passage."""
    view = union_view(artefact)
    parts = (Aid(AIDS["union"]), *grid(view, scene.colour), *made(artefact))
    return Card("union", parts, f"{len(view.rows)} different passages")


def fusion(artefact: Fusion, scene: Scene) -> Card:
    """The score table of the fusion."""
    parts = (
        Note(f"The answer was made with k = {artefact.k}, counting from {artefact.first_rank}."),
        Aid(AIDS["fusion"].format(example=example(artefact))),
        *grid(fusion_view(artefact).grid, scene.colour),
        Bump(bump_names(artefact), bump_lines(artefact)),
        Aid(AIDS["bump"].format(first=FIRST)),
        *made(artefact),
    )
    return Card("fusion", parts, "Reciprocal Rank Fusion")


def context(artefact: Context, scene: Scene) -> Card:
    """The evidence in the strategy's order; what the answer used is marked."""
    view = context_view(artefact, scene.record.answer, score_name(scene.record))
    parts: list[Part] = []
    if not view.given:
        missing = "No passage was judged relevant." if view.rest else "No passage was found."
        parts.append(Note(missing))
    parts.append(passages(view.given, compact=False, fold=SHOWN, key=scene.evidence))
    if view.rest:
        title = f"{len(view.rest)} more found, not given to the answer"
        parts.append(Fold(title, (passages(view.rest),)))
    count = len(view.given)
    given = f"{count} {'passage' if count == 1 else 'passages'} given to the answer"
    return Card("context", (*parts, *made(artefact)), given)


def answer(artefact: Answer, scene: Scene) -> Card:
    """The answer with its citations; one that is not final is a folded draft."""
    if not artefact.final:
        start = " ".join(artefact.text.split())
        title = start if len(start) <= DRAFT_CHARS else f"{start[: DRAFT_CHARS - 1].rstrip()}…"
        draft = Fold(title or "Empty", (Prose(prose(artefact.text)),))
        return Card("answer", (draft, *made(artefact)), "a draft, to be graded")
    view = answer_view(artefact, scene.record.context)
    chunks = {chip.number: chip.chunk for chip in view.chips}
    text = prose(view.text, chunks, scene.evidence)
    parts: list[Part] = [Prose(text) if view.text.strip() else Note("The model replied with nothing.")]
    if view.abstained:
        parts.append(Note("No answer: nothing in the evidence was found to support one.", "info"))
    if view.chips:
        parts.append(Cites(view.chips, scene.evidence))
    return Card("answer", (*parts, *made(artefact)))
