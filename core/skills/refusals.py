"""Recognising a refusal by its words, in English, German, Korean, Japanese and Chinese.

A fallback for answers that do not say it as a fact (`Answer.abstained`): models refuse in their own words. What counts
is where the words stand. A text that begins with them has no answer. One that gives something first and says then
that something is missing has none either if it takes back what it gave, or if the missing thing is what was asked;
else it is an answer with a remark: “Full Moon High [1]. The passages do not say where he lived.”
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Literal, get_args

from core.corpora.sentence_spans import sentences
from core.retrieval.tokens import CJK, STOP_WORDS, tokens, word_set
from core.wording import words_beside

HINTS = re.compile(
    r"\b(?:no|n/?a\b|ne[ei]|un|can'?t|cannot|could|in[acs]|im|lack|miss|omit|fail|is silent|are silent|leave|sorry"
    r"|too|ni|kein|fehl|weder|reich|offen|open)|n't|[^\W\d_a-zà-ÿ]",
    re.IGNORECASE,
)
"""Something that each of the refusals begins or goes on with: without it, none has to be tried."""

Kind = Literal["outright", "missing"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@cache
def _lists() -> dict[str, Any]:
    return words_beside(__file__)


@cache
def refusal(kind: Kind) -> re.Pattern[str]:
    """The expressions of `refusals.toml` in all languages as one, compiled when they are first needed.

    Args:
        kind: `outright` says that the question itself stays open; `missing`, that something is missing: the answer, or
            something else.
    """
    words = _lists()
    joined = "|".join(expression for language in words[kind].values() for expression in language)
    return re.compile(
        re.sub(r"\{([A-Z]+)\}", lambda part: str(words["parts"][part[1]]), joined), re.IGNORECASE
    )


_MARK = re.compile(r"(?:(?<!\s)\s+)?\[\d{1,2}(?:\s*[,;–-]\s*\d{1,2})*\]")
_NOTHING_CITED = re.compile(r"\s*(?:\[0\]|NOT FOUND\b)")
"""How a text begins that was asked to begin so where it has no answer."""
_CLAUSES = re.compile(
    r"[;；]|:\s|\s[–—-]\s"
    r"|(?:,\s*|(?<!\s)\s+)(?=(?:but|yet|however|although|though|whereas|while|aber|jedoch|allerdings|doch|obwohl)\b)"
    r"|,\s*(?=(?:and|so|und)\s)"
    r"|(?<=지만)[,\s]+|(?<=으나)[,\s]+|(?<=는데)[,\s]+|(?<=が)[、,]|(?<=けれど)も?[、,]?|[，,]?(?=但|不过|不過"
    r"|然而|可是)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\W*(?:but|however|yet|although|though|so|thus|therefore|hence|still|unfortunately|nevertheless|as a result"
    r"|aber|jedoch|allerdings|leider|daher|deshalb|somit"
    r"|그러나|하지만|그렇지만|다만|따라서|그래서|しかし|ただし|ですが|だが|でも|したがって|そのため|但|不过"
    r"|不過|然而|可是|因此|所以)",
    re.IGNORECASE,
)
"""Beginnings of a sentence that takes something back or draws a conclusion."""
_POLAR = re.compile(
    r"\W*(?:yes|no|ja|nein)\b|\W*(?:네|예|아니요|아니오|はい|いいえ)(?:\W|$)|\W*(?:是的|不是|否)(?:\W|$)",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"(?:(?<!\W)\W+)?(?:(?:the )?(?:short )?answer(?: is|:)|it(?:'s| is| was)|this is|that is|(?:he|she) is|they are"
    r"|(?:die )?antwort(?: ist|:)|(?:es|das|sie|er) ist|(?:정답|답변?)(?:은|:)|(?:答え|正解)(?:は|:)"
    r"|答案(?:是|:|：))\s*",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|did|do|can|could|will|would|may|might|must|should|says?|said"
    r"|states?|names?|mentions?|shows?|tells?|gives?|wrote|won|made|became|sang|came|went|found|began|took|got|led"
    r"|ist|sind|war|waren|hat|haben|wurde|wurden|wird|werden|kann|dass|sagt|sagen|nennt|nennen"
    r"|heißt|stammt|lebte|starb|kam|wuchs|aufwuchs|drehte|führte|[a-z]{2,}ed)\b"
)
"""Verbs as they are written within a sentence: a clause without a verb names something and states nothing."""
_MOST_WORDS, _MOST_CHARACTERS = 12, 28
"""Of a piece that only names something."""
_OTHER = re.compile(
    r"\b(?:other|others|either|both|latter|former|rest|second|it|this|these|those|them|anything|something|more"
    r"|beide\w*|andere\w*|dies\w*)\b",
    re.IGNORECASE,
)
"""What points back: where that is missing, the answer is."""
_TOO_COMMON = STOP_WORDS | word_set(
    "which what who whose whom how why does do did say says state states mention name give passage passages "
    "document documents source sources text texts context answer question information film has have was were are"
)
_KEPT = 4096
"""Texts whose verdict is kept: the answers of an evaluation are looked at again and again."""
_IN_FULL = 0.75
"""Share of a question's own words that a sentence has which answers in these words."""


