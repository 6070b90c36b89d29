"""Hypothetical passages: texts that would answer a question, even if details are wrong, to search with (HyDE)."""

from __future__ import annotations

import asyncio
import re
from typing import Literal

from core.corpora.sentence_spans import not_latin, sentences
from core.errors import LoupeError, NotKept
from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.relevance import similarity
from core.trace.artefacts import HypotheticalDocuments

Style = Literal["encyclopedia", "scientific", "claim", "news", "report", "conversation"]

STYLES: dict[Style, str] = {
    "encyclopedia": "one paragraph of an encyclopedia article",
    "scientific": "one paragraph of a scientific paper",
    "claim": "one paragraph of a scientific paper that supports or refutes a claim",
    "news": "one paragraph of a newspaper report",
    "report": "one paragraph of a company's annual report",
    "conversation": "one answer in a conversation between people who know the subject well",
}
"""Style -> what the prompt asks for."""

MOST_THINGS = 4
"""Most paragraphs of a reply, each about another subject."""
SIEVED = "sieved"
NEAR = 0.6
"""Cosine to the question from which a sentence of a sieved passage is kept; measured by `research.skills` for the
built-in embeddings."""
LOOPS_NOT = {"dry_multiplier": 0.8, "dry_allowed_length": 3}
"""llama.cpp's DRY sampling: without it the tiny model repeats itself."""

PASSAGE = Skill.of(
    "passage",
    "Write hypothetical passages",
    Method(
        MODEL,
        "The model writes them",
        "One call per passage, all at once: at temperature 0 for one, at 0.7 for several, so that they differ. "
        "What they say may be false. One that is about several things has a paragraph for each.",
        slots=("question", "style"),
    ),
    Method(
        SIEVED,
        "Two examples first, then a sieve",
        "One call per passage at temperature 0.3, with two examples and a guard against repetition, for tiny "
        "models. They write well and mostly what is false, so only the sentences stay whose cosine to the question "
        f"is at least {NEAR}: the others lead the search astray. Often nothing stays, and the question alone is "
        "searched. The threshold fits the built-in embeddings. English only.",
        slots=("question", "style"),
    ),
    builtin=SIEVED,
)


@task(PASSAGE)
async def passages(
    context: SkillContext, question: str, *, n: int, style: Style, with_question: bool
) -> HypotheticalDocuments:
    """`n` hypothetical passages in one style, written at the same time; fewer where some calls fail.

    With the built-in model none is written for a question that is not English, and the note says so.

    Raises:
        LoupeError: No call gave a passage.
    """
    method = context.method(PASSAGE)
    documents = HypotheticalDocuments(
        question=question,
        style=style,
        texts=(),
        with_question=with_question,
        skill=PASSAGE.key,
        method=method,
    )
    if context.builtin and not_latin(question):
        note = (
            "The built-in model writes English only, and this question is in another language: no passage was "
            "written, and the question alone is searched. Choose another model in the sidebar for HyDE."
        )
        return documents.model_copy(update={"note": note})
    results = await asyncio.gather(
        *(_write(context, method, question, style, several=n > 1) for _ in range(n)), return_exceptions=True
    )
    failures = [result for result in results if isinstance(result, BaseException)]
    for failure in failures:
        if isinstance(failure, NotKept) or not isinstance(failure, LoupeError):
            raise failure
    texts = list(dict.fromkeys(result for result in results if isinstance(result, str)))
    if not texts:
        raise failures[0]
    note = _note(n, texts, failures, context.builtin)
    if n == 1 and method == MODEL:
        texts = [part.strip() for part in re.split(r"\n\s*\n", texts[0]) if part.strip()][:MOST_THINGS]
    if method == SIEVED:
        texts, dropped = await _sieve(context, question, texts)
        note = f"{note} {_left_out(texts, dropped)}".strip()
    return documents.model_copy(update={"texts": tuple(texts), "each": n == 1, "note": note})


async def _sieve(context: SkillContext, question: str, texts: list[str]) -> tuple[list[str], list[str]]:
    """Return the sentences of each passage that are near to the question, and the others with their cosines."""
    near_texts: list[str] = []
    dropped: list[str] = []
    for text in texts:
        parts = sentences(text)
        near = list(zip(parts, await similarity(context, question, parts), strict=True))
        if stay := " ".join(part for part, cosine in near if cosine >= NEAR):
            near_texts.append(stay)
        dropped += [f"“{part}” ({cosine:.2f})" for part, cosine in near if cosine < NEAR]
    return near_texts, dropped


def _left_out(texts: list[str], dropped: list[str]) -> str:
    if not dropped:
        return ""
    sentence = f"Left out, too far from the question (cosine below {NEAR}): {' '.join(dropped)}."
    return sentence if texts else f"{sentence} Nothing is left, so the question alone is searched."


async def _write(context: SkillContext, method: str, question: str, style: Style, *, several: bool) -> str:
    if method == SIEVED:
        extra = LOOPS_NOT if context.builtin else {}
        sampling = Sampling(temperature=0.3, max_tokens=160, extra=extra)
    else:
        sampling = Sampling(temperature=0.7 if several else 0.0, max_tokens=400)
    language, kind = context.searched_language, STYLES[style]
    text = await context.text(PASSAGE, method, sampling, question=question, style=kind, language=language)
    return text.strip()


def _note(n: int, texts: list[str], failures: list[BaseException], builtin: bool) -> str:
    parts = []
    if failures:
        parts.append(f"{len(failures)} of {n} passages could not be written ({failures[0]})")
    if same := n - len(texts) - len(failures):
        parts.append(f"{same} of {n} passages said the same as another")
    if builtin:
        parts.append("The built-in model is tiny: most of what it writes here is made up")
    return " ".join(part.rstrip(".") + "." for part in parts)
