"""The steps of strategies that ask one thing after another: thoughts, queries, answers from several of them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

from core.evaluation.answers import is_right
from core.skills.answer_gathered import ANSWER_GATHERED, answer_gathered
from core.skills.answer_step_back import ANSWER_STEP_BACK, answer_step_back
from core.skills.answer_sub import ANSWER_SUB, answer_sub
from core.skills.base import SkillContext
from core.skills.frame import NOTHING, Framed, framed_line
from core.skills.read import READ, read
from core.skills.reason import REASON, reason
from core.skills.references import MARK
from core.skills.resolve import RESOLVE, resolve
from core.skills.rewrite_question import REWRITE_QUESTION, rewrite_question
from core.skills.synthesise import SYNTHESISE, synthesise
from core.skills.think import THINK, think
from core.trace.artefacts import Answer, Pair, SubAnswer, ToolCall
from core.trace.passages import Passage
from research.skills.answering import answered, mixed
from research.skills.following import MUSIQUE
from research.skills.ground import Case, Cases, Ground, Task
from research.skills.judging import question_groups, questions
from research.skills.labelled import RAGTASKS
from research.skills.measuring import Seen

COMPARING = "2wiki_train500"
OTHERS = 3
"""Documents without evidence beside the gold ones."""
SEARCHES = 5
"""Searches that a reasoning has."""
THOUGHT = "The first thing to find out is asked in the search below."
FELL_SHORT = "The passages that were found do not hold the answer."


@dataclass(frozen=True)
class Hop:
    """A step that people wrote for a question, its marks filled in."""

    asked: str
    """With its marks."""
    question: str
    answer: str
    passages: tuple[Passage, ...]
    """Passages that hold its answer, as far as the data name them."""

    @property
    def pair(self) -> Pair:
        """As a later step is given it."""
        return Pair(question=self.question, answer=self.answer, short=self.answer)


@dataclass(frozen=True)
class Chained:
    """A question with its steps, and with passages."""

    id: str
    text: str
    answers: tuple[str, ...]
    hops: tuple[Hop, ...]
    gold: tuple[Passage, ...]
    others: tuple[Passage, ...]


def chained(ground: Ground, data: str, groups: Sequence[str]) -> Iterator[Chained]:
    """The questions of a data set that has their steps, with what was answered at each."""
    found = ground.source(data)
    for one in questions(ground, data, groups):
        hops: list[Hop] = []
        for step in found.extra[one.id]["decomposition"]:
            answers = [hop.answer for hop in hops]
            asked = step["question"].replace(" >> ", ", ")
            own = (found.passages[step["doc"]],) if "doc" in step else ()
            hops.append(Hop(asked, _filled(asked, answers), step["answer"], own))
        others = tuple(found.others(one, OTHERS))
        yield Chained(one.id, one.text, one.answers, tuple(hops), tuple(found.gold(one)), others)


def _filled(text: str, answers: Sequence[str]) -> str:
    return MARK.sub(lambda mark: answers[int(mark[1]) - 1] if int(mark[1]) <= len(answers) else mark[0], text)


def think_cases(one: Chained) -> list[Case]:
    """The first thought, from the passage of the first step among others: it names what that step asks for."""
    first = one.hops[0]

    async def run(context: SkillContext) -> Seen:
        made = await think(context, one.text, mixed(first.passages, one.others, 1 + OTHERS), [])
        return Seen({"right": float(is_right(made.text, [first.answer])), "ends": float(bool(made.ends))})

    return [Case(one.id, run)]


def reason_cases(one: Chained) -> list[Case]:
    """The first piece asks for a search; after the first step it searches with that answer."""
    first = one.hops[0]
    so_far = f"Thought: {THOUGHT}\nSearch: {framed_line(first.question)}\nFound: {framed_line(first.answer)}"

    async def begins(context: SkillContext) -> Seen:
        made = await reason(context, one.text, Framed(NOTHING), SEARCHES)
        return Seen({"right": float(bool(made.searches) and not made.answer)})

    async def goes_on(context: SkillContext) -> Seen:
        made = await reason(context, one.text, Framed(so_far), SEARCHES - 1)
        return Seen({"right": float(is_right(" ".join(made.searches), [first.answer]))})

    return [Case(one.id, begins), Case(one.id, goes_on)]


def sub_cases(one: Chained) -> list[Case]:
    """The last step with its passage among others and with the earlier answers; and with its passage withheld."""
    *before, last = one.hops
    pairs = [hop.pair for hop in before]

    def case(passages: Sequence[Passage], gold: Sequence[str]) -> Case:
        return answered(
            one.id, last.question, gold, lambda context: answer_sub(context, last.question, passages, pairs)
        )

    return [case(mixed(last.passages, one.others, 1 + OTHERS), one.answers), case(one.others, ())]


def gathered_cases(one: Chained) -> list[Case]:
    """The whole question from what tools brought for each step; and with the last step's tool without a result."""

    def case(hops: Sequence[Hop], missing: Sequence[Hop], gold: Sequence[str]) -> Case:
        calls = [_call(place, hop, hop not in missing) for place, hop in enumerate([*hops, *missing])]
        pairs = [Pair(question=call.question, answer=call.text) for call in calls]
        passages = [passage for hop in hops for passage in hop.passages] or one.gold
        return answered(
            one.id, one.text, gold, lambda context: answer_gathered(context, one.text, passages, calls, pairs)
        )

    return [case(one.hops, (), one.answers), case(one.hops[:-1], one.hops[-1:], ())]


def _call(place: int, hop: Hop, found: bool) -> ToolCall:
    return ToolCall(
        number=place + 1,
        index=place,
        asked=hop.asked,
        question=hop.question,
        tool="search_documents",
        outcome="found" if found else "nothing",
        text=hop.answer if found else "",
        skill="choose_tool",
        method="model",
    )


