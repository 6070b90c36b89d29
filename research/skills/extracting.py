"""Triples against those that people wrote, or that Wikidata has."""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation.dataset_lines import DataDocument
from core.evaluation.words import token_f1
from core.skills.base import SkillContext
from core.skills.extract import EXTRACT, extract, triple_text
from core.skills.stated_triples import Part
from core.trace.passages import Passage
from research.skills.ground import Case, Ground, Task
from research.skills.judging import question_groups, questions
from research.skills.labelled import RAGTASKS, as_passage
from research.skills.measuring import Seen

ALIKE = 0.5
"""Token F1 from which two names are taken for the same."""

Ends = tuple[str, str]


def matched(found: Sequence[Ends], gold: Sequence[Ends]) -> int:
    """How many gold triples are found, each by another triple, judged by subject and object in either direction.

    What relations are called differs too much to be compared.
    """
    left = list(found)
    for one in gold:
        hit = next((other for other in left if _same(one, other) or _same(one, other[::-1])), None)
        if hit is not None:
            left.remove(hit)
    return len(found) - len(left)


def scored(found: Sequence[Ends], gold: Sequence[Ends]) -> dict[str, float]:
    """Precision (missing where nothing was found), recall and F1."""
    hits = matched(found, gold)
    values = {
        "recall": hits / len(gold),
        "F1": 2 * hits / (len(found) + len(gold)),
        "triples": float(len(found)),
    }
    return values | ({"precision": hits / len(found)} if found else {})


def _same(one: Ends, other: Ends) -> bool:
    return all(token_f1(a, b) >= ALIKE for a, b in zip(one, other, strict=True))


def _name(end: str | Part) -> str:
    return triple_text(end) if isinstance(end, Part) else end


def _case(group: str, passage: Passage, gold: Sequence[Ends]) -> Case:
    async def run(context: SkillContext) -> Seen:
        made = await extract(context, passage)
        found = [(_name(one.triple.subject), _name(one.triple.object)) for one in made.found]
        return Seen(scored(found, gold))

    return Case(group, run)


async def cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """A passage of ragtasks with all its triples; in 2Wiki, the sentences with evidence and the triples behind them.

    2Wiki has only the triples that its question needs: others may be true and still count against precision.
    """
    made: list[Case] = []
    for one in questions(ground, data, groups):
        record = ground.source(data).extra[one.id]
        if data == RAGTASKS:
            gold = [(triple[0], triple[2]) for triple in record["triples"]]
            made.append(_case(one.id, ground.source(data).gold(one)[0], gold))
        else:
            text = " ".join(record["evidence"])
            gold = [(subject, name) for subject, _, name in record["evidence_triples"]]
            made.append(_case(one.id, as_passage(DataDocument(one.id, "", text)), gold))
    return made


TASKS = (
    Task(
        "triples", EXTRACT, "F1",
        "triples judged by subject and object; precision in 2Wiki is a lower bound, since it lists only some",
        (RAGTASKS, "2wiki_train500"), cases, question_groups,
    ),
)  # fmt: skip
