"""Numbers and names whose marks belong to them: “3.14” is not “314”, nor “-5” “5”, nor “C++” “C”.

A number is written in one way, whatever the way it was typed: “1,000”, “1'000” and “1.000.000,5” by the rules of their
languages, “5 million” and “5万” in digits. A single point before three digits is a decimal point, unless they are all
zeros: nobody writes “1.000” for 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

SYMBOLS = frozenset("%‰€$£¥₩₹°")
"""Signs of units; a number that has none may be meant with one."""
NUMBER = re.compile(r"[-±<>≤≥]?\d[\d.,:/^×*+-]*")
"""A number as `parts` writes it."""

_FOLDED = str.maketrans(
    {
        **dict.fromkeys("−‐‑‒–﹣", "-"),
        **dict.fromkeys("’‘ʼ", "'"),
        "⁄": "/",
        "∕": "/",
        "٫": ".",
        "٬": ",",
        "♯": "#",
    }
)
_POWER = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MIXED = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_SPACED = re.compile(
    r"(?<![\d.,])\d{1,3}(?:(?:[\u00a0\u2009\u202f]\d{3})+|(?: \d{3}){2,})(?![ \d])|^\d{1,3} \d{3}$"
)
"""Thousands with blanks between: narrow ones, or several, or nothing else."""
_HALF_DAY = re.compile(r"(?<=\d)\s?([ap])\.?m\b\.?", re.IGNORECASE)
_MINUS = re.compile(r"(?<!\w)(?<!\d\s)(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_WORLD_DIGIT = re.compile(r"[^\W\x00-\x7f]")

_LETTER = "A-Za-z\u00c0-\u052f"
_MAGNITUDES = {
    "hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "mio": 6, "mrd": 9, "tausend": 3,
    "millionen": 6, "milliarde": 9, "milliarden": 9, "millions": 6, "milliard": 9, "milliards": 9, "millones": 6,
    "millón": 6, "mille": 3, "mil": 3, "mn": 6, "bn": 9, "tn": 12, "k": 3, "m": 6, "b": 9,
    "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12, "백": 2, "천": 3, "만": 4, "억": 8, "조": 12,
}  # fmt: skip
_LONG = "|".join(sorted((word for word in _MAGNITUDES if len(word) > 2), key=len, reverse=True))
_MONEY = r"(?:US|AU|A|CA|C|NZ|HK|S)?\$|[€£¥₩₹]"
_RATE = "(?:[kcm]?m|mi|ft|k?g|mg|m?l|[kMGT]?(?:Wh?|B|bit))/[A-Za-z]+\\d?"
_UNIT = "[kcmnµ]?m[23]?|[kmµ]?g|m?l|min|h|ha|ft|mph|kph|kmh|[kMGT]?Wh?|[kMG]?Hz|[kMGT]B|lbs?|oz|yrs?|[CF]"
_MARKED = re.compile(
    rf"""
    (?P<name>
        (?<![\w*])[{_LETTER}][{_LETTER}\d]*(?:\+\+|[+\#](?!\w))             # C++, C#, A+, Canal+
      | (?<!\w)[{_LETTER}]+\d+(?:[.,:/]\d+)+                                # v1.2
      | (?<![\w*-])(?:[A-FO]|AB)-(?![\w-]) | (?<![\w*])[A-Z]\*(?![\w*])     # A-, A*
      | (?<![^\s("'“‘\[/«])\.(?=[A-Za-z]{{2}})[A-Za-z]+                     # .NET
    )
    | (?P<sign>(?<![^\s(\[{{"'“‘«=:])(?<!\d\s)[-±<>≤≥])?
      (?<![{_LETTER}\d])(?:(?P<money>{_MONEY})\ ?)?(?P<minus>(?<=[$€£¥₩₹])-)?
      (?P<body>(?:(?<![\w.])\.)?\d+(?:[.,:/'^×*~+-]\d+)*)
      (?:(?P<short>(?:[kKmMbB]|mn|bn|tn)\b)|\ ?(?P<far>[百千万萬亿億兆백천만억조]{{1,3}}|(?i:{_LONG})\b))?
      (?:\ ?(?P<symbol>[€£¥₩₹$%‰]|°(?:\ ?[CFK]\b)?)|\ ?(?P<rate>{_RATE})(?!\w)
        |(?P<unit>(?:{_UNIT})\b)|(?P<more>\+)(?!\w))?
    """,
    re.VERBOSE,
)


def fold(text: str) -> str:
    """A text in compatibility form, with one dash, one apostrophe and one kind of digits; its case stays."""
    text = _MIXED.sub(" ", _POWER.sub(lambda power: "^" + power[0], text))
    text = _SPACED.sub(lambda number: re.sub(r"\s", "", number[0]), text)
    text = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    text = _WORLD_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0], digit[0])), text)
    return _MINUS.sub("-", _HALF_DAY.sub(r" \1m", text))


def parts(text: str, mark: str) -> Iterator[tuple[str, bool]]:
    """The parts of a folded text, each with whether its marks belong to it. `mark` stands for other punctuation; with a
    blank, years and long codes are cut at their hyphens."""
    at = 0
    for match in _MARKED.finditer(text):
        yield text[at : match.start()], False
        yield match["name"] or _number(match, mark), True
        at = match.end()
    yield text[at:], False


def _number(match: re.Match[str], mark: str) -> str:
    """A number with its sign, and behind a blank what it counts."""
    body = _value(match["body"], mark)
    far, short = match["far"] or "", match["short"] or ""
    unit = match["unit"] or ""
    if short and not match["money"] and short.lower() not in ("mn", "bn", "tn"):
        far, unit = "", short  # “5m” without a currency
    else:
        far = far or short
    if far:
        body = _scaled(body, far.lower())
    sign = match["sign"] or match["minus"] or ""
    money = (match["money"] or "")[-1:]
    behind = match["symbol"] or match["rate"] or unit or money
    return f"{sign}{body}{match['more'] or ''}" + (f" {behind.replace(' ', '')} " if behind else "")


def _scaled(value: str, magnitude: str) -> str:
    """A number times what follows it, in digits."""
    steps = [magnitude] if magnitude in _MAGNITUDES else list(magnitude)
    try:
        return f"{(Decimal(value) * 10 ** sum(_MAGNITUDES[step] for step in steps)).normalize():f}"
    except ArithmeticError:
        return f"{value} {magnitude}"


def _value(body: str, mark: str) -> str:
    """A number in the one way in which it is compared."""
    body = f"0{body}" if body.startswith(".") else body
    if date := re.fullmatch(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})|(\d{4})[./-](\d{1,2})[./-](\d{1,2})", body):
        return "-".join(part.lstrip("0") for part in date.groups() if part)
    if re.fullmatch(r"[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?", body):
        body = body.replace("'", "").replace(",", ".") if "'" in body else body.replace(",", "")
    elif re.fullmatch(r"[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}|\.000)", body):
        body = body.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d+", body):
        body = body.replace(",", ".")
    if re.fullmatch(r"\d+\.0+", body):
        return body.split(".")[0]
    if re.fullmatch(r"\d+(?:\.\d+)?", body):
        return body
    if "~" in body or "-" in body:
        return _range(re.split("[-~]", body), mark)
    return re.sub("[',]", " ", body)


def _range(ends: list[str], mark: str) -> str:
    """Numbers with hyphens between: a span of years and a long code are read as one word and, with blanks, as
    several; a score stays one."""
    long = sum(len(end) for end in ends) > 6 or (len(ends) == 2 and [len(end) for end in ends] == [4, 2])
    return (mark if long else "-").join(_value(end, mark) for end in ends)
