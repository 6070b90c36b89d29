"""Grades, what they led to, and a whole run through its loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.cards.kind import ChoiceField, Edit, Gist, Item, Join, Kind, Scene, provenance, text_edit
from core.cards.parts import Aid, Card, Change, Drawing, Note
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Grade, Ranking, Rewrite
from core.wording import counted

WHAT = {
    "Retrieve": "Does the question need documents?",
    "IsRel": "Is the passage relevant to the question?",
    "IsSup": "Is the answer supported by the passages?",
    "IsUse": "Is the answer useful for the question?",
    "Holds": "Does the passage hold the answer?",
    "Search": "What is the search worth?",
}
OUT_OF = {"IsUse": " of 5"}
HALF = frozenset(("partially", "partly", "ambiguous"))
"""Verdicts with which a run goes on, but not as with the best."""
SCALE = (
    "Each number is a passage, at its score. From the right threshold on it counts as holding the answer; left of the "
    "left one as holding nothing of it."
)
WAYS = {
    "correct": "what it found is refined",
    "ambiguous": "what it found is refined, and another way is tried",
    "incorrect": "another way is tried",
}
"""What a verdict on a search leads to."""
ROOM = 0.05
"""Of a scale, beyond the outermost score or threshold."""


def grade_data(artefact: Grade) -> dict[str, Any]:
    """The grade in words, for a drawing; without a passage it judges the answer."""
    passage = artefact.passage
    return {
        "what": artefact.what,
        "asks": WHAT[artefact.what],
        "verdict": artefact.verdict + OUT_OF.get(artefact.what, ""),
        "passes": artefact.passes,
        "half": artefact.verdict in HALF,  # it passes, but not in full
        "reason": artefact.reason or ("" if artefact.note else "No reason was given."),
        "about": passage.title if passage else "",
        "text": passage.text if passage else "",
    }


def grades_summary(grades: Sequence[Grade]) -> str:
    """Several grades in one line: passages are counted, everything else is named."""
    chunks = [grade for grade in grades if grade.what == "IsRel"]
    relevant = sum(grade.passes for grade in chunks)
    parts = [f"IsRel: {relevant} of {len(chunks)} relevant"] if chunks else []
    held = [grade.verdict for grade in grades if grade.what == "Holds"]
    parts += [f"{held.count(one)} {one}" for one in edits.VERDICTS["Holds"] if one in held]
    each = (grade for grade in grades if grade.what not in ("IsRel", "Holds"))
    parts += [f"{g.what}: {g.verdict}{OUT_OF.get(g.what, '')}" for g in each]
    return ", ".join(parts)


def scale_data(grades: Sequence[Grade]) -> dict[str, Any] | None:
    """The scores of several grades on one line with their thresholds, for a drawing; None: they are not comparable."""
    scores = [grade.score for grade in grades if grade.score is not None]
    bounds = {grade.thresholds for grade in grades if grade.thresholds}
    if len(bounds) != 1 or not scores:
        return None
    lower, upper = bounds.pop()
    low, high = min(lower, *scores) - ROOM, max(upper, *scores) + ROOM

    def across(score: float) -> float:
        return round(100 * (score - low) / (high - low), 2)

    return {
        "thresholds": [[across(at), f"{at:g}"] for at in (lower, upper)],
        "marks": [
            {
                "number": number,
                "at": across(grade.score),
                "says": f"{grade.passage.title if grade.passage else ''}: {grade.score:.2f}, {grade.verdict}",
            }
            for number, grade in enumerate(grades, 1)
            if grade.score is not None
        ],
    }


def _grades(grades: Sequence[Grade]) -> Card:
    """The grades of one layer, each with its reason; a passage opens on a click."""
    scale = scale_data(grades)
    drawing = Drawing("grades", {"grades": [grade_data(grade) for grade in grades], "scale": scale})
    # What several share is said once.
    notes = dict.fromkeys(part for grade in grades for part in provenance(grade))
    return Card((*((Aid(SCALE),) if scale else ()), drawing, *notes), grades_summary(grades))


def _by_rank(grades: Sequence[Grade], record: Record) -> list[Grade]:
    """Grades of passages in the order of their search, whichever came first."""
    number = grades[0].round
    ranks = {
        hit.passage.chunk: hit.rank
        for found in record.find(Ranking)[number - 1 : number]
        for hit in found.hits
    }
    if any(grade.what != "Holds" or grade.passage is None for grade in grades):
        return list(grades)
    return sorted(
        grades, key=lambda grade: ranks.get(grade.passage.chunk if grade.passage else "", len(ranks))
    )


def _joins(first: Item, following: Item) -> bool:
    return isinstance(following.artefact, Grade) and following.step.layer == first.step.layer


def _label(artefact: Grade) -> str:
    about = f": {artefact.passage.title[:60]}" if artefact.passage else ""
    return f"{artefact.what}, round {artefact.round}{about}"


def _verdict(artefact: Grade) -> tuple[ChoiceField]:
    passage = artefact.passage
    judged = (passage.title, passage.text) if passage else ("", "")
    verdicts = list(edits.VERDICTS[artefact.what])
    return (ChoiceField("edit-verdict", artefact.what, verdicts, artefact.verdict, *judged),)


def _regrade(artefact: Grade, values: Sequence[str | None]) -> Grade:
    chosen = values[0]
    return edits.with_verdict(artefact, chosen) if chosen and chosen != artefact.verdict else artefact


def rewrite_card(artefact: Rewrite, scene: Scene) -> Card:
    """The question before and after, and why."""
    parts = (
        Change(artefact.before, artefact.after),
        Note(f"Because of {artefact.cause}"),
        *provenance(artefact),
    )
    return Card(parts, f"number {artefact.round}")


def _gist(record: Record) -> str:
    grades, rewrites = record.find(Grade), len(record.find(Rewrite))
    if search := [grade for grade in grades if grade.what == "Search"]:
        return f"The search was judged {search[-1].verdict}: {WAYS[search[-1].verdict]}"
    passages = [grade for grade in grades if grade.what == "IsRel"]
    drafts = sum(grade.what == "IsSup" for grade in grades)
    good = sum(grade.passes for grade in passages)
    parts = [f"{counted(len(passages), 'passage')} graded, {good} relevant"] if passages else []
    parts += [f"{counted(drafts, 'draft')} graded"] if drafts else []
    parts += [f"question rewritten {counted(rewrites, 'time')}"] if rewrites else []
    return "; ".join(parts) or "No search was needed"


KINDS = (
    Kind(
        key="grade",
        title="Grade",
        icon="fact_check",
        moment="A grade",
        gist=Gist(50, _gist),
        card=lambda artefact, scene: _grades([artefact]),
        join=Join(
            _joins, lambda items, scene: _grades(_by_rank([item.artefact for item in items], scene.record))
        ),
        edit=Edit(_verdict, _regrade, lambda artefact: [f"{artefact.what}: {artefact.verdict}"], _label),
    ),
    Kind(
        key="rewrite",
        title="Rewritten question",
        icon="restart_alt",
        moment="The rewritten question",
        card=rewrite_card,
        edit=text_edit("The question, rewritten", lambda artefact: artefact.after, edits.with_rewrite),
    ),
)
