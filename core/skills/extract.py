"""Triples for a knowledge graph, extracted from a chunk; circumstances become triples about triples (hypernodes)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field

from core.corpora.sentence_spans import not_latin, sentences
from core.errors import UnusableReply
from core.jobs import at_once
from core.models.capabilities import Sampling
from core.retrieval.tokens import word_set
from core.skills.base import MODEL, SHORT, TAUGHT, Method, Skill, SkillContext, task
from core.skills.frame import framed_line
from core.skills.quotes import find_quote
from core.skills.stated_triples import EMPTY, MAX_PART, SHOWN, Dropped, Part, StatedTriples
from core.skills.taught import ask_taught, with_adapter
from core.skills.variants import letters, tidy
from core.trace.passages import Frozen, Passage

MODEL_TOKENS = 3000
"""Longest reply for a chunk; it has about ten times the chunk's tokens where that is dense."""
TAUGHT_TOKENS, SHORT_TOKENS = 120, 300
"""Longest replies for a sentence."""
MOST_FACTS = 8
"""Of a sentence; more are a loop."""

NO_QUOTE = "the quote is not in the chunk"
NO_NAME = "a pronoun instead of a name"
NOT_STATED = "names something that is not in the sentence"
SAME = "subject and object are the same"
TWICE = "a copy of another one"
UNREADABLE = "sentences for which the reply could not be read"
NO_FACT = "nothing"
"""What the taught model writes for a sentence without any fact."""

_PRONOUNS = word_set(
    "he she it they we i you him her them us me this that these those his hers its their theirs who "
    "which there someone something one"
)


class Found(Frozen):
    """A triple that may go into the graph."""

    triple: Part
    quote: str
    """Words of the chunk, as they stand there."""


class Extraction(Frozen):
    """The triples of one chunk."""

    found: tuple[Found, ...]
    dropped: tuple[Dropped, ...]
    method: str


Name = Annotated[str, Field(max_length=120)]


def _usable_facts(value: Any) -> Any:
    """The facts of three parts, as many as a sentence may have; all as they are where there is none."""
    if not isinstance(value, list):
        return value
    usable = [fact for fact in value if isinstance(fact, list) and len(fact) == 3 and all(fact)]
    return usable[:MOST_FACTS] or value


class Facts(BaseModel):
    """The form of a short reply: for each fact of a sentence its subject, relation and object."""

    facts: Annotated[
        list[tuple[Name, Name, Name]],
        BeforeValidator(_usable_facts),
        Field(max_length=MOST_FACTS),
    ]


EXTRACT = Skill.of(
    "extract",
    "Extract triples",
    Method(
        MODEL,
        "The model writes triples, after examples",
        "One call per chunk. Circumstances such as a date or a condition become triples about the triple they "
        "belong to. Each must quote the chunk; what quotes it wrongly is dropped.",
        slots=("text",),
    ),
    Method(
        SHORT,
        "The model, sentence by sentence",
        "One call per sentence: subject, relation and object of each fact in a list, after short examples, a form that "
        "small models can follow. Circumstances do not become hypernodes. What names something that is neither "
        "in the sentence nor in the one before it nor in the title is dropped.",
        replies=5,
        slots=("text",),
    ),
    Method(
        TAUGHT,
        "The taught model, sentence by sentence",
        "One call per sentence: the built-in model writes the facts of the sentence as it was taught, without "
        "hypernodes; what names something that is not in the sentence is dropped; English only.",
        replies=5,
        slots=("text",),
    ),
    builtin=TAUGHT,
)


@task(EXTRACT)
async def extract(context: SkillContext, passage: Passage) -> Extraction:
    """The triples that a chunk states.

    Raises:
        UnusableReply: The model gave nothing of the form asked for.
        ModelError: The endpoint failed.
    """
    method = context.method(EXTRACT)
    if method in (SHORT, TAUGHT):
        return await _by_sentences(context, passage, method)
    sampling = Sampling(temperature=0.0, max_tokens=MODEL_TOKENS)
    slots = {"text": passage.text, "title": passage.title}
    reply = await context.structured(EXTRACT, method, StatedTriples, sampling, **slots)
    fit, dropped = filter_triples(
        (stated, find_quote(stated.quote, passage.text)) for stated in reply.triples
    )
    return Extraction(found=fit, dropped=(*reply.dropped, *dropped), method=method)


