"""Numbers in words, ordinals, dates and ranges in one way, whatever the way in which they were written.

“Twelve bells” has “12 bells”, “March 14, 1931” and “14. März 1931” are one date, “1931–54” is “from 1931 to 1954”, and
三人 is 3人. A date in digits whose day and month could be one another, “3/4/1874”, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from core.evaluation.marks import fold

_MONTHS = (
    "january february march april may june july august september october november december",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
)
MONTHS = {name: number for names in _MONTHS for number, name in enumerate(names.split(), 1)} | {"sept": 9}
"""Names of months in seven languages, in lower case, and which they are."""


_UNITS = str.split("zero one two three four five six seven eight nine")
_TEENS = str.split("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = str.split("twenty thirty forty fifty sixty seventy eighty ninety")
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_VALUES = (
    {word: value for value, word in enumerate([*_UNITS, *_TEENS])}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
    | {"a": 1}
)
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50,
    "hundredth": 100, **{f"{word}th": value for value, word in enumerate(_TEENS[3:], 13)},
}  # fmt: skip
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"


_UNIT = _any_of(_UNITS)
_SMALL = f"(?:{_any_of(_TENS)}(?:[- ]{_UNIT})?|{_any_of(_TEENS)}|{_UNIT})"
_BELOW_1000 = (
    f"(?:(?:{_UNIT}|a) hundred(?:(?: and)? {_SMALL})?|{_SMALL}|a(?= (?:thousand|million|billion)\\b))"
)
_NUMBER = re.compile(
    rf"\b{_BELOW_1000}(?: {_any_of(_SCALES)}(?:(?:,| and)? {_BELOW_1000})?)*\b(?!['-])", re.IGNORECASE
)
_ORDINAL = re.compile(
    rf"\b(?:(?P<tens>{_any_of(_TENS)})[- ])?(?P<last>{_any_of(_ORDINALS)})\b", re.IGNORECASE
)
_SUFFIXED = re.compile(r"(?<![\w.,])(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_PART = re.compile(
    rf"\b(?:(?P<many>\d{{1,3}}|a|one) (?P<part>{_any_of(_PARTS)})s?\b"
    r"|half(?= (?:of|the)\b|$)|(?:one|1) in (?P<every>\d{1,3})\b)",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(
    r"\ban? (?P<thing>[a-z]+) and a half\b|\b(?P<some>\d{1,9}|one) and a half\b", re.IGNORECASE
)
_HOURS = re.compile(
    r"\b(\d{1,4})\s?(?:h|hrs?|hours?),?(?: and)?\s?(\d{1,2})\s?(?:m|min|mins|minutes?)\b", re.IGNORECASE
)

_MONTH = _any_of(MONTHS)
_DAY = r"(?<![\w.,/-])\d{1,2}"
_DATES = (
    re.compile(
        rf"(?P<d>{_DAY})(?:th|st|nd|rd|er|º|\.)?(?: of| de)? ?(?P<m>{_MONTH})\b\.?,?(?: del?)?(?: (?P<y>\d{{4}})\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<m>{_MONTH})\b\.? (?:the )?(?P<d>\d{{1,2}})(?:th|st|nd|rd)?(?![\w-])(?:,? (?P<y>\d{{4}})\b)?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\d.,/-])(?P<y>\d{4})(?P<mark>[-./])\s?(?P<m>\d{1,2})(?P=mark)\s?(?P<d>\d{1,2})(?![\d/-])\.?"),
    re.compile(r"(?<![\d.,/-])(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日号일]"),
    re.compile(r"(?<![\d.,/-])(?P<d>\d{1,2})(?P<mark>[-./])(?P<m>\d{1,2})(?P=mark)(?P<y>\d{4})(?![\d/-])"),
)  # fmt: skip
AMBIGUOUS = re.compile(r"(?<![\d.,/-])\d{1,2}([-./])\d{1,2}\1\d{4}(?![\d/-])")
"""A date in digits whose day and month could be one another, once `plain_wording` has passed over it."""
_LONGEST_MONTH = 31
_END = r"\d{1,9}(?:[.,]\d{1,9})?"
_RANGE = re.compile(
    rf"(?:\bfrom )?(?<![\w.,/-])(?P<a>{_END})(?: ?[-~] ?| (?:to|until|till|through) )(?P<b>{_END})(?![\d/-])"
    rf"|\bbetween (?P<c>{_END}) and (?P<d>{_END})(?![\d/-])"
    rf"|(?<![\d.,/-])(?P<e>{_END})[年년]?(?:から|부터|至|到)\s?(?P<f>{_END})[年년]?(?:まで|까지)?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<![\w.,] )(?<![\w.,])(\d{1,3}) (\d{3})(?= [^\W\d])")

_HAN = dict(zip("〇零一二两兩三四五六七八九", (0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_HAN_STEPS = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN_COUNTED = (
    "人名个個隻只艘艇本枚匹頭头台年月日歳岁歲回次つ件座条條张張间間戸户票円元米世位号號倍階层層時时分秒度章"
)
_HAN_NUMBER = re.compile(
    rf"(?P<han>[{''.join(_HAN)}十百千万萬亿億]{{1,16}})(?=(?P<counted>[{_HAN_COUNTED}]|%|キロ|メートル|ドル|公里|公斤)?)"
)
_KOREAN = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7,
    "여덟": 8, "아홉": 9,
}  # fmt: skip
_KOREAN_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_KOREAN_COUNTED = (
    "명|척|개|마리|살|번|대|곳|권|시간|사람|가지|채|그루|달|잔|병|장|분|해|벌|송이|곡|편|차례|군데"
)
_KOREAN_NUMBER = re.compile(
    rf"(?<![가-힣])(?=[가-힣])(?P<tens>{_any_of(_KOREAN_TENS)})?(?P<unit>{_any_of(_KOREAN)})?(?=\s?(?:{_KOREAN_COUNTED}))"
)
_SINO = str.maketrans("영공일이삼사오육칠팔구십백천만억", "零零一二三四五六七八九十百千万億")
_SINO_NUMBER = re.compile(
    rf"(?<![가-힣])[일이삼사오육칠팔구십백천만억]{{1,16}}(?=(?:년|세|층|미터|킬로|원|퍼센트|도|{_KOREAN_COUNTED})"
    rf"|\s(?:년|미터|킬로|원|퍼센트|명|개))"
)


@lru_cache(maxsize=4096)
def plain_wording(text: str) -> str:
    """A text with its numbers in digits, its ordinals as “13th”, its dates as year-month-day and its ranges as
    “A to B”. Other words stay."""
    text = fold(_THOUSANDS.sub(r"\1\2", text))
    for pattern in _DATES:
        text = pattern.sub(_date, text)
    text = _KOREAN_NUMBER.sub(_korean, text)
    text = _SINO_NUMBER.sub(lambda match: str(_han(match[0].translate(_SINO))), text)
    text = _HAN_NUMBER.sub(_from_han, text)
    text = _NUMBER.sub(lambda match: _number(match[0], text), text)
    text = _AND_A_HALF.sub(_half_more, text)
    text = _PART.sub(_part, text)
    text = _ORDINAL.sub(_ordinal, text)
    text = _HOURS.sub(lambda match: f"{60 * int(match[1]) + int(match[2])} minutes", text)
    for pattern in _DATES:  # once more: “the seventh of June” had no number before
        text = pattern.sub(_date, text)
    return _RANGE.sub(_range, _SUFFIXED.sub(r"\1th", text))


def _number(words: str, text: str) -> str:
    """An English number in words, in digits; “one” alone stays, since it often counts nothing."""
    if words.lower() == "one" and text.strip(" .").lower() != "one":
        return words
    total, current = 0, 0
    for word in re.findall("[a-z]+", words.lower()):
        if word in _SCALES:
            total, current = total + current * _SCALES[word], 0
        elif word == "hundred":
            current *= 100
        else:
            current += _VALUES.get(word, 0)
    return str(total + current)


def _ordinal(match: re.Match[str]) -> str:
    tens = _VALUES[match["tens"].lower()] if match["tens"] else 0
    last = _ORDINALS[match["last"].lower()]
    return match[0] if tens and last > len(_UNITS) else f"{tens + last}th"


def _half_more(match: re.Match[str]) -> str:
    if match["thing"]:
        return f"1.5 {match['thing']}"
    return f"{1 if match['some'].lower() == 'one' else match['some']}.5"


def _part(match: re.Match[str]) -> str:
    """A part in per cent where that is a whole number, else as a fraction."""
    many, whole = match["many"] or "1", match["every"]
    above = int(many) if many.isdigit() else 1
    below = int(whole) if whole else _PARTS[(match["part"] or "half").lower()]
    if not 0 < above < below:
        return match[0]
    return f"{above}/{below}" if 100 * above % below else f"{100 * above // below}%"


def _date(match: re.Match[str]) -> str:
    year, month, day = match["y"], MONTHS.get(match["m"].lower()) or int(match["m"]), int(match["d"])
    if match["m"].isdigit() and match.start("y") > match.start("m"):  # in digits, the year last
        if month != day and max(month, day) <= len(_MONTHS[0].split()):
            return match[0]
        month, day = min(month, day), max(month, day)
    if not (1 <= month <= len(_MONTHS[0].split()) and 1 <= day <= _LONGEST_MONTH):
        return match[0]
    return f" {year}-{month}-{day} " if year else f" m{month}d{day} "


def _range(match: re.Match[str]) -> str:
    first, last = (end for end in match.groups() if end)
    if len(first) == len("1931") and len(last) == len("54") and first.isdigit() and last.isdigit():
        last = first[:2] + last
    return f"{first} to {last}"


def _from_han(match: re.Match[str]) -> str:
    """A number in Chinese characters, in digits; a single one only where it counts something."""
    before = match.string[match.start() - 1 : match.start()]
    if len(match["han"]) == 1 and not (match["counted"] or before == "第"):
        return match[0]
    if match["han"][0] in _HAN_SCALES or before.isdigit():  # “5万”
        return match[0]
    return str(_han(match["han"]))


def _han(numerals: str) -> int:
    if all(numeral in _HAN for numeral in numerals):
        return int("".join(str(_HAN[numeral]) for numeral in numerals))
    total, below, last = 0, 0, 0
    for numeral in numerals:
        if numeral in _HAN:
            last = _HAN[numeral]
        elif numeral in _HAN_STEPS:
            below, last = below + (last or 1) * _HAN_STEPS[numeral], 0
        else:
            total, below, last = total + (below + last or 1) * _HAN_SCALES[numeral], 0, 0
    return total + below + last


def _korean(match: re.Match[str]) -> str:
    value = _KOREAN_TENS.get(match["tens"] or "", 0) + _KOREAN.get(match["unit"] or "", 0)
    return str(value) if value else match[0]
