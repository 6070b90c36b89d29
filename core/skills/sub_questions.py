"""Splitting a question: into parts that can be answered alone (decomposition), or from easy to hard
(least-to-most)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence

from core.corpora.sentence_spans import language
from core.models.capabilities import Sampling
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext, task
from core.skills.names import lacks_name, names_in
from core.skills.references import MARK, renumber_references
from core.skills.reword import Variants
from core.skills.taught import ENGLISH_ONLY, ask_taught, with_adapter
from core.skills.variants import COPY, clean, tidy
from core.trace.artefacts import DroppedQuery, SubQuestions

REPLIES = 8
"""Replies of the taught method: the likeliest one is often a copy of the question, even of one that has parts."""
UNSPLIT = "does not split the question"
LINE_TOKENS = 40
"""Longest sub-question of the taught method, as the mean of all."""

_TAUGHT = Method(
    TAUGHT,
    "The taught model writes lists, the best kept",
    f"{REPLIES} replies at once: the built-in model writes the sub-questions as it was taught, one a line; “#1” in a "
    "later one stands for the answer to the first. Kept is the reply that has several, without new names and with most "
    "of the question's; where none has, the question is taken for a simple one. English only.",
    replies=REPLIES,
    slots=("question",),
)

SUB_QUESTIONS = Skill.of(
    "sub_questions",
    "Split the question",
    Method(
        MODEL,
        "The model writes a list",
        "One call; the model returns all sub-questions at once, one fact each, in the order in which they must be "
        "answered; “#1” in a later one stands for the answer to the first.",
        slots=("question", "n"),
    ),
    _TAUGHT,
    builtin=TAUGHT,
)

REDUCE = Skill.of(
    "reduce",
    "Reduce the question, easy to hard",
    Method(
        MODEL,
        "The model writes a list, after examples",
        "One call; three examples show how to get from easy questions to the hard one, which is the last.",
        slots=("question", "n"),
    ),
    _TAUGHT,
    builtin=TAUGHT,
)


@task(SUB_QUESTIONS)
async def split(context: SkillContext, question: str, *, n: int) -> SubQuestions:
    """Up to `n` sub-questions in the order they are to be answered; the question itself if there are none."""
    method = context.method(SUB_QUESTIONS)
    parts, dropped = await _parts(context, SUB_QUESTIONS, question, n, most=n)
    fallback = "so the question itself is the only one"
    note = "" if parts else _note(context, SUB_QUESTIONS, question, dropped, fallback)
    return SubQuestions(
        questions=parts or (question,), dropped=dropped, skill=SUB_QUESTIONS.key, method=method, note=note
    )


@task(REDUCE)
async def reduce(context: SkillContext, question: str, *, n: int) -> SubQuestions:
    """Up to `n` questions from easy to hard; the last one is always the question itself."""
    parts, dropped = await _parts(context, REDUCE, question, n, most=n - 1)
    fallback = "so only the question itself is left"
    return SubQuestions(
        questions=(*parts, question),
        # The model is asked to end with the question: its copy is not lost, it is the last one.
        dropped=tuple(drop for drop in dropped if drop.reason != COPY),
        skill=REDUCE.key,
        method=context.method(REDUCE),
        note="" if parts or n == 1 else _note(context, REDUCE, question, dropped, fallback),
    )


def cleaned(
    question: str, raw: Iterable[str], rejected: Iterable[DroppedQuery], n: int
) -> tuple[tuple[str, ...], tuple[DroppedQuery, ...]]:
    """At most `n` sub-questions without numbering, copies and blanks, in the order they came; and what was dropped.

    Args:
        rejected: What the method itself refused, listed first among the dropped.
        n: Largest number of sub-questions; may be 0.
    """
    queries = clean(question, raw, n=n, include_original=False, rejected=rejected)
    return tuple(query.text for query in queries.queries if query.origin == "model"), queries.dropped


async def _parts(
    context: SkillContext, skill: Skill, question: str, n: int, *, most: int
) -> tuple[tuple[str, ...], tuple[DroppedQuery, ...]]:
    """At most `most` of the `n` sub-questions asked for, their marks counted anew; and what was dropped."""
    raw, rejected = await _ask(context, skill, question, n, most=most)
    parts, dropped = cleaned(question, raw, rejected, most)
    parts, pointless = renumber_references(map(tidy, raw), parts)
    return parts, dropped + pointless


async def _ask(
    context: SkillContext, skill: Skill, question: str, n: int, *, most: int
) -> tuple[Sequence[str], list[DroppedQuery]]:
    method = context.method(skill)
    if method == TAUGHT:
        english = language(question) == "en"
        return await _taught(context, skill, question, most) if english and most else ([], [])
    sampling = Sampling(temperature=0.0, max_tokens=max(300, 120 * n))
    return (await context.structured(skill, method, Variants, sampling, question=question, n=n)).queries, []


async def _taught(
    context: SkillContext, skill: Skill, question: str, n: int
) -> tuple[Sequence[str], list[DroppedQuery]]:
    """The reply that splits the question best; if no reply does, why the most likely reply does not."""
    # Without an end that is set, it often writes one line over and over.
    more = f' ("\\n" line){{0,{n - 1}}}' if n > 1 else ""
    lines = f"root ::= line{more}\nline ::= [^\\n]+"

    async def reply_lines(temperature: float) -> list[str]:
        sampling = with_adapter(LINE_TOKENS * n, temperature=temperature, grammar=lines)
        reply = await ask_taught(context, skill, sampling, question=question)
        return [line for line in reply.splitlines() if line.strip()]

    replies = await asyncio.gather(*map(reply_lines, (0.0, *[0.7] * (REPLIES - 1))))
    lost = [_lost(question, reply, n) for reply in replies]
    splits = [place for place, names in enumerate(lost) if names is not None]
    if splits:
        return replies[min(splits, key=lambda place: lost[place] or 0)], []
    single, copies = cleaned(question, replies[0], [], n)
    return [], [*copies, *(DroppedQuery(text=text, reason=UNSPLIT) for text in single)]


def _lost(question: str, lines: Sequence[str], n: int) -> int | None:
    """Count the names of the question that the parts of a reply lack; None if they have new ones, or are no parts."""
    parts, _ = renumber_references(map(tidy, lines), cleaned(question, lines, [], n)[0])
    text = " ".join(parts)
    known = set(re.findall(r"\w+", question.casefold()))
    new = [word for name in names_in(MARK.sub("", text)) for word in re.findall(r"\w+", name.casefold())]
    if len(parts) < min(2, n) or not known.issuperset(new):
        return None
    return sum(lacks_name(name, text) for name in names_in(question))


def _note(
    context: SkillContext, skill: Skill, question: str, dropped: Iterable[DroppedQuery], fallback: str
) -> str:
    """Say why no sub-question came, and what follows."""
    taught = context.method(skill) == TAUGHT
    if taught and language(question) != "en":
        return f"{ENGLISH_ONLY.rstrip('.')}, {fallback}."
    if taught and {drop.reason for drop in dropped} == {COPY}:
        return f"The model takes the question for a simple one, {fallback}."
    why = ": the built-in model is tiny" if context.builtin else ""
    return f"No usable sub-question came{why}, {fallback}."
