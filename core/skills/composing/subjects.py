"""What a passage, a sentence or a sub-answer is about: a fact counts only where its subject is certain.

That is a passage whose title is the subject's name, a sentence that begins with it, or the answer to a sub-question
that names it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.skills.composing.values import Amount, When
from core.skills.sentences import copied_sentences
from core.trace.artefacts import SubAnswer
from core.trace.passages import Passage

Value = When | Amount | frozenset[str] | str
"""A date, a number, countries, or a name or place as it is written."""

_CAPITAL = r"[^\W\da-z_][\w.'’‘-]*"
JOINING = "of|the|de|del|della|da|di|du|van|von|der|den|la|le|el|al|ibn|bin|y|e|dos"
"""Small words inside names."""
NAME = rf"{_CAPITAL}(?:(?:\s+(?:{_CAPITAL}|(?:{JOINING})(?=\s)))*\s+{_CAPITAL})?"
"""A run of capitalised words, as a pattern."""
LONGEST_QUESTION = 500
"""Characters; the rules know none that is longer, and some of their patterns take a time that grows with its square."""
SITE = re.compile(r"(?<!\s)\s+[–—|-]\s+\S.*$", re.DOTALL)
"""What a page's title says behind a dash."""
_BRACKET = re.compile(r"(?:(?<!\s)\s+)?\([^)]{0,200}\)\s*")


@dataclass(frozen=True)
class Fact:
    """One fact, with the words that say it."""

    value: Value
    words: str
    """As a step shows it."""
    quote: str
    """The sentence that says it, word for word."""
    chunk: str
    """Of the passage that holds it; empty: the answer to a sub-question that cites none."""


def folded(text: str) -> str:
    """Letters and digits of a name, without brackets, accents and case."""
    plain = unicodedata.normalize("NFKD", _BRACKET.sub(" ", text) or text)
    return " ".join(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)).casefold()))


def _whole(text: str) -> str:
    """Like `folded`, with what stands in brackets."""
    return folded(text.replace("(", " ").replace(")", " "))


def titled(subject: str, passages: Iterable[Passage]) -> list[Passage]:
    """The passages whose title is a name; where several are, those with the same words in brackets behind it.

    What follows a dash, as the name of a site does on a page, is no part of the title. Where none is the name, those of
    the only title that ends with it: “V. Ravichandran” for “Ravichandran”.
    """
    bare, whole = _plain(subject), _whole(subject)
    pool = [(one, SITE.sub("", one.title)) for one in passages]
    if not bare:
        return []
    if found := [(one, title) for one, title in pool if bare in (_plain(title), _plain(one.title))]:
        return [one for one, title in found if _whole(title) == whole] or [one for one, _ in found]
    longer = [one for one, title in pool if _plain(title).endswith(f" {bare}") and "," not in title]
    return longer if len({one.title for one in longer}) == 1 else []


def _plain(name: str) -> str:
    """Like `folded`, without an article before it."""
    return re.sub(r"^(?:the|an?) (?=\w)", "", folded(name))


def names(subject: str, text: str) -> bool:
    """Whether a text has all words of a name."""
    wanted = set(_plain(subject).split())
    return bool(wanted) and wanted <= set(folded(text).split())


def sentences_about(subject: str, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str]]:
    """The sentences of the passages about a subject, then those of others that begin with its name."""
    own, begins = titled(subject, passages), _plain(subject)
    for passage in own:
        for sentence in copied_sentences(passage.text):
            yield passage, sentence
    for passage in passages:
        if begins and passage not in own:
            for sentence in copied_sentences(passage.text):
                if f"{_plain(sentence)} ".startswith(f"{begins} "):
                    yield passage, sentence


def answers_about(subject: str, answers: Iterable[SubAnswer]) -> list[SubAnswer]:
    """The answers to the sub-questions that name a subject; none of those that abstain."""
    return [one for one in answers if not one.abstained and names(subject, f"{one.question} {one.searched}")]


def short_answer(question: str, searched: str, answers: Iterable[SubAnswer]) -> Fact | None:
    """The short answer to exactly this sub-question.

    Args:
        question: As it was listed, with its marks.
        searched: With the marks filled in.
    """
    wanted = {folded(question), folded(searched)}
    return next(
        (
            as_fact(one.short.rstrip("."), one)
            for one in answers
            if one.short and not one.abstained and wanted & {folded(one.question), folded(one.searched)}
        ),
        None,
    )


def sentence_for(question: str, searched: str, answers: Iterable[SubAnswer]) -> Fact | None:
    """Like `short_answer`, for an answer that is a sentence it cites."""
    wanted = {folded(question), folded(searched)}
    for one in answers:
        if one.citations and not one.abstained and wanted & {folded(one.question), folded(one.searched)}:
            return as_fact(one.citations[0].quote, one)
    return None


def as_fact(value: Value, answer: SubAnswer, words: str = "") -> Fact:
    """A value that a sub-answer gives, with what that answer cites."""
    cited = answer.citations[0] if answer.citations else None
    quote, chunk = (cited.quote, cited.chunk) if cited else (answer.text, "")
    return Fact(value, words or str(value), quote, chunk)
