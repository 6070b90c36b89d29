"""Right answers that are a number of something: an answer may leave the unit out, or write it otherwise.

“642” is right where the right answer is “642 metres”, and so is “642 m”; “642 feet” is not, nor is “640 metres”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

from core.evaluation.marks import NUMBER, SYMBOLS
from core.evaluation.wordings import MONTHS
from core.evaluation.words import tokens
from core.retrieval.tokens import CJK, word_set

_UNITS: dict[str, str] = {
    name: unit
    for unit, names in {
        "m": "metre meter mètre metro 米 公尺 미터 メートル",
        "km": "kilometre kilometer kilomètre kilómetro chilometro 公里 千米 킬로미터 キロメートル キロ",
        "cm": "centimetre centimeter centimètre centímetro 厘米 公分 센티미터 センチメートル センチ",
        "mm": "millimetre millimeter millimètre 毫米 밀리미터 ミリメートル ミリ",
        "mi": "mile meile",
        "ft": "foot feet fuß pied",
        "in": "inch inches zoll",
        "yd": "yard",
        "km2": "square-kilometre square-kilometer quadratkilometer sqkm sq-km 平方公里 平方千米 제곱킬로미터",
        "m2": "square-metre square-meter quadratmeter sqm sq-m 平方米 제곱미터 평방미터",
        "m3": "cubic-metre cubic-meter kubikmeter 立方米 세제곱미터",
        "ha": "hectare hektar",
        "kg": "kilogram kilogramme kilogramm kilo 公斤 千克 킬로그램 キログラム",
        "g": "gram gramme gramm 克 그램 グラム",
        "mg": "milligram milligramme milligramm",
        "t": "tonne ton 吨 噸 톤 トン",
        "lb": "lbs pound-weight",
        "oz": "ounce unze",
        "l": "litre liter 升 리터 リットル",
        "ml": "millilitre milliliter",
        "s": "sec second sekunde seconde segundo 秒 초",
        "min": "minute minuto 分 分钟 分鐘 분",
        "h": "hr hour stunde heure hora 小时 小時 時間 시간",
        "d": "day tag jour día 天 日 일",
        "week": "wk woche semaine semana 周 週間 주",
        "month": "monat mois mes 个月 ヶ月 か月 개월",
        "yr": "year-old year jahr an année año anno 年 岁 歲 歳 년 세 살",
        "km/h": "kmh kph kilometre-per-hour kilometer-per-hour km-per-hour km-h stundenkilometer",
        "m/s": "metre-per-second meter-per-second",
        "mph": "mile-per-hour mi/h",
        "kn": "knot knoten nœud nudo 节 節 노트 ノット",
        "°c": "c celsius degree-celsius degree-c degree-centigrade centigrade grad-celsius 摄氏度 ℃",
        "°f": "f fahrenheit degree-fahrenheit degree-f",
        "k": "kelvin",
        "°": "degree grad degré grado 度 도",
        "%": "percent per-cent pct prozent pour-cent por-ciento percentage 퍼센트 パーセント",
        "$": "dollar us-dollar usd 美元 달러 ドル",
        "€": "euro eur 欧元 유로 ユーロ",
        "£": "pound gbp pound-sterling 英镑 파운드 ポンド",
        "¥": "yen yuan jpy cny rmb 日元 元 円 엔 위안",
        "₩": "won krw 원 ウォン",
        "am": "",
        "pm": "",
    }.items()
    for name in (unit, *names.split())
}
_KINDS = tuple(
    dict(zip(units.split()[::2], units.split()[1::2], strict=True))
    for units in (
        "mm 1 cm 10 m 1000 km 1e6 in 25.4 ft 304.8 yd 914.4 mi 1609344",
        "mg 1 g 1000 kg 1e6 t 1e9 oz 28349.523125 lb 453592.37",
        "s 1 min 60 h 3600 d 86400 week 604800",
        "month 1 yr 12",
        "ml 1 l 1000",
        "m2 1 ha 1e4 km2 1e6",
        "m/s 3600 km/h 1000 mph 1609.344 kn 1852",
    )
)
"""Units of one kind, each with how much of the first it is, or of a common part; all by definition."""
_ABOUT = word_set(
    "about around approximately approx roughly circa c ca nearly almost some exactly precisely only just etwa "
    "rund ungefähr fast knapp environ presque unos unas circa 약 대략 約 约 大约 およそ in at on by the year ad ce im"
)
"""Words before a number that change nothing about it."""
_OPEN = word_set(
    "and or half quarter third of to than more less fewer over under per-cent hundred dozen score but not plus "
    "minus und oder halb bc bce et ou y o de times"
)
"""Words behind a number after which it is more, or less, than a number with a unit."""
_NO_UNIT = word_set(
    "is are was were and or but in on at above over below beneath from by high tall long wide deep old away as "
    "when which that it he she they for with there then so because since however now today in ist sind war waren "
    "und hoch lang です だ である でした 입니다 이다 였다 est sont es son"
)
"""Words that may follow a number that has no unit."""
_ENDING = re.compile("(?<=.)(?:です|だ|である|でした|입니다|이다|였다)$")
_MOST_WORDS = 3
"""Words of a unit that this file does not know."""
_CLAUSE = re.compile(r"[.;:!?,。，、！？\n](?=\s|$)|[。，、！？]")
_CASED_WORD = re.compile(r"[^\W\d_]+")
_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)\s+\W?\d")


@dataclass(frozen=True)
class _Quantity:
    number: str
    unit: str


def measures(text: str, gold: str) -> bool:
    """True if a right answer is a number with a unit, and an answer has as much of it, or has its number as the only
    one and without any unit."""
    quantity = _quantity(gold)
    if quantity is None:
        return False
    clauses = [_words(clause) for clause in _CLAUSE.split(text)]
    numbers = {word for words in clauses for word in words if NUMBER.fullmatch(word)}
    allowed = {quantity.unit, ""} if len(numbers) == 1 and not _is_name(text) else {quantity.unit}
    return any(
        (word == quantity.number and _unit_at(words, place) in allowed)
        or _as_much(_Quantity(word, _unit_at(words, place)), quantity)
        for words in clauses
        for place, word in enumerate(words)
        if NUMBER.fullmatch(word)
    )


def is_other_unit(text: str, gold: str) -> bool:
    """True if an answer and a right answer are numbers of two different units that are known: no reader need look."""
    ours, theirs = _quantity(text), _quantity(gold)
    units = {quantity.unit for quantity in (ours, theirs) if quantity and quantity.unit in _UNITS.values()}
    return len(units) > 1


def _as_much(ours: _Quantity, theirs: _Quantity) -> bool:
    """True if two quantities in different units are the same: “1200 m” and “1.2 km”."""
    for kind in _KINDS:
        if ours.unit in kind and theirs.unit in kind and ours.unit != theirs.unit:
            with suppress(ArithmeticError):
                first, second = (Decimal(q.number) * Decimal(kind[q.unit]) for q in (ours, theirs))
                return first == second
    return False


def _is_name(text: str) -> bool:
    """True if the first number of a text is part of a name: “Highway 42”."""
    before = _BEFORE.search(text)
    return before is not None and before[1][0].isupper() and before[1].lower() not in _ABOUT | _NO_UNIT


def _words(text: str) -> list[str]:
    """The words of a text, with a run of Chinese, Japanese or Korean as one."""
    words: list[str] = []
    for token in tokens(text, " "):
        if words and CJK.fullmatch(token) and CJK.fullmatch(words[-1]):
            words[-1] += token
        else:
            words.append(token)
    return words


def _quantity(gold: str) -> _Quantity | None:
    """The number and the unit of a right answer that is nothing else."""
    words = _words(gold)
    places = [place for place, word in enumerate(words) if NUMBER.fullmatch(word)]
    if len(places) != 1:
        return None
    (place,) = places
    before, behind = words[:place], words[place + 1 :]
    unit = _unit_at(words, place)
    if before and _unit(before) in SYMBOLS:
        before = []
    if not (before or behind) or not _ABOUT.issuperset(before):
        return None
    if behind and unit not in _UNITS.values():
        cased = _CASED_WORD.findall(gold)
        named = any(word != word.lower() for word in cased if word.lower() in behind)
        if named or len(behind) > _MOST_WORDS or not (_OPEN | MONTHS.keys()).isdisjoint(behind):
            return None
        if CJK.search(behind[0]) and len("".join(behind)) > _MOST_WORDS:
            return None
    return _Quantity(words[place], unit)


def _unit_at(words: Sequence[str], place: int) -> str:
    """The unit of the number at a place: its usual sign, or the word behind it; empty: it has none."""
    behind = list(words[place + 1 : place + 1 + _MOST_WORDS])
    for length in range(len(behind), 0, -1):
        if unit := _unit(behind[:length]):
            return unit
    if place and (unit := _unit(words[place - 1 : place])) in SYMBOLS and words[place - 1] != "pound":
        return unit
    if not behind or behind[0] in _NO_UNIT:
        return ""
    return " ".join(_singular(word) for word in behind)


def _unit(words: Sequence[str]) -> str:
    """The usual sign of a unit; empty: it is not known."""
    words = [_ENDING.sub("", word) for word in words]
    name = "-".join(words)
    return _UNITS.get(name) or _UNITS.get("-".join(_singular(word) for word in words)) or ""


def _singular(word: str) -> str:
    if word in _UNITS:
        return word
    for ending in ("es", "en", "s", "n", "e"):
        if word.endswith(ending) and word.removesuffix(ending) in _UNITS:
            return word.removesuffix(ending)
    return word[:-1] if word.endswith("s") and len(word) > _MOST_WORDS else word
