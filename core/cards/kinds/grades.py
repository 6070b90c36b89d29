"""Grades, what they led to, and a whole run through its loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.cards.kind import (
    YOURS,
    ChoiceField,
    Edit,
    Gist,
    Item,
    Join,
    Kind,
    Picture,
    Scene,
    checked_text,
    drawn_picture,
    edited,
    provenance,
    text_edit,
)
from core.cards.narration import SceneContext, Sentence, quoted
from core.cards.parts import Aid, Card, Change, Drawing, Note
from core.cards.turns import HALF, OUT_OF, READING, READING_ONCE, WAYS, WHAT, by_rank, turns
from core.errors import InputError
from core.runs.record import Record
from core.trace.artefacts import Grade, Ranking, Refinement, Rewrite
from core.wording import counted

SCALE = (
    "Each number is a passage, at its score. From the right threshold on it counts as holding the answer; left of the "
    "left one as holding nothing of it."
)
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
    verdicts = [grade.verdict for grade in grades if grade.what == "Holds"]
    parts += [f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS["Holds"] if verdict in verdicts]
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


def _together(items: Sequence[Item], scene: Scene) -> Card:
    grades = [item.artefact for item in items]
    if any(grade.what != "Holds" or grade.passage is None for grade in grades):
        return _grades(grades)
    return _grades(by_rank(grades, scene.record.find(Ranking)))


def _joins(first: Item, following: Item) -> bool:
    return isinstance(following.artefact, Grade) and following.step.layer == first.step.layer


def _label(artefact: Grade) -> str:
    about = f": {artefact.passage.title[:60]}" if artefact.passage else ""
    return f"{artefact.what}, round {artefact.round}{about}"


def _verdict(artefact: Grade) -> tuple[ChoiceField]:
    passage = artefact.passage
    judged = (passage.title, passage.text) if passage else ("", "")
    verdicts = list(VERDICTS[artefact.what])
    return (ChoiceField("edit-verdict", artefact.what, verdicts, artefact.verdict, *judged),)


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
        return f"The search was judged {search[-1].verdict}: {WAYS.get(search[-1].verdict, 'it goes on')}"
    passages = [grade for grade in grades if grade.what == "IsRel"]
    drafts = sum(grade.what == "IsSup" for grade in grades)
    good = sum(grade.passes for grade in passages)
    parts = [f"{counted(len(passages), 'passage')} graded, {good} relevant"] if passages else []
    parts += [f"{counted(drafts, 'draft')} graded"] if drafts else []
    parts += [f"question rewritten {counted(rewrites, 'time')}"] if rewrites else []
    return "; ".join(parts) or "No search was needed"


VERDICTS: dict[str, dict[str, bool]] = {
    "IsRel": {"yes": True, "no": False},
    "IsSup": {"fully": True, "partially": True, "no": False},
    "IsUse": {"5": True, "4": True, "3": False, "2": False, "1": False},
    "Holds": {"yes": True, "partly": True, "no": False},
    "Search": {"correct": True, "ambiguous": True, "incorrect": False},
}

"""Verdicts of each grade, and whether they pass; as the strategies take them by default."""


def with_verdict(artefact: Grade, verdict: str | None) -> Grade:
    """Another verdict; None or the same one: the grade as it is.

    Raises:
        InputError: The grade has no such verdict.
    """
    known = VERDICTS[artefact.what]
    if verdict in (None, artefact.verdict):
        return artefact
    if verdict not in known:
        raise InputError(f"{artefact.what} has no verdict '{verdict}'. Choose one of: {', '.join(known)}.")
    return edited(artefact, verdict=verdict, passes=known[verdict], score=None, thresholds=None, reason=YOURS)


def _grades_sentence(every: Sequence[Grade], scene: SceneContext) -> str:
    for what, say in _JUDGED.items():
        if grades := [grade for grade in every if grade.what == what]:
            return say(grades, every)
    return ""


def _relevance(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    out = sum(not grade.passes for grade in grades)
    if not out:
        return (
            f"All {len(grades)} passages count as relevant."
            if len(grades) > 1
            else "The passage counts as relevant."
        )
    if out == len(grades):
        return f"None of {counted(out, 'passage')} counts as relevant."
    return f"{out} of {len(grades)} passages {'is' if out == 1 else 'are'} thrown out as not relevant."


def _holds(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    full, part = (sum(grade.verdict == verdict for grade in grades) for verdict in ("yes", "partly"))
    if not full + part:
        return f"None of {counted(len(grades), 'passage')} is judged to hold the answer."
    partly = f", {part} a part of it" if part else ""
    judged = "is judged" if full <= 1 else "are judged"
    return f"{full or 'None'} of {counted(len(grades), 'passage')} {judged} to hold the answer{partly}."


def _search(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The search is judged {grades[-1].verdict}: {WAYS.get(grades[-1].verdict, 'it goes on')}."


def _support(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    words = {"fully": "supported", "partially": "supported only in part", "no": "not supported"}
    text = f"The draft is {words.get(grades[-1].verdict, grades[-1].verdict)} by its passages"
    useful = [grade for grade in every if grade.what == "IsUse"]
    if useful:
        text += f", and its use for the question is {useful[-1].verdict}{OUT_OF['IsUse']}"
    good = "it is good enough"
    if grades[-1].verdict == "partially":
        good += ", unless it can be put right"
    return f"{text}: {good if all(grade.passes for grade in every) else 'not good enough'}."


def _use(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    good = "good enough" if grades[-1].passes else "not good enough"
    return f"The draft's use for the question is {grades[-1].verdict}{OUT_OF['IsUse']}: {good}."


def _need(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The question {'needs' if grades[-1].passes else 'does not need'} documents."


_JUDGED: Mapping[str, Callable[[Sequence[Grade], Sequence[Grade]], str]] = {
    "IsSup": _support,
    "IsUse": _use,
    "IsRel": _relevance,
    "Holds": _holds,
    "Search": _search,
    "Retrieve": _need,
}

"""Thing that is judged -> its sentence, from its own grades and from all of the scene; the most telling first."""


def _rewrite_sentence(rewrites: Sequence[Rewrite], scene: SceneContext) -> str:
    return f"The question is reworded and searched again: {quoted(rewrites[-1].after)}"


def _picture(scene: Scene) -> Picture | None:
    grades = scene.record.find(Grade)
    once = scene.record.find(Refinement) or any(grade.what == "Holds" for grade in grades)
    title, reading = ("The search and its correction", READING_ONCE) if once else ("The loop", READING)
    return drawn_picture(title, reading, "turns", turns(scene), scene.colour)


def with_rewrite(artefact: Rewrite, text: str) -> Rewrite:
    """Another wording of the question."""
    return edited(artefact, after=checked_text(text))


KINDS = (
    Kind(
        key="grade",
        title="Grade",
        icon="fact_check",
        gist=Gist(50, _gist),
        card=lambda artefact, scene: _grades([artefact]),
        join=Join(_joins, _together),
        edit=Edit(
            _verdict,
            lambda artefact, values: with_verdict(artefact, values[0]),
            lambda artefact: [f"{artefact.what}: {artefact.verdict}"],
            _label,
        ),
        sentence=Sentence(70, _grades_sentence),
        picture=_picture,
    ),
    Kind(
        key="rewrite",
        title="Rewritten question",
        icon="restart_alt",
        card=rewrite_card,
        edit=text_edit("The question, rewritten", lambda artefact: artefact.after, with_rewrite),
        sentence=Sentence(80, _rewrite_sentence),
    ),
)