@lru_cache(maxsize=_KEPT)
def abstains(text: str, question: str = "") -> bool:
    """True if a text has no answer and says so; an empty text counts as well.

    Args:
        text: An answer, with or without citation marks.
        question: What was asked; without it, a remark behind an answer counts only where it takes that back.
    """
    plain = _MARK.sub("", text).replace("’", "'").strip()
    if _NOTHING_CITED.match(text) or not any(char.isalnum() for char in plain):
        return True
    first, *later = _from_first_statement(plain)
    opening, *more = _clauses(first)
    if _refuses(opening):
        return True
    if _POLAR.match(opening):
        return False
    named = _named(opening)
    if named is not None:
        # It is given: only the asked thing itself can still be missing, as in “Elton John; birth place not stated.”
        chosen = bool(question) and set(tokens(named)) <= set(tokens(question))
        return not chosen and any(
            _shared_words(sentence, question) > 1 for sentence in [*more, *later] if _refuses(sentence)
        )
    if question and _in_full(opening, question):
        return False
    # “The passages say that …, but not where”: only the whole sentence says what is missing.
    rest = more if any(map(_refuses, more)) else [first]
    turned = [*rest, *(sentence for sentence in later if _TURNS.match(sentence))]
    if any(refusal("outright").search(sentence) for sentence in [*more, *later]):
        return True
    if any(_refuses(sentence) and (not question or _open(sentence, question)) for sentence in turned):
        return True
    return bool(question) and any(
        _refuses(sentence) and _shared_words(sentence, question, first) for sentence in later
    )


def _from_first_statement(text: str) -> list[str]:
    """Return the sentences from the first that is no question: an answer may begin with what was asked."""
    parts = sentences(text)
    place = next((place for place, part in enumerate(parts) if not part.endswith(("?", "？"))), 0)
    return parts[place:] or [text]


@lru_cache(maxsize=_KEPT)
def _refuses(text: str) -> bool:
    return bool(HINTS.search(text) and (refusal("outright").search(text) or refusal("missing").search(text)))


def _clauses(sentence: str) -> list[str]:
    return [part.strip() for part in _CLAUSES.split(sentence) if part and part.strip()] or [sentence]


def _named(piece: str) -> str | None:
    """The name that a piece without a verb gives; None: it is a statement."""
    bare = _LEAD_IN.sub("", piece, count=1)
    if CJK.search(bare):
        whole = re.search(
            r"[은는]\s|は|(?<!입니)(?<!이)다\W*$|지만$|(?:ます|た|が|けれど)\W*$|[是在了有于於被]", bare
        )
        if whole or len(bare) > _MOST_CHARACTERS:
            return None
        return re.sub(r"(?:입니다|이다|です|だ)\W*$", "", bare)
    return None if _VERB.search(bare) or len(bare.split()) > _MOST_WORDS else bare


def _open(remark: str, question: str) -> bool:
    """True if the thing that a remark misses leaves the question open."""
    return bool(_shared_words(remark, question) or _OTHER.search(remark) or CJK.search(remark))


def _shared_words(remark: str, question: str, known: str = "") -> int:
    """Count the things that a question asks for and a remark names. Where words cannot be told from names, what is
    known, since it was said before, is not missing."""
    if CJK.search(remark):
        both = set(tokens(remark)) & set(tokens(question)) - set(tokens(known))
        return len(both) // 2
    return len(_words(remark) & _words(question))


def _words(text: str) -> set[str]:
    """The kinds or stems of the words that are no names."""
    kinds: set[str] = set()
    for word in re.findall(r"[^\W\d_]+", re.sub(r"^\W*\w", lambda first: first[0].lower(), text)):
        if word.islower() and len(word) > 2 and word not in _TOO_COMMON:
            kinds |= _kinds(word) or set(tokens(word))
    return kinds


@lru_cache(maxsize=_KEPT)
def _kinds(word: str) -> frozenset[str]:
    return frozenset(kind for kind, words in _lists()["kinds"].items() if word in words.split())


def _in_full(sentence: str, question: str) -> bool:
    """True if a sentence answers in the words of the question, all that compare among them."""
    wanted = _words(question)
    own = _words(sentence)
    time = "time" in wanted
    return len(wanted) > 1 and len(wanted & own) >= _IN_FULL * len(wanted) and ("time" in own or not time)
