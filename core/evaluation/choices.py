"""Questions that name their options (“…, A or B?”): the options, and the option that an answer chooses.

For these questions containment says nothing: an answer that repeats the question contains the right option too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.corpora.sentence_spans import sentences
from core.evaluation.words import holds, place_of, tokens
from core.retrieval.tokens import CJK, word_set
from core.wording import words_beside

Side = Literal["gold", "rival"]
Chosen = Literal["right", "wrong", "unclear"]

_OR = (
    r",?\s+(?:or|oder|ou|vs\.?|versus)\s+|\s*,?\s*(?:또는|아니면|혹은)\s*|、?(?:それとも|または|あるいは)、?"
    r"|还是|還是|或者?"
)
_AND = r",?\s+(?:and|und|et|y)\s+|(?:와|과|이랑|랑|하고)\s+|\s*[/／]\s*|と|和|与|與|跟"
_COMMA = r"\s*[,，、]\s*"
_END = re.compile(
    r"[?？!！;；：。]|:\s+(?=[a-z])|\.\s|(?<!\s)\s+(?:중|가운데)(?:에서?|의)?(?:\s|$)|(?:では|のうち|の中|、?どちら|、?どっち)|[，,]?哪|两|兩|$"
)
_START = re.compile(r"[?？!！;；:：。]|\.\s")
_MARKS = "“”„\"'‘’«»「」『』《》〈〉"
_QUOTES = f"{_MARKS} \t"
_BRACKETED = re.compile(r"(?:(?<!\s)\s+)?[(（][^()（）]*[)）]")
_IN_BRACKETS = re.compile(r"^\s*[(（][^()（）]*[)）]")


_LISTS = {name: word_set(words) for name, words in words_beside(__file__).items()}
_ASKING, _LEADING = _LISTS["asking"], _LISTS["leading"]
_EARLY, _LATE, _MORE = _LISTS["early"], _LISTS["late"], _LISTS["more"]
_SHORTEST = 3
"""Fewest letters of a name that is cut out of a clause."""
_THAN = re.compile(r"\b(?:than|als)\b", re.IGNORECASE)
_LESS_THAN = re.compile(r"보다|より")
"""Korean and Japanese for “than”: it follows the option that is less."""
_SO = re.compile(
    r"(?:^|[.,;:–—]\s*|\band\s+)(?:so|thus|therefore|hence|consequently|the answer is|answer:|daher|deshalb|somit"
    r"|also)\b|따라서|그러므로|그래서|정답은|したがって|よって|そのため|答えは|所以|因此|答案是",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[:;]\s|\s[–—-]\s|,?\s(?:because|since|as|whereas|while|weil|da|während|denn)\s", re.IGNORECASE
)
"""Words that the reasons follow."""
_NOT = ("not", "nicht", "neither", "nor", "rather than", "instead of", "statt")
_POINTING = re.compile(
    r"\b(?:the (?:latter|former|(?:first|second|other) (?:one|film|movie|person|of))|erstere\w*|letztere\w*)\b"
    r"|전자|후자|첫\s?번째|두\s?번째|前者|後者|后者",
    re.IGNORECASE,
)
_FEW = 5
"""Words beside an option that leave an answer nothing but this option."""


@dataclass(frozen=True)
class Options:
    """The options of a question."""

    gold: tuple[str, ...]
    """The right option, in all its spellings."""
    rivals: tuple[str, ...]
    """The other options, in all their spellings; empty: none was found, e.g. if the right answer is named by chance."""
    order: frozenset[str]
    """The orders that the question compares by: `early`, `late`, or a word."""


def options_of(question: str, gold: Sequence[str]) -> Options | None:
    """The options of a question that names one of these right answers, each as good as another; else None."""
    return _options(question, tuple(gold))


@lru_cache(maxsize=4096)
def _options(question: str, gold: tuple[str, ...]) -> Options | None:
    named_answers = [answer for answer in gold if holds(question, answer)]
    if not named_answers:
        return None
    rivals = tuple(
        dict.fromkeys(
            spelling
            for answer in named_answers
            for option in _rival_options(question, answer)
            for spelling in _spellings(option)
            if not any(tokens(spelling) == tokens(right) for right in gold)
        )
    )
    rest = question
    for option in sorted((*named_answers, *rivals), key=len):
        rest = re.sub(re.escape(option), " ", rest, flags=re.IGNORECASE)
    spellings = tuple(dict.fromkeys(spelling for answer in gold for spelling in _spellings(answer)))
    return Options(spellings, rivals, _order(rest))


def verdict_by_options(text: str, options: Options) -> Chosen:
    """The verdict on an answer by its conclusion, else by the first sentence that names an option.

    The answer is right if this sentence names only the right option, and wrong if it names only another option or
    begins with one. Where it names both, the part before its reasons decides, or a comparison like that of the
    question (“A has … later than B”); any other answer is unclear.

    Args:
        text: An answer without citation marks.
        options: Options of the question, with at least one rival.
    """
    statements = [sentence for sentence in sentences(text) if not sentence.endswith(("?", "？"))] or [text]
    ends = list(_SO.finditer(text))
    if ends and len(sides := _sides(text[ends[-1].end() :], options)) == 1:
        return _verdict_for(sides)
    naming = [sentence for sentence in statements if any(_mentions(sentence, options))]
    if not naming:
        hinted = _peculiar(options.gold, options.rivals) & set(tokens(text, " "))
        return "unclear" if hinted or _POINTING.search(text) else "wrong"
    first, *later = naming
    verdict = _verdict_by(first, later, options)
    if verdict == "unclear":
        # The facts come first, and the choice behind them: “… in 1936. Full Moon High has the director born later.”
        compared = [_sides(sentence, options) for sentence in later if _same_order(sentence, options)]
        deciding = [sides for sides in compared if len(sides) == 1]
        if deciding and all(sides == deciding[0] for sides in deciding):
            return _verdict_for(deciding[0])
    return verdict


def _verdict_by(sentence: str, later: Sequence[str], options: Options) -> Chosen:
    """The verdict by the first sentence that names an option; `later` are the later ones that name one."""
    sides = _sides(sentence, options)
    if len(sides) == 1:
        # “A was directed by X. B was directed by Y.” names one after the other, and chooses none.
        later_sides = {side for text in later for side in _sides(text, options)} - sides
        return "unclear" if later_sides and not _decides(sentence, options) else _verdict_for(sides)
    opening = _REASON.split(sentence, maxsplit=1)[0]
    if len(own := _sides(opening, options)) == 1 and _decides(opening, options):
        return _verdict_for(own)
    if than := _THAN.search(sentence):
        before, after = _sides(sentence[: than.start()], options), _sides(sentence[than.end() :], options)
        if len(before) == 1 and before.isdisjoint(after):
            return _verdict_for(before) if _same_order(sentence, options) else "unclear"
    place, side = min(_mentions(sentence, options))
    begins = set(tokens(sentence, " ")[:place]) <= _LEADING and not _LESS_THAN.search(sentence)
    return "wrong" if sides and side == "rival" and begins else "unclear"


def _verdict_for(sides: set[Side]) -> Chosen:
    return "right" if sides == {"gold"} else "wrong"


def _sides(text: str, options: Options) -> set[Side]:
    """The sides that a text names without denying them."""
    words = tokens(text, " ")
    return {
        side
        for place, side in _mentions(text, options)
        if not any(f" {' '.join(words[max(0, place - 2) : place])}".endswith(f" {no}") for no in _NOT)
    }


def _mentions(text: str, options: Options) -> Iterator[tuple[int, Side]]:
    """The word position of each option that is named; the longest names first, so that no words count twice."""
    words: list[str | None] = list(tokens(text, " "))
    names: list[tuple[list[str], Side]] = [(tokens(option, " "), "gold") for option in options.gold]
    names += [(tokens(option, " "), "rival") for option in options.rivals]
    for name, side in sorted(names, key=lambda pair: -len(pair[0])):
        while (place := place_of(name, words)) is not None:
            words[place : place + len(name)] = [None] * len(name)
            yield place, side


def _decides(sentence: str, options: Options) -> bool:
    """True if a sentence that names a single option chooses it."""
    names = [option for option in (*options.gold, *options.rivals) if holds(sentence, option)]
    beside = len(tokens(sentence, " ")) - max((len(tokens(name, " ")) for name in names), default=0)
    return beside < _FEW or _same_order(sentence, options)


def _same_order(sentence: str, options: Options) -> bool:
    """True if a sentence compares as the question does, and not the other way round."""
    own = _order(sentence)
    return bool(own & options.order) and not ({"early", "late"} <= own | options.order)


def _order(text: str) -> frozenset[str]:
    terms = set(tokens(text, " ")) | {
        word for word in (*_EARLY, *_LATE) if not word.isascii() and word in text
    }
    orders = {name for name, words in (("early", _EARLY), ("late", _LATE)) if terms & words}
    return frozenset(orders | (terms & _MORE))


def _peculiar(gold: Sequence[str], rivals: Sequence[str]) -> set[str]:
    """Longer words that the right option alone has."""
    rival_words = {word for option in rivals for word in tokens(option, " ")}
    return {word for option in gold for word in tokens(option, " ") if len(word) > _SHORTEST} - rival_words


def _spellings(option: str) -> Iterator[str]:
    """The spellings of an option: as it is, and without brackets behind it, as in “(1933 Film)”."""
    yield option.strip()
    bare = _BRACKETED.sub("", option).strip(_QUOTES)
    if tokens(bare):
        yield bare


def _rival_options(question: str, gold: str) -> list[str]:
    """The rival options as they stand in the question; some also cut out of their clause."""
    words = re.findall(r"\w+", gold)
    match = re.search(r"[^\w]+".join(map(re.escape, words)), question, re.IGNORECASE)
    kinds = _OR if re.search(_OR, question) else _AND
    if match is None or not re.search(kinds, question):
        return []
    join = re.compile(f"(?:{kinds})|{_COMMA}")
    left, right = question[: match.start()], question[match.end() :].lstrip(_MARKS)
    options = [*_behind(_IN_BRACKETS.sub("", right).lstrip(_MARKS), join), *_before(left, join)]
    return [option for option in options if len(re.sub(r"\W", "", option)) >= min(_SHORTEST, len(gold))]


def _behind(text: str, join: re.Pattern[str]) -> Iterator[str]:
    """The options of a list that goes on behind the right one."""
    while between := join.match(text):
        text = text[between.end() :]
        end = min(match.start() for match in (join.search(text), _END.search(text)) if match)
        option, text = text[:end].strip(_QUOTES), text[end:]
        if not option or option.split(" ")[0].lower() in _ASKING:
            return
        yield option
        while len(words := option.rsplit(maxsplit=1)) > 1 and "a" <= words[1][0] <= "z":
            option = words[0]
        yield option


def _before(text: str, join: re.Pattern[str]) -> Iterator[str]:
    """The options of a list that leads to the right one, from the last to the first."""
    text = _START.split(text)[-1]
    ends = [0, *(match.end() for match in join.finditer(text))]
    starts = [*(match.start() for match in join.finditer(text)), len(text)]
    *parts, last = [text[start:end] for start, end in zip(ends, starts, strict=True)]
    if last.strip(_QUOTES).lower() not in ("", "the", "a", "an"):
        return
    for place, option in enumerate(reversed(parts)):
        first, *words = option.strip(_QUOTES).split(" ")
        if first.lower() not in _ASKING:
            yield option.strip(_QUOTES)
            if CJK.search(first):  # “영화 A와 B”: the kind of thing may precede its name
                yield from (" ".join(words[cut:]) for cut in (0, 1) if words[cut:])
            continue
        # “Was A or B born first?”, but not “Which film is older, A or B?”
        comma = re.fullmatch(_COMMA, text[starts[-2 - place] : ends[-1 - place]])
        while words and not words[0].lstrip(_MARKS)[:1].isupper():
            words = words[1:]
        if words and not comma:
            yield " ".join(words).strip(_QUOTES)
        return
