"""Spans of a sentence that could be an answer: dates, numbers, names, quoted words, and runs of content words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from core.skills.spans.words import FUNCTION_WORDS, Word, word_set, words

Form = Literal["date", "year", "number", "measure", "name", "quoted", "run", "joined"]
"""`measure`: a number with its unit; `run`: content words one after the other; `joined`: two runs with “of” or “and”
between them."""

MOST_WORDS = 8
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_YEAR = r"(?:1[0-9]{3}|20[0-9]{2})"
_DATE = re.compile(
    rf"\b(?:(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:\s*,)?\s+{_YEAR}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\.?,?\s+{_YEAR}"
    rf"|(?:{_MONTHS})\s+{_YEAR}|(?:{_MONTHS})\s+\d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTHS})\b"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}|{_YEAR}s|{_YEAR}\s*[–-]\s*(?:{_YEAR}|\d{{2}})"
    r"|\d{1,4}\s+(?:BCE?|CE|AD)|AD\s+\d{1,4}"
    r"|(?:(?:early|late|mid)[ -])?(?:\d{1,2}(?:st|nd|rd|th)|[a-z]+th|first|second|third)\s+century(?:\s+BCE?)?)",
    re.ASCII,
)
_ONLY_YEAR = re.compile(rf"(?<![\d.,]){_YEAR}(?![\d]|[.,]\d)")
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|dozen|"
    "half|third|quarter|twice|once|none|zero"
)
_NUMBER = re.compile(
    rf"(?:[$€£¥]\s?)?(?<![\w.,])\d(?:[\d.,]*\d)?(?:\s?%|\s?percent\b|\s+per\s?cent\b)?(?:\s+(?:hundred|thousand|million|billion|trillion)\b)?"
    rf"|\b(?:{_NUMBER_WORDS})(?:[\s-](?:and\s+)?(?:{_NUMBER_WORDS}))*\b",
    re.IGNORECASE,
)
_QUALIFIED = re.compile(
    r"(?:\b(?:over|under|about|around|nearly|almost|approximately|roughly|every|each|only|between|up to"
    r"|(?:more|less|fewer) than|at (?:least|most)))\s+$",
    re.IGNORECASE,
)
_TWO_DATES = re.compile(rf"\b{_YEAR}\s+(?:and|to|until|or)\s+{_YEAR}\b")
_TWO_NUMBERS = re.compile(
    r"(?:[$€£¥]\s?)?(?<![\w.,])\d[\d.,]*\s?%?\s+(?:and|to|or)\s+(?:[$€£¥]\s?)?\d(?:[\d.,]*\d)?(?:\s?%|\s?°?C\b)?"
)
_QUOTED = re.compile(r"[\"“„«]\s*+([^\"“”„«»]{2,80}?)\s*[\"”“»]|(?<![\w])[‘']([A-Z][^'’]{2,60})[’'](?!\w)")
_INSIDE_NAMES = word_set(
    "of de da do dos das del della di du des la le les el al van von der den ter ten the and & bin ibn "
    "bint ben y af zu for in on at to st st. -"
)
_NOBILIARY = word_set(
    "de da do dos das del della di du des la le les el al van von der den ter ten bin ibn bint ben y af zu st"
)
_CJK_DATE = re.compile(
    r"(?:紀元前|기원전\s?|公元前)?\d{1,4}\s?[年년](?:\s?\d{1,2}\s?[月월])?(?:\s?\d{1,2}\s?[日일号])?|\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일号]"
    r"|\d{1,2}\s?세기|\d{1,2}世[紀纪]|[〇一二三四五六七八九十]{1,4}世[紀纪]|[一二三四五六七八九〇]{4}年"
)
_COUNTERS = (
    "平方公里|平方千米|平方メートル|제곱킬로미터|公里|千米|キロメートル|キロ|킬로미터|メートル|미터|米|미터|センチ|公斤|吨|トン|톤|グラム|그램|"
    "時間|小时|小時|시간|分間|分钟|分鐘|年間|年间|か月|ヶ月|个月|個月|개월|日間|週間|周|パーセント|퍼센트|ドル|달러|美元|ユーロ|유로|欧元|円|원|"
    "個|个|名|人|位|명|개|本|冊|册|권|台|대|座|条|條|種|种|종|次|回|번|회|倍|배|歳|岁|歲|살|층|階|层|天|件|건|家|所|곳|척|艘|마리|匹"
)
_CJK_NUMBER = re.compile(
    rf"(?<!\d)(?<![\d.,][.,])\d(?:[\d.,]*\d)?(?:\s?[%％]|\s?[万萬億亿千百만억천백조兆]{{0,2}}\s?(?:여\s?)?(?:{_COUNTERS}))"
    rf"|(?<![\d.,])\d(?:[\d.,]*\d)?(?!\s?[年월月日日년일号\d.,世세])[万萬億亿만억]?"
    rf"|(?<![一二三四五六七八九十百千两兩])[一二三四五六七八九十百千两兩]+(?:{_COUNTERS})"
)
_PAIRS: tuple[tuple[Form, re.Pattern[str]], ...] = (("date", _TWO_DATES), ("measure", _TWO_NUMBERS))


@dataclass(frozen=True)
class Candidate:
    """A span of a sentence that could be an answer."""

    text: str
    start: int
    """Place of its first character in the sentence."""
    end: int
    form: Form


def candidates(sentence: str) -> list[Candidate]:
    """All spans of an English sentence that could be an answer, each place once, in order."""
    found: dict[tuple[int, int], Candidate] = {}

    def add(start: int, end: int, form: Form) -> None:
        text = sentence[start:end]
        if text.strip() and (start, end) not in found:
            found[start, end] = Candidate(text, start, end, form)

    for match in _DATE.finditer(sentence):
        add(*match.span(), "date")
    dated = list(found)
    for match in _ONLY_YEAR.finditer(sentence):
        add(*match.span(), "year")
    for match in _QUOTED.finditer(sentence):
        group = 1 if match[1] else 2
        if len(match[group].split()) <= MOST_WORDS + 4:
            add(*match.span(group), "quoted")
    for form, pattern in _PAIRS:
        for match in pattern.finditer(sentence):
            add(*match.span(), form)
    split = words(sentence)
    for match in _NUMBER.finditer(sentence):
        if any(start <= match.start() < end for start, end in dated):
            continue
        add(*match.span(), "number")
        said = _QUALIFIED.search(sentence[: match.start()])
        for end in _unit_ends(split, match.end()):
            add(match.start(), end, "measure")
            if said:
                add(said.start(), end, "measure")
    for start, end in _names(split):
        if not _touches(dated, start, end):
            add(start, end, "name")
    for start, end, form in _runs(split):
        if not _touches(dated, start, end):
            add(start, end, form)
    return sorted(found.values(), key=lambda one: (one.start, one.end))


def _touches(dated: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a span is a piece of a date, or cuts one."""
    return any(start < stop and begin < end and not (start <= begin and stop <= end) for begin, stop in dated)


