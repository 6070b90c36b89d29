"""Judging answers by gold answers: by containment, by units, by yes and no, whatever the wording of
numbers, dates and lists; a refusal comes before all of them. What only may be right is left to a reader. Exact match
and F1 as they are published: `core.evaluation.words`.

Both definitions of hallucination: Sanmartin, "KG-RAG", arXiv 2405.12035, counts "I don't know" as one; we show it with
and without.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

from core.evaluation.choices import options_of, verdict_by_options
from core.evaluation.marks import NUMBER
from core.evaluation.quantities import is_other_unit, measures
from core.evaluation.wordings import AMBIGUOUS, plain_wording
from core.evaluation.words import NO, YES, asserts, holds, same, tokens, words
from core.retrieval.tokens import CJK, STOP_WORDS, word_set
from core.skills.refusals import abstains
from core.trace.artefacts import Answer

Verdict = Literal["right", "wrong", "refusal", "unclear"]
"""`unclear`: the words of the answer do not tell whether it is right."""

_DENIED = re.compile(r"no (one|answer|information|evidence|mention|passages?|documents?|sources?|sentence)\b")
"""Beginnings with “no” that are not the answer no."""


def verdict(answer: Answer, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer; without gold answers, `wrong` stands for everything that is no refusal.

    An answer is a refusal if its method says so, or else if its words do. Where there is no answer in few words, the
    whole text is judged.

    Args:
        gold: Right answers, each as good as another.
    """
    text = judged_text(answer)
    if answer.abstained or abstains(text, "" if answer.short else question):
        return "refusal"
    names = [target for target in gold if _bare_polarity(target) is None]
    options = options_of(question, names)
    if options is None or is_right(text, [target for target in gold if target not in names]):
        return _beside(text, gold, question)
    if options.rivals:
        return verdict_by_options(text, options)
    # The gold answer stands in the question by chance: “In which city is New York University?”
    if not is_right(text, gold, question):
        return _beside(text, gold, question)
    new = is_right(text, [target for target in names if not holds(question, target)])
    return "right" if new or answer.short else "unclear"


