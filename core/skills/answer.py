"""Answering: from passages with citations, or from the model's memory alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np

from core.models.chat import Sampling
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext
from core.skills.nearness import fits, titled
from core.skills.passage import foreign
from core.skills.sentences import best_match, language, sentences
from core.skills.sources import traced
from core.skills.taught import ENGLISH_ONLY, adapted, ask_taught, within
from core.trace.artefacts import Answer, Citation
from core.trace.events import Message
from core.trace.passages import Passage

ABSTAIN_BELOW = 0.47
"""How well (see `core.skills.nearness.fits`) the best sentence must fit for the extractive method to answer; measured
by `benchmarks.skills` for the built-in embeddings."""
EXTRACTS = (
    "the sentence that fits the question best, word for word: two thirds nearness in meaning, with its title before "
    f"it, and one third the share of the question's words; no answer below {ABSTAIN_BELOW}."
)
"""How the extractive method works, for people."""

READ, READ_WORDS = 4, 900
"""Passages, and words of them, that the taught model reads."""
NOT_THERE = "not in the passages"
"""How the taught model begins where they hold no answer."""

_MARK = r"\[\d{1,2}(?:\s*,\s*\d{1,2})*\]"
MARKS = re.compile(rf"\s*({_MARK})")
"""Citation marks such as `[1]` or `[2, 3]`, with the blank before them."""
_MARK_AFTER_END = re.compile(rf"([.!?。！？]+)((?:\s*{_MARK})+)")


def taught_answering() -> Method:
    """How skills answer as the built-in model was taught."""
    return Method(
        TAUGHT,
        "The taught model answers in few words",
        f"One call: the built-in model reads the first {READ} passages and answers in few words, as it was taught, or "
        "says that they hold no answer; a rule finds the sentence with these words; English only, else the best "
        "sentence is copied.",
        calls=1,
        slots=("question", "context"),
        builtin_only=True,
    )


ANSWER = Skill(
    "answer",
    "Answer from the passages",
    (
        Method(
            MODEL,
            "The model writes the answer",
            "One call; the model reads the numbered passages and cites them. "
            "The sentence marked in a cited passage is the one that shares most words with the claim.",
            calls=1,
            slots=("question", "context"),
        ),
        Method(
            "extractive",
            "The best sentence",
            f"No model call: {EXTRACTS} It cannot combine passages.",
            calls=0,
        ),
        taught_answering(),
    ),
    builtin="extractive",
    untaught="extractive",
)

RECALL = Skill(
    "recall",
    "Answer from memory",
    (
        Method(
            MODEL,
            "The model's memory",
            "One call with the question alone: what the model knows, or makes up.",
            calls=1,
            slots=("question",),
        ),
    ),
    builtin=MODEL,
)


async def recall(context: SkillContext, question: str) -> Answer:
    """An answer with no evidence at all."""
    method = context.method(RECALL)
    prompt = context.fill(RECALL, method, question=question)
    text = await context.chat.text(
        (Message(role="user", content=prompt),),
        skill=RECALL.key,
        method=method,
        sampling=Sampling(temperature=0.0, max_tokens=400),
        show=True,
    )
    note = "Nothing was looked up: this is what the model remembers, and it may be made up."
    if context.builtin and language(question) != "en":
        note += " The built-in model knows English only."
    return Answer(
        text=text.strip(), sentences=tuple(sentences(text)), skill=RECALL.key, method=method, note=note
    )


async def answer(context: SkillContext, question: str, passages: Sequence[Passage]) -> Answer:
    """An answer from passages, citing them by their number from 1.

    Raises:
        ModelError: The model gave no usable reply.
    """
    method = context.method(ANSWER)
    if not passages:
        return nothing_found(skill=ANSWER.key, method=method)
    if method == "extractive":
        return await extract(context, question, passages, skill=ANSWER.key)
    if method == TAUGHT:
        return await taught_answer(context, ANSWER, question, passages, show=True)
    prompt = context.fill(ANSWER, method, question=question, context=numbered(passages))
    text = await context.chat.text(
        (Message(role="user", content=prompt),),
        skill=ANSWER.key,
        method=method,
        sampling=Sampling(temperature=0.0, max_tokens=700),
        show=True,
    )
    return cite(text, passages, skill=ANSWER.key, method=method)


async def taught_answer(
    context: SkillContext, skill: Skill, question: str, passages: Sequence[Passage], *, show: bool
) -> Answer:
    """An answer of few words by a skill's taught method; a rule finds the sentence that it rests on.

    Args:
        context: What the skill works with.
        skill: Has the prompt.
        question: What is to be answered.
        passages: At least one.
        show: Whether it streams to where the run's answer appears.

    Raises:
        ModelError: The endpoint failed.
    """
    if foreign(question):
        made = await extract(context, question, passages, skill=skill.key)
        return made.model_copy(update={"note": f"{ENGLISH_ONLY} {made.note}".strip()})
    read = within(passages[:READ], READ_WORDS)
    text = await ask_taught(context, skill, adapted(48), show=show, question=question, context=numbered(read))
    if not text or text.casefold().startswith(NOT_THERE):
        note = (
            "That is what the built-in model says of them." if text else "The built-in model wrote nothing."
        )
        silent = "The passages do not hold the answer."
        return Answer(text=silent, abstained=True, skill=skill.key, method=TAUGHT, note=note)
    return await traced(context, question, text, passages[: len(read)], skill=skill.key)


def nothing_found(*, skill: str, method: str) -> Answer:
    """The answer where there is no passage to answer from."""
    return Answer(
        text="Nothing was found, so there is nothing to answer from.",
        abstained=True,
        skill=skill,
        method=method,
        note="No passage was retrieved; the model was not asked.",
    )


def numbered(passages: Sequence[Passage], first: int = 1) -> str:
    """Passages as the model reads them: number (from `first`), title, text."""
    return "\n\n".join(f"[{i}] {passage.title}\n{passage.text}" for i, passage in enumerate(passages, first))


def marks_in(text: str) -> list[int]:
    """Numbers of the passages that a text cites by its marks, each once, in order."""
    return list(
        dict.fromkeys(int(number) for mark in MARKS.findall(text) for number in re.findall(r"\d+", mark))
    )


def cite(text: str, passages: Sequence[Passage], *, skill: str, method: str) -> Answer:
    """Turn citation marks such as `[1]` or `[2, 3]` into citations with the supporting words.

    Marks with a number that no passage has are dropped and mentioned in the note.
    """
    moved = _MARK_AFTER_END.sub(lambda match: f" {match[2].strip()}{match[1]}", text)
    plain: list[str] = []
    citations: list[Citation] = []
    unknown: set[int] = set()
    for marked in sentences(moved):
        claim = MARKS.sub("", marked)
        for number in marks_in(marked):
            if not 1 <= number <= len(passages):
                unknown.add(number)
                continue
            passage = passages[number - 1]
            quote = best_match(claim, passage.text)
            citations.append(Citation(sentence=len(plain), chunk=passage.chunk, quote=quote))
        plain.append(claim)
    note = ""
    if unknown:
        note = f"The model cited passages that do not exist: {', '.join(map(str, sorted(unknown)))}."
    elif not citations:
        note = "The model cited no passage, so nothing here can be traced to a source."
    return Answer(
        text=text.strip(),
        sentences=tuple(plain),
        citations=tuple(citations),
        skill=skill,
        method=method,
        note=note,
    )


async def extract(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    *,
    skill: str = ANSWER.key,
    without: Collection[str] = (),
) -> Answer:
    """The sentence of the passages that fits the question best, word for word; none below `ABSTAIN_BELOW`.

    Args:
        context: Its embedder is used, its model is not.
        question: What is to be answered.
        passages: At least one.
        skill: Key of the skill that answers this way.
        without: Sentences that are left out.

    Raises:
        ModelError: The embedding model fails.
    """
    pool = [
        (passage, sentence)
        for passage in passages
        for sentence in sentences(passage.text)
        if sentence not in without
    ]
    if not pool:
        return Answer(
            text="The passages hold no sentence that could be an answer.",
            abstained=True,
            skill=skill,
            method="extractive",
        )
    found = await fits(context, question, [titled(passage.title, sentence) for passage, sentence in pool])
    best = int(np.argmax(found))
    passage, sentence = pool[best]
    if found[best] < ABSTAIN_BELOW:
        return Answer(
            text="No sentence in these passages fits the question well enough to be an answer.",
            abstained=True,
            skill=skill,
            method="extractive",
            note=f"Best sentence: fit {found[best]:.2f}, below {ABSTAIN_BELOW}.",
        )
    return Answer(
        text=sentence,
        sentences=(sentence,),
        citations=(Citation(sentence=0, chunk=passage.chunk, quote=sentence),),
        skill=skill,
        method="extractive",
        note="Copied, not written: the sentence of the passages that fits the question best in meaning and words "
        f"(fit {found[best]:.2f}). It cannot combine passages.",
    )