def dates_and_numbers(sentence: str, kind: Literal["date", "number"]) -> list[Candidate]:
    """Dates or numbers of a Korean, Japanese or Chinese sentence, in order."""
    pattern = _CJK_DATE if kind == "date" else _CJK_NUMBER
    form: Form = "date" if kind == "date" else "measure"
    return [Candidate(match[0].strip(), *match.span(), form) for match in pattern.finditer(sentence)]


def _unit_ends(split: tuple[Word, ...], after: int) -> list[int]:
    """Where a number ends with one, or two, of the content words behind it."""
    ends: list[int] = []
    for word in [one for one in split if one.start >= after][:3]:
        joins = word.lower in ("per", "of", "-")
        if not (word.is_content or joins) or (word.start - (ends[-1] if ends else after) > 1 and not ends):
            break
        if not joins:
            ends.append(word.end)
    return ends


def _names(split: tuple[Word, ...]) -> list[tuple[int, int]]:
    """Runs of capitalised words, with “of”, “van”, “the” inside; and their parts between those."""
    found: list[tuple[int, int]] = []
    place = 0
    while place < len(split):
        if not _capital(split[place]) or (split[place].lower in FUNCTION_WORDS):
            place += 1
            continue
        last = place
        parts = [[place, place]]
        ahead = place + 1
        while ahead < len(split):
            if _capital(split[ahead]) and split[ahead].lower not in FUNCTION_WORDS:
                if ahead == last + 1:
                    parts[-1][1] = ahead
                else:
                    parts.append([ahead, ahead])
                last = ahead
            elif split[ahead].text == "." and len(split[ahead - 1].text) <= 2 and ahead == last + 1:
                last = ahead
            elif split[ahead].text == "-" and ahead == last + 1:
                pass
            elif not (split[ahead].lower in _INSIDE_NAMES and ahead - last <= 2):
                break
            ahead += 1
        end = split[last].end
        start = split[place].start
        # “de”, “van” before the first capital belong to the name: “the van der Berg family” is rare enough.
        found.append((start, end))
        if parts[-1][1] > parts[0][1]:
            found += [(split[first].start, split[final].end) for first, final in parts]
            for cut in range(1, len(parts)):
                found += [
                    (split[parts[0][0]].start, split[parts[cut - 1][1]].end),
                    (split[parts[cut][0]].start, split[parts[-1][1]].end),
                ]
        # Also a number that belongs to it: “Super Bowl 50”, “Route 66”.
        if last + 1 < len(split) and split[last + 1].text.isdigit() and split[last + 1].start - end == 1:
            found.append((start, split[last + 1].end))
        place = last + 1
    return list(dict.fromkeys(found))


def _capital(word: Word) -> bool:
    return word.text[0].isupper()


def _runs(split: tuple[Word, ...]) -> list[tuple[int, int, Form]]:
    """Runs of content words, shortened from either side, and pairs of them with “of”, “and” or “to” between."""
    runs: list[tuple[int, int]] = []
    begin: int | None = None
    for place, word in enumerate((*split, Word("|", 0, 0))):
        inside = word.is_content or (word.text in ("-", "'s", "’s", "&") and begin is not None)
        if inside and begin is None:
            begin = place
        elif not inside and begin is not None:
            runs.append((begin, place - 1))
            begin = None
    found: list[tuple[int, int, Form]] = []

    def add(first: int, last: int, form: Form) -> None:
        if 0 <= last - first < MOST_WORDS and split[first].is_word and split[last].is_word:
            found.append((split[first].start, split[last].end, form))

    for first, last in runs:
        for skip in range(min(4, last - first + 1)):
            for cut in range(min(4, last - first + 1 - skip)):
                add(first + skip, last - cut, "run")
    for (first, last), (then, final) in pairwise(runs):
        between = [word.lower for word in split[last + 1 : then]]
        if between and between[0] in ("of", "and", "to", "for", "in", "or") and len(between) <= 2:
            for skip in range(min(3, last - first + 1)):
                add(first + skip, final, "joined")
                if final - then:
                    add(first + skip, then, "joined")
    return found
