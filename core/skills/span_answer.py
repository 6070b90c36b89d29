"""Answering without a model in as few words as it takes: the likeliest span, and the sentence that it stands in.

What a question asks for, which spans could be it, and how likely each is: see `core.skills.spans`. Where no span is
likely enough, the sentence is shown as it stands; where no sentence is either, the fact that is missing is named.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.skills.base import Method, SkillContext
from core.skills.copying import ABSTAIN_BELOW, EXTRACTIVE, EXTRACTS, digits_below, extract, no_answer
from core.skills.relevance import relevance, titled
from core.skills.row_answer import RowFact, row_fact
from core.skills.sentences import copied_sentences, not_latin
from core.skills.spans.deciding import SPAN_FROM, Decided, decide, decide_by_form
from core.skills.spans.features import Source
from core.skills.spans.missing import TRY, missing_fact
from core.skills.spans.wanted import TITLES, Wanted, wanted
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

SPAN = "span"
OFFLINE = (SPAN, EXTRACTIVE)
"""Keys of the methods that ask no model."""
SPANS = (
    "for who, when, where, how many, which and what: dates, numbers, names and other words of the sentences that "
    "fit best, weighed by what stands beside them. The likeliest is shown with its sentence; a sentence alone where "
    "no span is likely enough; and where no sentence is, the fact that is missing is named. Other questions "
    "get the best sentence. From a table, the value is read off the row and the column that the question names."
)
"""How the method works, for people."""


def span_method(beginning: str = "No model call:", ending: str = "It cannot combine passages.") -> Method:
    """How skills answer in few words without a model."""
    return Method(SPAN, "The likeliest words", f"{beginning} {SPANS} {ending}".strip())


def extractive_method(
    beginning: str = "No model call:", ending: str = "It cannot combine passages."
) -> Method:
    """How skills copy the best sentence."""
    return Method(EXTRACTIVE, "The best sentence", f"{beginning} {EXTRACTS} {ending}".strip())


async def offline_answer(
    context: SkillContext,
    method: str,
    question: str,
    passages: Sequence[Passage],
    *,
    skill: str,
    without: Collection[str] = (),
    span_from: float = SPAN_FROM,
) -> Answer:
    """An answer by one of the methods that ask no model.

    Args:
        context: Its embedder is used, its model is not.
        method: `SPAN` or `EXTRACTIVE`.
        passages: At least one.
        skill: Key of the skill that answers this way.
        without: Sentences that are left out.
        span_from: Trust from which a span is shown; the other method has none.

    Raises:
        ModelError: The embedding model fails.
    """
    if method == EXTRACTIVE:
        return await extract(context, question, passages, skill=skill, without=without)
    return await span_answer(context, question, passages, skill=skill, without=without, span_from=span_from)


async def span_answer(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    *,
    skill: str,
    without: Collection[str] = (),
    span_from: float = SPAN_FROM,
) -> Answer:
    """The likeliest span with its sentence, the sentence alone, or the name of the fact that is missing.

    Args and Raises: as of `offline_answer`.
    """
    if fact := row_fact(question, passages, without):
        return _read_off(fact, skill)
    asks = wanted(question)
    sources, places = await sources_of(context, question, passages, without)
    if not sources:
        return _missing(question, passages, skill, "They hold no sentence that was not shown already.")
    best = max(sources, key=lambda source: source.fit)
    if asks is None or not_latin(question):
        if best.fit < ABSTAIN_BELOW:
            note = f"Best sentence: fit {digits_below(best.fit, ABSTAIN_BELOW)}, below {ABSTAIN_BELOW}."
            return _missing(question, passages, skill, note)
        decided = (
            Decided("", best, best.fit) if asks is None else decide_by_form(asks, best, span_from=span_from)
        )
    else:
        decided = decide(question, asks, sources, span_from=span_from)
    if decided.sentence is None:
        note = (
            f"The likeliest words are not likely enough to be shown ({decided.trust:.2f})."
            if decided.trust
            else ""
        )
        return _missing(question, passages, skill, note)
    return _shown(decided, places[decided.sentence], asks, skill)


async def sources_of(
    context: SkillContext, question: str, passages: Sequence[Passage], without: Collection[str] = ()
) -> tuple[list[Source], dict[Source, Passage]]:
    """The sentences of passages with their relevance to a question, in order; and the passage of each.

    Args:
        without: Sentences that are left out.

    Raises:
        ModelError: The embedding model fails.
    """
    pool = [
        (number, passage, place, sentence)
        for number, passage in enumerate(passages)
        for place, sentence in enumerate(copied_sentences(passage.text, passage.title, passage.heading))
        if sentence not in without
    ]
    if not pool:
        return [], {}
    fits = await relevance(
        context, question, [titled(passage.title, sentence) for _, passage, _, sentence in pool]
    )
    sources = [
        Source(number, passage.title, place, sentence, float(fit))
        for (number, passage, place, sentence), fit in zip(pool, fits, strict=True)
    ]
    return sources, {source: one[1] for source, one in zip(sources, pool, strict=True)}


def _shown(decided: Decided, passage: Passage, asks: Wanted | None, skill: str) -> Answer:
    """The answer that shows a span with its sentence, or the sentence alone."""
    sentence = decided.sentence.text if decided.sentence else ""
    if decided.span:
        text = f"{decided.span} — “{sentence}”"
        note = (
            f"Found by rule, not written: the likeliest {TITLES[asks.kind] if asks else 'words'} in the sentences that "
            f"fit the question best (trust {decided.trust:.2f}). The sentence is there to check it by."
        )
    elif asks is None:
        text = sentence
        note = (
            "Copied, not written: the sentence of the passages that fits the question best in meaning and words "
            f"(fit {decided.trust:.2f}). It cannot combine passages."
        )
    else:
        text = sentence
        note = (
            f"Copied, not written: the sentence that most likely holds the answer ({decided.trust:.2f}); which of its "
            "words are the answer was not clear enough to say."
        )
    return Answer(
        text=text,
        sentences=(text,),
        citations=(Citation(sentence=0, chunk=passage.chunk, quote=sentence),),
        short=decided.span,
        skill=skill,
        method=SPAN,
        note=note,
    )


def _read_off(fact: RowFact, skill: str) -> Answer:
    """The answer that shows a value with the row that it stands in."""
    text = f"{fact.value} — “{fact.line}”"
    return Answer(
        text=text,
        sentences=(text,),
        citations=(Citation(sentence=0, chunk=fact.passage.chunk, quote=fact.line),),
        short=fact.value,
        skill=skill,
        method=SPAN,
        note=f"Read by rule from a table: “{fact.column}” of the row that the question names. The row is there to "
        "check it by.",
    )


def _missing(question: str, passages: Sequence[Passage], skill: str, note: str) -> Answer:
    """The answer that names the fact which is not there, and what to try."""
    text = missing_fact(question, wanted(question), len(passages))
    return no_answer(text, skill, SPAN, f"{note} {TRY}".strip())
