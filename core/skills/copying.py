"""Answering without a model: the sentence of the passages that fits a question best, word for word."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.skills.base import Method, Skill, SkillContext
from core.skills.relevance import most_relevant
from core.skills.row_answer import RowFact, row_fact
from core.skills.sentences import copied_sentences
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

EXTRACTIVE = "extractive"
ABSTAIN_BELOW = 0.47
"""Relevance, see `core.skills.relevance`, that the best sentence must have for the extractive method to answer;
measured by `research.skills` for the built-in embeddings."""
EXTRACTS = (
    "the sentence that fits the question best, word for word: two thirds nearness in meaning, with its title before "
    f"it, and one third the share of the question's words; no answer below {ABSTAIN_BELOW}. From a table, the value is "
    "read off the row and the column that the question names."
)
"""How the extractive method works, for people."""
TRY = (
    "Try another retriever, more passages, or a strategy that searches again: the fact may stand in a passage that was "
    "not found."
)
NOTHING_RETRIEVED = "No passage was retrieved; the model was not asked."


def extractive_method(
    beginning: str = "No model call:", ending: str = "It cannot combine passages."
) -> Method:
    """How skills copy the best sentence.

    Args:
        beginning: What stands before how it works.
        ending: What it cannot do; empty: nothing more is said.
    """
    return Method(EXTRACTIVE, "The best sentence", f"{beginning} {EXTRACTS} {ending}".strip())


def no_answer(text: str, skill: str, method: str, note: str = "") -> Answer:
    """An answer that says in `text` that there is none."""
    return Answer(text=text, abstained=True, skill=skill, method=method, note=note)


def nothing_found(skill: Skill, method: str) -> Answer:
    """The answer where there is no passage to answer from."""
    return no_answer(
        "Nothing was found, so there is nothing to answer from.", skill.key, method, NOTHING_RETRIEVED
    )


def digits_below(value: float, limit: float) -> str:
    """A value under a limit in as many digits, two at least, as tell the two apart."""
    return next((text for digits in range(2, 7) if float(text := f"{value:.{digits}f}") < limit), f"{value}")


async def extract(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    *,
    skill: str,
    without: Collection[str] = (),
) -> Answer:
    """The sentence of the passages that fits the question best, word for word; none below `ABSTAIN_BELOW`. Where a row
    of a table answers the question, it is that row, its value before it.

    Args:
        passages: At least one.
        context: Its embedder is used, its model is not.
        skill: Key of the skill that answers this way.
        without: Sentences that are left out.

    Raises:
        ModelError: The embedding model fails.
    """
    if fact := row_fact(question, passages, without):
        return _read_off(fact, skill)
    pool = [
        (passage, sentence)
        for passage in passages
        for sentence in copied_sentences(passage.text, passage.title, passage.heading)
        if sentence not in without
    ]
    if not pool:
        what = "was not shown already" if without else "could be an answer"
        text = f"The passages hold no sentence that {what}."
        return no_answer(text, skill, EXTRACTIVE, TRY)
    passage, sentence, fit = await most_relevant(context, question, pool)
    if fit < ABSTAIN_BELOW:
        text = "No sentence in these passages fits the question well enough to be an answer."
        note = f"Best sentence: fit {digits_below(fit, ABSTAIN_BELOW)}, below {ABSTAIN_BELOW}. {TRY}"
        return no_answer(text, skill, EXTRACTIVE, note)
    return Answer(
        text=sentence,
        sentences=(sentence,),
        citations=(Citation(sentence=0, chunk=passage.chunk, quote=sentence),),
        skill=skill,
        method=EXTRACTIVE,
        note="Copied, not written: the sentence of the passages that fits the question best in meaning and words "
        f"(fit {fit:.2f}). It cannot combine passages.",
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
        method=EXTRACTIVE,
        note=f"Read from a table, without a model: “{fact.column}” of the row that the question names. The row is "
        "there to check it by.",
    )
