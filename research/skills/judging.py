"""Graders against labels: relevance, support, use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from core.corpora.sentence_spans import sentences
from core.evaluation.dataset_lines import LabelledQuestion
from core.skills.base import Skill, SkillContext
from core.skills.evaluate_passage import EVALUATE_PASSAGE, Thresholds, evaluate_passage
from core.skills.grade_relevance import GRADE_RELEVANCE, grade_relevance
from core.skills.grade_support import GRADE_SUPPORT, grade_support
from core.skills.grade_use import GRADE_USE, grade_use
from core.trace.artefacts import Answer, Grade
from core.trace.passages import Passage
from research.skills.ground import Case, Ground, Task
from research.skills.labelled import RAGTASKS
from research.skills.measuring import Seen

SCIFACT = "scifact"
OTHERS = 2
"""Documents without evidence per question."""
USEFUL = 4
_LABELS = {
    "scifact": ("SUPPORT", "CONTRADICT", "NOINFO"),
    "scifact:others": ("SUPPORT",),
    "scifact:abstracts": ("SUPPORT", "CONTRADICT"),
}
"""Which claims each use of SciFact takes."""


def base(data: str) -> str:
    """The folder of a data set that is used in several ways, named after a colon."""
    return data.partition(":")[0]


def seen(grade: Grade, label: bool) -> Seen:
    """A verdict against its label."""
    score = float(grade.passes) if grade.score is None else grade.score
    return Seen({"right": float(grade.passes == label), "passed": float(grade.passes)}, label, score)


def question_groups(ground: Ground, data: str) -> Sequence[str]:
    """Its questions; of SciFact, the claims that an abstract was found to support or to contradict."""
    found = ground.source(base(data))
    if base(data) == SCIFACT:
        wanted = _LABELS[data]
        return [
            one.id for one in found.dataset.questions if one.gold and found.extra[one.id]["label"] in wanted
        ]
    return [one.id for one in found.dataset.questions]


def questions(ground: Ground, data: str, groups: Sequence[str]) -> list[LabelledQuestion]:
    """The questions of a sample, in its order."""
    by_id = {one.id: one for one in ground.source(base(data)).dataset.questions}
    return [by_id[group] for group in groups]


async def _evaluated(context: SkillContext, question: str, passage: Passage) -> Grade:
    return (await evaluate_passage(context, question, passage, Thresholds())).grade


def passage_case(skill: Skill, group: str, question: str, passage: Passage, label: bool) -> Case:
    """A passage that holds evidence for a question or not, judged by one of the two skills that judge that."""
    judge = _evaluated if skill is EVALUATE_PASSAGE else grade_relevance

    async def run(context: SkillContext) -> Seen:
        return seen(await judge(context, question, passage), label)

    return Case(group, run)


async def passage_cases(skill: Skill, ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Gold passages, and as negatives passages that share words, or questions that the passage is not about."""
    found = ground.source(base(data))
    made: list[Case] = []
    for one in questions(ground, data, groups):
        made += [passage_case(skill, one.id, one.text, passage, True) for passage in found.gold(one)]
        if base(data) == RAGTASKS:
            kind = data.partition(":")[2]
            made += [passage_case(skill, one.id, found.extra[one.id][kind], found.gold(one)[0], False)]
        else:
            others = found.others(one, OTHERS)
            made += [passage_case(skill, one.id, one.text, passage, False) for passage in others]
    return made


def _support(group: str, claim: str, passage: Passage, label: bool) -> Case:
    async def run(context: SkillContext) -> Seen:
        answer = Answer(text=claim, sentences=(claim,))
        return seen(await grade_support(context, claim, answer, [passage]), label)

    return Case(group, run)


async def support_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Claims with the passage that they are judged by.

    `scifact`: supported against contradicted and unmentioned, all with the abstract that is cited for them;
    `scifact:others`: supported, against the same claims with abstracts that share words. `ragtasks:claims`: true in
    other words against false in the passage's words; `ragtasks:sentences`: a sentence of the passage against one of
    another passage.
    """
    found = ground.source(base(data))
    ids = [one.id for one in found.dataset.questions]
    made: list[Case] = []
    for one in questions(ground, data, groups):
        record, passage = found.extra[one.id], found.gold(one)[0]
        if data == SCIFACT:
            made.append(_support(one.id, one.text, passage, record["label"] == "SUPPORT"))
        elif data == "scifact:others":
            made.append(_support(one.id, one.text, passage, True))
            made += [_support(one.id, one.text, other, False) for other in found.others(one, 1)]
        elif data == "ragtasks:claims":
            made += [_support(one.id, claim, passage, True) for claim in record["supported"]]
            made += [_support(one.id, claim, passage, False) for claim in record["unsupported"]]
        else:
            stranger = found.extra[ids[(ids.index(one.id) + 1) % len(ids)]]
            made.append(_support(one.id, record["answer_sentence"], passage, True))
            made.append(_support(one.id, stranger["answer_sentence"], passage, False))
    return made


async def use_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """The sentence that answers a question, against another sentence of the same passage."""

    def case(group: str, question: str, text: str, label: bool) -> Case:
        async def run(context: SkillContext) -> Seen:
            answer = Answer(text=text, sentences=(text,))
            return seen(await grade_use(context, question, answer, useful_from=USEFUL), label)

        return Case(group, run)

    made: list[Case] = []
    for one in questions(ground, data, groups):
        record = ground.source(data).extra[one.id]
        others = [
            text
            for text in sentences(record["passage"])
            if record["answer"].casefold() not in text.casefold() and text != record["answer_sentence"]
        ]
        made.append(case(one.id, one.text, record["answer_sentence"], True))
        made += [case(one.id, one.text, text, False) for text in others[:1]]
    return made


TASKS = (
    Task(
        "relevance", GRADE_RELEVANCE, "right",
        "AUC of gold passages against passages that share words (HotpotQA, SciFact), and of questions that a passage "
        "answers against off-topic and unanswerable ones; right: accuracy at the method's own threshold",
        ("hotpotqa_train100", "scifact:abstracts", "ragtasks:off_topic", "ragtasks:unanswerable"),
        partial(passage_cases, GRADE_RELEVANCE), question_groups,
    ),
    Task(
        "evaluate-passage", EVALUATE_PASSAGE, "right",
        "the same, where a part of the answer is enough; a near miss that leaves the question open is none",
        ("hotpotqa_train100", "ragtasks:unanswerable"), partial(passage_cases, EVALUATE_PASSAGE), question_groups,
    ),
    Task(
        "support", GRADE_SUPPORT, "right",
        "AUC of supported against unsupported claims; right: accuracy at the method's own threshold",
        ("scifact", "scifact:others", "ragtasks:claims", "ragtasks:sentences"),
        support_cases, question_groups,
    ),
    Task(
        "use", GRADE_USE, "right",
        "AUC of the sentence that answers against another one of the passage; right: IsUse from 4 on",
        (RAGTASKS,), use_cases, question_groups,
    ),
)  # fmt: skip
