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
from core.evaluation.words import holds, place_of, tokens, word_set
from core.retrieval.tokens import CJK

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


_ASKING = word_set(
    "which who whom whose what when where how is are was were do does did has have had will would can could between of "
    "among either whether welcher welche welches wer wessen wann wo ist sind war waren hat haben zwischen"
)
_SHORTEST = 3
"""Fewest letters of a name that is cut out of a clause."""
_EARLY = word_set(
    "first earlier earliest older oldest elder eldest before früher älter zuerst 먼저 일찍 先 早"
)
_LATE = word_set(
    "later latest last younger youngest recent recently newer newest after später jünger zuletzt 나중 늦게 後 遅 晚"
)
_MORE = word_set(
    "more most less least larger largest bigger biggest smaller smallest longer longest shorter shortest higher "
    "highest lower taller tallest closer better best worse fewer"
)
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
_LEADING = word_set(
    "film movie song it is was that this answer would be der die das ist antwort es 영화 映 画 电 影"
)
"""Words that may precede the option that an answer begins with."""
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
    """What the question compares by: `early`, `late`, or a word."""


def options_of(question: str, gold: Sequence[str]) -> Options | None:
    """The options of a question that names one of these right answers, each as good as another; else None."""
    return _options(question, tuple(gold))


@lru_cache(maxsize=4096)
def _options(question: str, gold: tuple[str, ...]) -> Options | None:
    named = [one for one in gold if holds(question, one)]
    if not named:
        return None
    rivals = tuple(
        dict.fromkeys(
            way
            for one in named
            for option in _others(question, one)
            for way in _ways(option)
            if not any(tokens(way) == tokens(right) for right in gold)
        )
    )
    rest = question
    for one in sorted((*named, *rivals), key=len):
        rest = re.sub(re.escape(one), " ", rest, flags=re.IGNORECASE)
    ways = tuple(dict.fromkeys(way for one in gold for way in _ways(one)))
    return Options(ways, rivals, _order(rest))


def verdict_by_options(text: str, options: Options) -> Chosen:
    """The verdict on an answer by its conclusion, else by the first sentence that names an option.

    The answer is right if this sentence names only the right option, and wrong if it names only another option or
    begins with one. Where it names both, the part before its reasons decides, or a comparison like that of the
    question (“A has … later than B”); any other answer is unclear.

    Args:
        text: An answer without citation marks.
        options: Options of the question, with at least one rival.
    """
    told = [one for one in sentences(text) if not one.endswith(("?", "？"))] or [text]
    ends = list(_SO.finditer(text))
    if ends and len(sides := _sides(text[ends[-1].end() :], options)) == 1:
        return _said(sides)
    naming = [one for one in told if any(_mentions(one, options))]
    if not naming:
        hinted = _peculiar(options.gold, options.rivals) & set(tokens(text, " "))
        return "unclear" if hinted or _POINTING.search(text) else "wrong"
    first, *later = naming
    found = _chosen_in(first, later, options)
    if found == "unclear":
        # The facts come first, and the choice behind them: “… in 1936. Full Moon High has the director born later.”
        deciding = [
            sides for one in later if len(sides := _sides(one, options)) == 1 and _same_order(one, options)
        ]
        if deciding and all(sides == deciding[0] for sides in deciding):
            return _said(deciding[0])
    return found


def _chosen_in(sentence: str, later: Sequence[str], options: Options) -> Chosen:
    """The verdict by the first sentence that names an option; `later` are the later ones that name one."""
    sides = _sides(sentence, options)
    if len(sides) == 1:
        # “A was directed by X. B was directed by Y.” names one after the other, and chooses none.
        others = {side for one in later for side in _sides(one, options)} - sides
        return "unclear" if others and not _decides(sentence, options) else _said(sides)
    opening = _REASON.split(sentence, maxsplit=1)[0]
    if len(own := _sides(opening, options)) == 1 and _decides(opening, options):
        return _said(own)
    if than := _THAN.search(sentence):
        own, other = _sides(sentence[: than.start()], options), _sides(sentence[than.end() :], options)
        if len(own) == 1 and own.isdisjoint(other):
            return _said(own) if _same_order(sentence, options) else "unclear"
    place, side = min(_mentions(sentence, options))
    begins = set(tokens(sentence, " ")[:place]) <= _LEADING and not _LESS_THAN.search(sentence)
    return "wrong" if sides and side == "rival" and begins else "unclear"


def _said(sides: set[Side]) -> Chosen:
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
    names: list[tuple[list[str], Side]] = [(tokens(one, " "), "gold") for one in options.gold]
    names += [(tokens(one, " "), "rival") for one in options.rivals]
    for name, side in sorted(names, key=lambda one: -len(one[0])):
        while (place := place_of(name, words)) is not None:
            words[place : place + len(name)] = [None] * len(name)
            yield place, side


def _decides(sentence: str, options: Options) -> bool:
    """True if a sentence that names a single option chooses it."""
    words: list[str | None] = list(tokens(sentence, " "))
    lengths = [len(tokens(one, " ")) for one in (*options.gold, *options.rivals) if holds(sentence, one)]
    return len(words) - max(lengths, default=0) < _FEW or _same_order(sentence, options)


def _same_order(sentence: str, options: Options) -> bool:
    """True if a sentence compares as the question does, and not the other way round."""
    own = _order(sentence)
    return bool(own & options.order) and not ({"early", "late"} <= own | options.order)


def _order(text: str) -> frozenset[str]:
    found = set(tokens(text, " ")) | {
        word for word in (*_EARLY, *_LATE) if not word.isascii() and word in text
    }
    orders = {name for name, words in (("early", _EARLY), ("late", _LATE)) if found & words}
    return frozenset(orders | (found & _MORE))


def _peculiar(gold: Sequence[str], rivals: Sequence[str]) -> set[str]:
    """Longer words that the right option alone has."""
    other = {word for one in rivals for word in tokens(one, " ")}
    return {word for one in gold for word in tokens(one, " ") if len(word) > _SHORTEST} - other


def _ways(option: str) -> Iterator[str]:
    """The spellings of an option: as it is, and without brackets behind it, as in “(1933 Film)”."""
    yield option.strip()
    bare = _BRACKETED.sub("", option).strip(_QUOTES)
    if tokens(bare):
        yield bare


def _others(question: str, gold: str) -> list[str]:
    """The rival options as they stand in the question; some also cut out of their clause."""
    words = re.findall(r"\w+", gold)
    where = re.search(r"[^\w]+".join(map(re.escape, words)), question, re.IGNORECASE)
    kinds = _OR if re.search(_OR, question) else _AND
    if where is None or not re.search(kinds, question):
        return []
    join = re.compile(f"(?:{kinds})|{_COMMA}")
    left, right = question[: where.start()], question[where.end() :].lstrip(_MARKS)
    found = [*_behind(_IN_BRACKETS.sub("", right).lstrip(_MARKS), join), *_before(left, join)]
    return [one for one in found if len(re.sub(r"\W", "", one)) >= min(_SHORTEST, len(gold))]


def _behind(text: str, join: re.Pattern[str]) -> Iterator[str]:
    """The options of a list that goes on behind the right one."""
    while between := join.match(text):
        text = text[between.end() :]
        end = min(one.start() for one in (join.search(text), _END.search(text)) if one)
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
    ends = [0, *(one.end() for one in join.finditer(text))]
    starts = [*(one.start() for one in join.finditer(text)), len(text)]
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
