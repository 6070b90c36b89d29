"""The sentence that supports a short answer, found where the model that wrote the answer cites nothing.

Words are compared, as for every quote in this app: that costs no model call, and anyone can check it by eye.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.tokens import tokens
from core.skills.base import TAUGHT, SkillContext
from core.skills.relevance import most_relevant, titled
from core.skills.sentences import sentences
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

HELD = 0.5
"""Share of an answer's word stems that a passage must hold to count as its source."""


async def with_sources(
    context: SkillContext, question: str, text: str, passages: Sequence[Passage], *, skill: str
) -> Answer:
    """The built-in model's text as an answer; each of its sentences cites the passage sentence that supports it.

    Args:
        question: What is answered.
        context: Its embedder is used, its model is not.
        text: The model's text, unchanged.
        passages: What the model was given.
        skill: Key of the skill that answers.

    Raises:
        ModelError: The embedding model fails.
    """
    parts = sentences(text)
    sources = [await source_of(context, question, part, passages) for part in parts]
    why = "the sentence it rests on was found by comparing words"
    if text.rstrip(".").casefold() in ("yes", "no"):
        why = "a yes or no has no words by which its source could be found"
    elif not any(sources):
        why = "its words are in no passage, so nothing here can be traced to a source"
    return Answer(
        text=text,
        sentences=tuple(parts),
        citations=tuple(
            Citation(sentence=place, chunk=source[0].chunk, quote=source[1])
            for place, source in enumerate(sources)
            if source
        ),
        skill=skill,
        method=TAUGHT,
        note=f"Written by the built-in model; {why}.",
    )


async def source_of(
    context: SkillContext, question: str, said: str, passages: Sequence[Passage]
) -> tuple[Passage, str] | None:
    """The sentence that supports a short answer, with its passage: it holds most of the answer's word stems.

    The title of a passage counts as a part of each of its sentences; among equal sentences, the most relevant to
    the question is taken.

    Returns:
        None where no passage holds the share `HELD` of the stems, or where the answer has no stems.

    Raises:
        ModelError: The embedding model fails.
    """
    terms = set(tokens(said))

    def held(text: str) -> int:
        return len(terms & set(tokens(text)))

    pool = [
        (passage, sentence)
        for passage in passages
        if terms and held(titled(passage.title, passage.text)) >= HELD * len(terms)
        for sentence in sentences(passage.text)
    ]
    if not pool:
        return None
    counts = [held(titled(passage.title, sentence)) for passage, sentence in pool]
    equals = [one for one, count in zip(pool, counts, strict=True) if count == max(counts)]
    if len(equals) == 1:
        return equals[0]
    passage, sentence, _ = await most_relevant(context, question, equals)
    return passage, sentence
