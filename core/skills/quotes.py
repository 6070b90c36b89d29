"""Finding words that were copied from a text.

Anyone who copies, a model above all, changes marks: straight quotation marks for curly ones, a hyphen for a dash, three
dots for an ellipsis, one blank for a line's end, whole words for those that a line's end breaks. So both are compared
in a form in which such marks are alike, and the words are returned as they stand in the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal["word", "unspaced", "space", "dash", "quote", "dot", "other", "nothing"]

_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts whose words have no blanks between them, or, in Korean, have particles attached."""
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\uff9e\uff9f"
)
_SHAPELESS = "\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_WORD = rf"[^\W{_UNSPACED}]+"
_MARKED = rf"[{_MARKS}{_SHAPELESS}]"
_ITEM = re.compile(
    rf"[\u1100-\u115f\ua960-\ua97c]{{1,3}}[\u1160-\u11a7\ud7b0-\ud7c6]{{1,3}}[\u11a8-\u11ff\ud7cb-\ud7fb]{{0,3}}"
    rf"|{_WORD}(?:(?:\u00ad\s+|{_MARKED}{{1,8}}){_WORD})*{_MARKED}{{0,8}}|\u00ad\s*|\s+|\*{{2,}}|.{_MARKED}{{0,8}}",
    re.DOTALL,
)
"""A Hangul syllable in parts; a word; white space; any other character. With no more marks at a time than any script
needs, since to put thousands in order takes the square of their number."""
_UNSPACED_FIRST = re.compile(f"[{_UNSPACED}]")
_LEFT_OUT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06e4"
    f"{_SHAPELESS}\ufe00-\ufe0f]"
)
"""Beside what has no shape: marks for vowels and recitation, and the stroke that stretches a word, which those who copy
leave out."""
_QUOTES = frozenset("'\"`´‘’‚‛“”„‟‹›«»′″‵‶ʹʺʻʼʽˈˮ‴❛❜❝❞❟❠⹂〝〞〟「」『』《》〈〉﹁﹂﹃﹄՚׳״＂＇｀｢｣")
_DASHES = frozenset("-‐‑‒–—―⁃−⸺⸻﹘﹣－➖")
_HYPHENS = frozenset("-‐‑")
"""Those that break a word."""
_DOTS = {".": ".", "。": ".", "．": ".", "｡": ".", "…": "…", "‥": "…", "⋯": "…"}
_EDGES = "'…*"
"""What may stand around a quote that is not the text's."""
_BORDER = "\x00"
"""Stands where a word begins or ends, so that no quote is found within one."""


class _Item(NamedTuple):
    kind: Kind
    chars: str
    """As they are compared."""
    start: int
    end: int


class _Folded(NamedTuple):
    """A text as it is compared, and the items that it was made from, each with its place in it."""

    chars: str
    places: list[int]
    items: list[_Item]


def find_quote(quote: str, text: str) -> str:
    """The words of a quote as they stand in the text; empty if they do not stand there, one after the other.

    Only case, white space, marks of one kind (of quotation, dashes, ellipses), compatibility forms and characters
    without a shape may differ, and hyphens that break a word at a line's end. Marks of quotation around the quote may
    be its own. The quote must not begin or end within a word. Takes time that grows with both lengths, not with their
    product.
    """
    wanted = _folded(quote).chars
    if not wanted.strip(f"{_BORDER}{_EDGES}"):
        return ""
    parts = wanted.split(_BORDER)
    compounds = zip(parts, parts[1:], parts[2:], strict=False)
    folded = _folded(
        text, frozenset((first_word, other) for first_word, mark, other in compounds if mark == "-")
    )
    for words in dict.fromkeys((wanted, wanted.strip(_EDGES))):
        at = folded.chars.find(words)
        if at >= 0:
            begin = at + (words[0] == _BORDER)
            end = at + len(words) - (words[-1] == _BORDER)
            first = folded.items[bisect_right(folded.places, begin) - 1]
            last = folded.items[bisect_left(folded.places, end) - 1]
            return text[first.start : last.end]
    return ""


@lru_cache(maxsize=8)  # several quotes of one chunk
def _folded(text: str, compounds: frozenset[tuple[str, str]] = frozenset()) -> _Folded:
    """A text as it is compared. A hyphen at a line's end breaks a word, unless it stands between two words that the
    quote joins by one (`compounds`)."""
    items = [item for match in _ITEM.finditer(text) if (item := _item(match)).kind != "nothing"]
    chars, places, used = list[str](), list[int](), list[_Item]()
    length = 0
    before: Kind = "other"
    for place, item in enumerate(items):
        following = items[place + 1].kind if place + 1 < len(items) else "other"
        shown = "-" if item.kind == "dash" else item.chars
        if item.kind == "space":
            # Between words only: elsewhere it may be missing, as around dashes, or be there, as inside guillemets.
            if following != "word" or place == 0 or items[place - 1].kind != "word":
                continue
        elif item.kind == before and item.kind in ("dash", "quote", "dot"):
            if item.kind == "dot":
                chars[-1] = chars[-1].replace(".", "…")
            used[-1] = used[-1]._replace(end=item.end)
            continue
        elif _breaks(items[max(0, place - 1) : place + 3], compounds):
            continue
        if (item.kind == "word") != (before == "word"):
            shown = _BORDER + shown
        places.append(length + (shown[0] == _BORDER))
        used.append(item)
        chars.append(shown)
        length += len(shown)
        before = item.kind
    if before == "word":
        chars.append(_BORDER)
    return _Folded("".join(chars), places, used)


def _breaks(items: list[_Item], compounds: frozenset[tuple[str, str]]) -> bool:
    """True if the second of four items is a hyphen that breaks a word at a line's end; see `_folded`."""
    if [item.kind for item in items] != ["word", "dash", "space", "word"] or items[1].chars != "-":
        return False
    before, behind = items[0].chars, items[3].chars
    return before[-1].isalpha() and behind[0].isalpha() and (before, behind) not in compounds


def _item(match: re.Match[str]) -> _Item:
    """A word or a character with its kind, in the form in which it is compared."""
    raw = match[0]
    start, end = match.span()
    if raw.isspace():
        return _Item("space", " ", start, end)
    if raw[0].isascii() and raw.isalnum() and raw.isascii():
        return _Item("word", raw.lower(), start, end)
    if raw in _QUOTES:
        return _Item("quote", "'", start, end)
    if raw in _DASHES:
        return _Item("dash", "-" if raw in _HYPHENS else "–", start, end)
    if raw in _DOTS:
        return _Item("dot", _DOTS[raw], start, end)
    chars = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", raw).casefold().replace("i̇", "i"))
    chars = _LEFT_OUT.sub("", chars)
    if not chars or chars.isspace() or chars.startswith("**"):  # bold in Markdown
        return _Item("nothing", "", start, end)
    if _UNSPACED_FIRST.match(chars):
        return _Item("unspaced", chars, start, end)
    letters = chars[0] == "_" or unicodedata.category(chars[0])[0] in "LNM"
    return _Item("word" if letters else "other", chars, start, end)