def synthesis_cases(one: Chained) -> list[Case]:
    """The whole question from the gold answers to its steps: what is left is to conclude, or to say the last one."""
    answers = [
        SubAnswer(
            index=place, question=hop.question, searched=hop.question, text=hop.answer, skill=ANSWER_SUB.key
        )
        for place, hop in enumerate(one.hops)
    ]
    return [
        answered(
            one.id, one.text, one.answers, lambda context: synthesise(context, one.text, answers, one.gold)
        )
    ]


def resolve_cases(one: Chained) -> list[Case]:
    """A step that points at the one before it as “it”, in the place of its mark: the answer has to stand there."""
    made: list[Case] = []
    for place, hop in enumerate(one.hops[1:], 1):
        marks = [int(mark[1]) for mark in MARK.finditer(hop.asked)]
        before = one.hops[:place]
        if marks == [place]:
            made.append(_resolve(one.id, MARK.sub("it", hop.asked), [earlier.pair for earlier in before]))
    return made


def _resolve(group: str, text: str, pairs: Sequence[Pair]) -> Case:
    async def run(context: SkillContext) -> Seen:
        made = await resolve(context, text, pairs)
        there = is_right(made.text, [pairs[-1].answer])
        left = re.search(r"\bit\b", made.text) is not None
        return Seen({"right": float(there and not left)})

    return Case(group, run)


async def read_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """The whole question from all gold passages among others; and with the gold ones withheld."""
    found = ground.source(data)
    made: list[Case] = []
    for one in questions(ground, data, groups):
        gold, others = found.gold(one), found.others(one, OTHERS)
        given = mixed(gold, others, len(gold) + OTHERS)
        made.append(answered(one.id, one.text, one.answers, _reader(one.text, given)))
        made.append(answered(one.id, one.text, (), _reader(one.text, others)))
    return made


def _reader(question: str, passages: Sequence[Passage]) -> Callable[[SkillContext], Awaitable[Answer]]:
    return lambda context: read(context, question, passages)


async def step_back_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """A question whose passage was found by the more general one alone, as a person wrote it; and a question that this
    passage leaves open."""
    found = ground.source(data)
    made: list[Case] = []
    for one in questions(ground, data, groups):
        record, others = found.extra[one.id], found.others(one, OTHERS + 1)
        background = mixed(found.gold(one), others[OTHERS:], 2)
        for question, gold in ((one.text, one.answers), (record["unanswerable"], ())):
            made.append(_step_back(one.id, question, record["step_back"], others[:OTHERS], background, gold))
    return made


def _step_back(
    group: str,
    question: str,
    general: str,
    specific: Sequence[Passage],
    background: Sequence[Passage],
    gold: Sequence[str],
) -> Case:
    return answered(
        group,
        question,
        gold,
        lambda context: answer_step_back(context, question, general, specific, background),
    )


async def rewrite_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Evidence that another wording finds by itself, beside that of the question."""
    await ground.retriever(data)

    def case(group: str, question: str) -> Case:
        async def run(context: SkillContext) -> Seen:
            made = await rewrite_question(context, question, [question], FELL_SHORT, number=1)
            before, after = [
                ground.scores(data, group, [hit.passage for hit in (await ground.search(data, text)).hits])
                for text in (question, made.after)
            ]
            return Seen(
                {
                    "nDCG@10 gain": after["nDCG@10"] - before["nDCG@10"],
                    "R@10 gain": after["R@10"] - before["R@10"],
                    "new": float(made.after != question),
                }
            )

        return Case(group, run)

    return [case(one.id, one.text) for one in questions(ground, data, groups)]


def _each(cases: Callable[[Chained], list[Case]]) -> Cases:
    async def made(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
        return [case for one in chained(ground, data, groups) for case in cases(one)]

    return made


TASKS = (
    Task(
        "resolve", RESOLVE, "right",
        "right: the earlier answer stands where the step said “it”, which people had marked",
        (MUSIQUE,), _each(resolve_cases), question_groups,
    ),
    Task(
        "think", THINK, "right", "right: the first thought names what the first step asks for",
        (MUSIQUE,), _each(think_cases), question_groups,
    ),
    Task(
        "reason", REASON, "right",
        "right: it searches first, and then with the answer that the first search brought",
        (MUSIQUE,), _each(reason_cases), question_groups,
    ),
    Task(
        "answer-sub", ANSWER_SUB, "right", "right: the last step's answer, or silence where its passage is withheld",
        (MUSIQUE,), _each(sub_cases), question_groups,
    ),
    Task(
        "answer-gathered", ANSWER_GATHERED, "right",
        "right: the question's answer from those to its steps, or silence where the last brought nothing; a list of "
        "all results holds the last of them",
        (MUSIQUE, COMPARING), _each(gathered_cases), question_groups,
    ),
    Task(
        "synthesise", SYNTHESISE, "right",
        "right: the question's answer from those to its steps; all of them joined hold it where it needs no conclusion",
        (MUSIQUE, COMPARING), _each(synthesis_cases), question_groups,
    ),
    Task(
        "read", READ, "right", "right: the answer from all gold passages among others, or silence without them",
        ("hotpotqa_train100", COMPARING), read_cases, question_groups,
    ),
    Task(
        "answer-step-back", ANSWER_STEP_BACK, "right",
        "right: the answer from the background alone, or silence where it leaves the question open",
        (RAGTASKS,), step_back_cases, question_groups,
    ),
    Task(
        "rewrite-question", REWRITE_QUESTION, "nDCG@10 gain",
        "evidence found with the new wording, beside the question's",
        (MUSIQUE,), rewrite_cases, question_groups,
    ),
)  # fmt: skip
