"""Answering without a model: the sentence of the passages that fits a question best, word for word, or a value read off
a row of a table.

A value in the question says which row, its other words say which column. A row is a line of values behind the names of
their columns, see `core.corpora.rows`. Nothing is guessed: where two rows or two columns fit equally well and say
different things, no value is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress

from core.corpora.rows import row_cells
from core.corpora.sentence_spans import copied_sentences
from core.retrieval.tokens import tokens, word_set
from core.skills.base import Method, SkillContext
from core.skills.relevance import most_relevant
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage
from core.wording import words_beside

_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*|\d[\d.,]*\d")
_LISTS = words_beside(__file__)
_IRREGULAR: dict[str, str] = {
    form: base for base, forms in _LISTS["irregular"].items() for form in (base, *forms.split())
}
"""Forms that no stemmer brings together, also a doer with the deed: a closed list of plain English."""

_FUNCTION_WORDS = word_set(_LISTS["function_words"])
"""English words that carry grammar, not content."""


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """The stem of one word, irregular forms brought together; empty for function words."""
    lower = word.lower()
    if lower in _FUNCTION_WORDS:
        return ""
    return _IRREGULAR.get(lower) or (tokens(lower) or [lower])[0]


@lru_cache(maxsize=2048)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the content words of a text, in order; a possessive “’s” belongs to none."""
    words = (re.sub(r"(?<=.)['’]s$", "", word) for word in _WORD.findall(text))
    return tuple(filter(None, map(_stem, words)))


_ASKED = {asked: word_set(stems) for asked, stems in _LISTS["asked"].items()}
"""Beginning of a question -> stems of words in the names of columns that answer it."""
_HINT = 0.6
"""What such a word counts, beside 1 for a word of the question itself."""
_FIRST = 0.05
"""What the first such word of the question counts besides."""
_NAMED_FROM = 0.5
"""Share of the words of a column's name from which the question asks for it."""
_MOST_UNEXPLAINED = 1
"""Words of a question that neither row nor column explains, as “lie” in “In which city does it lie?”"""
_UNITS = re.compile(r"[(\[][^()\[\]]{0,20}[)\]]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class RowFact:
    """A value of a row."""

    value: str
    column: str
    line: str
    """The row, as it stands in the passage."""
    passage: Passage


@dataclass(frozen=True)
class _Row:
    """A row with a value that the question names."""

    line: str
    passage: Passage
    named: tuple[tuple[str, str], ...]
    """Names of columns and values that the question names."""
    others: tuple[tuple[str, str], ...]

    @cached_property
    def known(self) -> frozenset[str]:
        """Stems of the values that the question names."""
        return frozenset(stem for _, value in self.named for stem in stems(value))


def row_fact(question: str, passages: Sequence[Passage], without: Collection[str] = ()) -> RowFact | None:
    """The value that a question asks for, if a row of a table in the passages has it.

    Questions may be in any language; “when” or “how long” are understood in English only.
    """
    rows = [
        row
        for passage in passages
        for line in dict.fromkeys(map(str.strip, passage.text.splitlines()))
        if "|" in line and line not in without and (row := _row(line, passage, stems(question)))
    ]
    counts = Counter(stem for row in rows for stem in row.known)
    ranked = [
        # What names few rows says most about which row it is: a number of an order more than its state.
        (sum(1 / counts[stem] for stem in row.known), fit, fact)
        for row in rows
        for fit, fact in _facts(question, row)
    ]
    best = max((rank[:2] for rank in ranked), default=None)
    facts = [fact for *rank, fact in ranked if tuple(rank) == best]
    return facts[0] if len({fact.value for fact in facts}) == 1 else None


def _row(line: str, passage: Passage, wanted: Sequence[str]) -> _Row | None:
    cells = row_cells(line)
    named = [_is_named(value, wanted) for _, value in cells]
    if not any(named):
        return None
    return _Row(
        line, passage, *(tuple(compress(cells, chosen)) for chosen in (named, [not flag for flag in named]))
    )


def _facts(question: str, row: _Row) -> Iterator[tuple[float, RowFact]]:
    """The values whose column a question asks for, and how well its words name that column."""
    ordered = [stem for stem in stems(question) if stem not in row.known]
    rest, first = set(ordered), ordered[:1]
    rows = {stem for name, _ in row.named for stem in _name(name)}
    hints = _hints(question)
    for name, value in row.others:
        words = _name(name)
        unexplained = rest - words - rows - hints
        fit = (len(words & rest) + _HINT * len((words - rest) & hints)) / max(1, len(words))
        if fit >= _NAMED_FROM and len(unexplained) <= _MOST_UNEXPLAINED:
            # “Which carrier shipped it?” asks for the first of the two.
            yield (
                fit + _FIRST * any(stem in words for stem in first),
                RowFact(value, name, row.line, row.passage),
            )


def _is_named(value: str, wanted: Sequence[str]) -> bool:
    """True if a question names a value: all its words stand there together, and they are no small number."""
    own = stems(value)
    if not own or len(own) > len(wanted) or (len(own) == 1 and own[0].isdigit() and len(own[0]) < 3):
        return False
    return any(tuple(wanted[place : place + len(own)]) == own for place in range(len(wanted) - len(own) + 1))


def _name(name: str) -> set[str]:
    """Stems of a column's name, without its unit."""
    return set(stems(_CAMEL.sub(" ", _UNITS.sub("", name))))


def _hints(question: str) -> frozenset[str]:
    lowered = question.lower()
    return frozenset().union(
        *(stems_ for words, stems_ in _ASKED.items() if re.search(rf"\b{words}\b", lowered))
    )


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
    """Describe the method by which skills copy the best sentence.

    Args:
        beginning: What stands before how it works.
        ending: What it cannot do; empty: nothing more is said.
    """
    return Method(EXTRACTIVE, "The best sentence", f"{beginning} {EXTRACTS} {ending}".strip())


def no_answer(text: str, skill: str, method: str, note: str = "") -> Answer:
    """An answer that says in `text` that there is none."""
    return Answer(text=text, abstained=True, skill=skill, method=method, note=note)


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
