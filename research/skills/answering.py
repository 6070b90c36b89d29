"""Answering from passages, and saying that they hold no answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.measures import JudgedPair, scores_of
from core.evaluation.plan import Result, Setting
from core.skills.answer import ANSWER, answer
from core.skills.base import SkillContext
from core.trace.artefacts import Answer
from core.trace.passages import Passage
from research.skills.ground import Case, Ground, Task
from research.skills.judging import question_groups, questions
from research.skills.labelled import RAGTASKS
from research.skills.measuring import Seen

GIVEN = 4
"""Passages that the answer is made from."""


Answering = Callable[[SkillContext], Awaitable[Answer]]


def answered(group: str, question: str, gold: Sequence[str], make: Answering) -> Case:
    """A question that is to be answered; `gold` is empty if what is given holds no answer."""

    async def run(context: SkillContext) -> Seen:
        made = await make(context)
        asked = LabelledQuestion("", question, "", tuple(gold), {})
        scores = scores_of(JudgedPair(Result(answer=made), asked, Setting(label="", strategy="")))
        silent = bool(scores["abstained"])
        if not gold:
            return Seen(
                {"silent without answer": float(silent), "right": float(silent)},
                label=False,
                score=float(not silent),
            )
        values = {key: scores[key] for key in ("accuracy", "F1", "EM") if key in scores}
        spoken = {"speaks with answer": float(not silent)}
        spoken |= {"right": scores["accuracy"]} if "accuracy" in scores else {}
        return Seen(values | spoken, label=True, score=float(not silent))

    return Case(group, run)


def _case(group: str, question: str, passages: Sequence[Passage], gold: Sequence[str]) -> Case:
    return answered(group, question, gold, lambda context: answer(context, question, passages))


def mixed(gold: Sequence[Passage], others: Sequence[Passage], count: int) -> list[Passage]:
    """Passages with the gold ones in the middle: a method must not profit from the order."""
    return [*others[:1], *gold, *others[1:]][:count]


async def cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Each question with its gold passages among others, and a question without any answer there.

    In ragtasks that is a question on the same subject which the passage leaves open; elsewhere the same question, its
    gold passages withheld.
    """
    found = ground.source(data)
    made: list[Case] = []
    for one in questions(ground, data, groups):
        gold, others = found.gold(one), found.others(one, GIVEN)
        given = mixed(gold, others, GIVEN)
        made.append(_case(one.id, one.text, given, one.answers))
        if data == RAGTASKS:
            made.append(_case(one.id, found.extra[one.id]["unanswerable"], given, ()))
        else:
            made.append(_case(one.id, one.text, others, ()))
    return made


TASKS = (
    Task(
        "answer", ANSWER, "right",
        "accuracy: holds the gold answer (an abstention is wrong); right: accuracy, or silence where the passages hold "
        "no answer; AUC of speaking",
        (RAGTASKS, "xquad/en", "xquad/zh", "hotpotqa_train100"), cases, question_groups,
    ),
)  # fmt: skip