def _beside(text: str, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer where the question names no options; `unclear` where a reader has to decide."""
    if is_right(text, gold, question):
        return "right"
    unclear = any(
        may_be_right(text, target, question) if _bare_polarity(target) is None else polarity(text) is None
        for target in gold
    )
    return "unclear" if unclear else "wrong"


def judged_text(answer: Answer) -> str:
    """The text that is judged: the answer in few words where there is one, else its sentences without citations."""
    return answer.short.strip() or " ".join(answer.sentences) or answer.text


def is_right(text: str, gold: Sequence[str], question: str = "") -> bool:
    """True if an answer contains a gold answer, as whole words, in whatever wording of its numbers, dates and lists, or
    its number without the unit; a gold yes or no has to be its `polarity`. A list that the question names itself is no
    answer."""
    for target in gold:
        expected = _bare_polarity(target)
        if expected is not None:
            if polarity(text) == expected:
                return True
        elif (
            same(text, target)
            or any(
                asserts(ours, theirs) or measures(ours, theirs)
                for ours, theirs in ((text, target), (plain_wording(text), plain_wording(target)))
            )
            or is_same_name(text, target)
            or has_all_items(text, target, question)
        ):
            return True
    return False


def polarity(text: str) -> bool | None:
    """True if an answer says yes, False if it says no, by its first or its last word; None: neither."""
    terms = words(text, " ")
    if not terms or _DENIED.match(" ".join(terms)):
        return None
    clauses = re.split(r"[\s,.;:!?、。，！？]+", unicodedata.normalize("NFKC", text).lower().strip())
    for candidate in (terms[0], clauses[0], terms[-1]):
        says_yes = _bare_polarity(candidate)
        if says_yes is not None:
            return says_yes
    return None


def _bare_polarity(text: str) -> bool | None:
    word = "".join(tokens(text))
    return True if word in YES else False if word in NO else None


# Wrong answers that a reader should look at: by their words they may be the right one, said otherwise. What shares no
# word and no number with the right answer is wrong; what leaves a part out, denies, spells otherwise, or has a word of
# it besides those of the question may be right. Numbers are told apart exactly: another one is wrong.

_ALIKE = 0.85
"""Share of letters from which two spellings are one name, as `SequenceMatcher.ratio` counts them."""
_SHORTEST = 3
"""Fewest letters of a word that tells something."""
_LONGEST = 60
"""Most letters of a spelling."""
_FEW = 12
"""Words up to which an answer is judged by single words: long ones have some word of everything."""
_COMMON = STOP_WORDS | word_set(
    "he she his her they we you i me my our who which what when where how has had have been were also both all any one "
    "two year years day days month months people man woman"
)
_TITLES = word_set(
    "dr doctor prof professor mr mrs ms miss sir dame lord lady captain capt president king queen saint st reverend "
    "rev herr frau monsieur madame"
)
_SEPARATOR = re.compile(r"[,;、，/·]|\b(?:and|or|und|oder|et|y|e)\b|\s&\s|(?<=[가-힣])(?:와|과|하고)\s")
_PLURAL = re.compile(r"\b(?:(?P<es>[a-z]+(?:[sxz]|[cs]h))es|(?P<s>[a-z]{2,}[a-rtv-z])s)\b")
_CAPITAL = re.compile(r"\b[A-Z][^\W\d_]*")
_TWO_NAMES = re.compile(r"\b(?=([A-Z][^\W\d_]*) ([A-Z][^\W\d_]+))")
"""Two words side by side with capital letters; pairs may share a word."""
_ORDERED = re.compile(
    r"\b(?:order|sequence|chronolog\w*|ranking|first to last)\b|순서|順番|顺序|順序", re.IGNORECASE
)


def has_all_items(text: str, gold: str, question: str) -> bool:
    """True if a right answer is a list, and an answer has all its items, in whatever order; not where the question asks
    for an order, or names them all itself."""
    items = [item for item in _SEPARATOR.split(gold) if tokens(item)]
    if len(items) < 2 or any(NUMBER.fullmatch(word) for word in tokens(gold)) or _ORDERED.search(question):
        return False
    return all(asserts(text, item) for item in items) and not all(holds(question, item) for item in items)


def is_same_name(text: str, gold: str) -> bool:
    """True if an answer has the right answer but for its title, the ending of a plural, or blanks."""
    joined = ["".join(tokens(name)) for name in (text, gold)]
    if joined[0] == joined[1] and not any(char.isdigit() for char in joined[0]):
        return True
    bare = [word for word in tokens(gold, " ") if word not in _TITLES]
    if len(bare) > 1 and len(bare) < len(tokens(gold, " ")) and asserts(text, " ".join(bare)):
        return True
    return gold == gold.lower() and asserts(_singular(text), _singular(gold))


def may_be_right(text: str, gold: str, question: str) -> bool:
    """True if a reader should look at an answer that is not right by its words.

    Args:
        text: The answer, without citation marks.
        gold: A right answer that is no yes or no.
        question: Its words tell nothing about an answer.
    """
    if is_other_unit(text, gold) or is_other_unit(plain_wording(text), plain_wording(gold)):
        return False
    if _is_another_person(text, gold):
        return False
    if (
        holds(text, gold)
        or holds(plain_wording(text), plain_wording(gold))
        or AMBIGUOUS.search(plain_wording(text))
    ):
        return True
    question_words = set(tokens(_singular(question), " "))
    answer_words, gold_words = _telling(text, question_words), _telling(gold, question_words)
    if answer_words and answer_words <= gold_words:
        return True
    answer_words = _telling(plain_wording(text), question_words)
    gold_words = _telling(plain_wording(gold), question_words)
    if len(gold_words) > 1 and gold_words <= answer_words:
        return True
    numbers = {word for word in gold_words if NUMBER.fullmatch(word)}
    if numbers:
        return len(numbers) > 1 and numbers <= answer_words
    shared = answer_words & gold_words or _share_characters(text, gold, question)
    return bool(shared and len(tokens(text)) <= _FEW) or _spelt_alike(text, gold)


def _is_another_person(text: str, gold: str) -> bool:
    """True if a right answer is a first name and a family name, and an answer has one of them with another name beside
    it: “Imre Dacre” for “Anna Dacre”. An initial or a title is none."""
    names = [word for word in _CAPITAL.findall(gold) if word.lower() not in _TITLES]
    if len(names) < 2 or len(names) != len([w for w in tokens(gold, " ") if w not in _TITLES]):
        return False
    first, last = names[0], names[-1]
    return any(
        (end == last and begin not in names) or (begin == first and end not in names)
        for begin, end in _TWO_NAMES.findall(text)
        if begin.lower() not in _TITLES | _COMMON and len(begin) > 1
    )


def _telling(text: str, question_words: set[str]) -> set[str]:
    """The words and numbers of a text that say something that the question does not."""
    return {
        word
        for word in tokens(_singular(text), " ")
        if word not in question_words
        and (
            NUMBER.fullmatch(word)
            or (len(word) >= _SHORTEST and not CJK.match(word) and word not in _COMMON | _TITLES)
        )
    }


def _share_characters(text: str, gold: str, question: str) -> bool:
    """True if two neighbouring Chinese, Japanese or Korean characters of the right answer, which the question does not
    have, stand in an answer."""
    pairs = {run[at : at + 2] for run in CJK.findall(gold) for at in range(len(run) - 1)}
    return any(pair in text and pair not in question for pair in pairs)


def _spelt_alike(text: str, gold: str) -> bool:
    ours, theirs = ("".join(tokens(name)) for name in (text, gold))
    if max(len(ours), len(theirs)) > _LONGEST or any(char.isdigit() for char in ours + theirs):
        return False
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _ALIKE


def _singular(text: str) -> str:
    """A text without the endings of the plural."""
    return _PLURAL.sub(lambda match: match["es"] or match["s"], text)