def filter_triples(stated: Iterable[tuple[Part, str]]) -> tuple[tuple[Found, ...], tuple[Dropped, ...]]:
    """Triples that may go into the graph, and triples that may not, with reasons; each comes with its words in the
    chunk, which are empty where they are not there."""
    fit: dict[str, Found] = {}
    dropped: list[Dropped] = []
    for part, quote in stated:
        # Without its quote, so that two are the same if they say the same.
        triple = Part(subject=part.subject, relation=part.relation, object=part.object)
        text = triple_text(triple)
        reason = why_unfit(triple) or ("" if quote else NO_QUOTE) or (TWICE if text.casefold() in fit else "")
        if reason:
            dropped.append(Dropped(text=text[:SHOWN], reason=reason))
        else:
            fit[text.casefold()] = Found(triple=triple, quote=quote)
    return tuple(fit.values()), tuple(dropped)


def why_unfit(part: Part) -> str:
    """Why a triple would be of no use in a graph; empty if it is fit."""
    for end in (part.subject, part.object):
        if isinstance(end, Part):
            if why := why_unfit(end):
                return why
        elif not letters(end):
            return EMPTY
        elif end.strip().casefold() in _PRONOUNS:
            return NO_NAME
    if not part.relation.strip():
        return EMPTY
    return SAME if _end(part.subject).casefold() == _end(part.object).casefold() else ""


def triple_text(part: Part) -> str:
    """A triple as text."""
    return f"({_end(part.subject)})-[{part.relation.strip()}]->({_end(part.object)})"


async def _by_sentences(context: SkillContext, passage: Passage, method: str) -> Extraction:
    every = sentences(passage.text)
    asked = [
        (sentence, before)
        for before, sentence in zip(("", *every), every, strict=False)
        if len(sentence.split()) > 2 or not_latin(sentence)
    ]
    if method == TAUGHT:
        replies = await at_once(_ask_taught(context, sentence) for sentence, _ in asked)
    else:
        # One by one, since a small model's server may do one call at a time: others would wait, be given up and asked
        # again. So the prompt's beginning stays in its cache, too.
        replies = [await _ask_short(context, passage.title, before, sentence) for sentence, before in asked]
    if asked and all(reply.unread and not reply.triples for reply in replies):
        raise UnusableReply("The model gave a reply without the form asked for, for every sentence.")
    stated: list[tuple[Part, str]] = []
    dropped: list[Dropped] = []
    for (sentence, _), reply in zip(asked, replies, strict=True):
        dropped += reply.unread
        for part in reply.triples:
            if why_unfit(part) or _names_known(part, reply.known):
                stated.append((part, find_quote(sentence, passage.text)))
            else:
                dropped.append(Dropped(text=triple_text(part)[:SHOWN], reason=NOT_STATED))
    fit, more = filter_triples(stated)
    return Extraction(found=fit, dropped=(*dropped, *more), method=method)


class _OfSentence(NamedTuple):
    """A reply for one sentence."""

    triples: Sequence[Part]
    unread: Sequence[Dropped]
    """The parts of the reply that are no triples."""
    known: str
    """The text that names must be in."""


async def _ask_taught(context: SkillContext, sentence: str) -> _OfSentence:
    """The triples of a sentence; the taught model is shown nothing else."""
    if not_latin(sentence):
        return _OfSentence((), (), sentence)
    reply = await ask_taught(context, EXTRACT, with_adapter(TAUGHT_TOKENS), text=sentence)
    triples: list[Part] = []
    unread: list[Dropped] = []
    for line in filter(None, map(tidy, reply.splitlines())):
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 3 and max(map(len, parts)) <= MAX_PART:
            triples.append(Part(subject=parts[0], relation=parts[1], object=parts[2]))
        elif line.rstrip(".").casefold() != NO_FACT:
            unread.append(Dropped(text=line[:SHOWN], reason=UNREADABLE))
    return _OfSentence(triples, unread, sentence)


async def _ask_short(context: SkillContext, title: str, before: str, sentence: str) -> _OfSentence:
    """The triples of a sentence; the title and the sentence before it say who “he” is."""
    known = f"{title}\n{before}\n{sentence}"
    try:
        reply = await context.structured(
            EXTRACT,
            SHORT,
            Facts,
            Sampling(temperature=0.0, max_tokens=SHORT_TOKENS),
            title=framed_line(title),
            before=framed_line(before),
            text=framed_line(sentence),
        )
    except UnusableReply:
        return _OfSentence((), (Dropped(text=sentence[:SHOWN], reason=UNREADABLE),), known)
    triples = [Part(subject=one, relation=how, object=other) for one, how, other in reply.facts]
    return _OfSentence(triples, (), known)


def _names_known(triple: Part, text: str) -> bool:
    """True if all words of subject and object are in a text; without blanks between words, if they are a part of it."""
    words = _words(_end(triple.subject)) | _words(_end(triple.object))
    return words <= _words(text) or (not_latin(text) and all(word in text.casefold() for word in words))


def _end(end: str | Part) -> str:
    return triple_text(end) if isinstance(end, Part) else " ".join(end.split())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
