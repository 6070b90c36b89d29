"""The names under which the documents of a corpus are mentioned in texts, and where a text mentions them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from core.retrieval.tokens import STOP_WORDS

LONGEST = 24
"""Words (in Chinese, Japanese and Korean: characters) of the longest name that is looked for."""
NAMESAKES = 8
"""Documents of one name, beyond which it says nothing about which is meant."""
_TITLE_CHARS = 1000
"""Of longer titles only the beginning is read."""
_LOWER = 0.1
"""Share of a word's places without a capital letter, above which it is an ordinary word: “the Sun”, “The story”."""
_SHORT = 3
"""Letters of a name that has to be written exactly as it is: “Who” is no mention of the WHO."""

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # without the dot between names
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
_CJK = _HAN + _KANA + _HANGUL
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
"""Accents and vowels that are signs of their own, in words that are written with blanks between them."""
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[{_MARKS}]+[^\W_{_CJK}]*)*")
_SIGN = re.compile(rf".[{_MARKS}\u1160-\u11ff\u3099\u309a]*", re.DOTALL)
"""A character with the accents, vowel signs, jamo or voicing marks that it may be composed with."""
_IS_CJK = re.compile(f"[{_CJK}]")
_IS_HANGUL = re.compile(f"[{_HANGUL}]")
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_IS_KATAKANA = re.compile(f"[{_KATAKANA}]")
_JOINED = re.compile(rf"[{_KATAKANA}][・･][{_KATAKANA}]|[{_HAN}][·‧][{_HAN}]")
"""Between the words of a foreign name: “イルゼ・マラック”, “伊尔莎·马拉克”."""
_NAMED_BEFORE = re.compile(r"[^\W\d_][\w.’'-]* $")
"""The word in front of another one."""
_BEFORE = 40
"""Characters that are looked at for it."""
_QUOTES = tuple("\"'“”„‘’«»*_")
_LETTER = re.compile(r"[^\W_]")
_STOPS = frozenset(".!?:;…|•")
_CLOSING = {"(": ")", "（": "）"}

_PHRASE_WORDS = 5
"""Of a phrase; a longer title, word for word, is meant."""
_SEPARATOR = re.compile(r"(?<!\s)\s+[-–—|·]\s+|(?:(?<!\s)\s+)?[|｜]\s*")
"""Between the parts of a title: “Ilse Marrack – The Pellamar Companion”."""
_BRACKET = re.compile(r"(?:(?<!\s)\s+)?(?:\([^()]*\)|（[^（）]*）)\s*$")
"""The addition that tells a title from others of the same name: “Petrel (steamer)”."""
_COMMA = re.compile(r"^([^,]+), ([^,]+)$")
"""A name and where it is: “Albany, Georgia”."""
_PLACE = 3
"""Words of such a place, all with a capital letter."""

Form = tuple[str, ...]
"""The words of a name, in lower case."""


@dataclass(frozen=True)
class Name:
    """A name, and the documents that have it."""

    documents: tuple[int, ...]
    """Their places in the list of titles, ascending."""
    written: str
    """One way in which it is written as a title."""
    shortened: bool
    """True if no title is written so without what tells it from others."""
    ordinary: bool = False
    """True if it is a single word, beside “the” and the like, that is used for other things as well: it is meant only
    where it is written letter by letter, and not where a sentence begins with it."""


@dataclass(frozen=True)
class Place:
    """A place at which a text mentions a document."""

    name: int
    """Place of the name in `Titles.names`."""
    start: int
    """First character."""
    end: int
    """One past the last."""


class _Words(dict[str, int]):
    """Word as it is written -> number of its form; 0: no name has it. Looks each spelling up once."""

    def __init__(self, forms: dict[str, int]) -> None:
        self._forms = forms

    def __missing__(self, word: str) -> int:
        self[word] = self._forms.get(word.casefold(), 0)
        return self[word]


class Titles:
    """The names of documents, ready to be found in texts: one pass over a text, however many names there are."""

    def __init__(self, titles: Sequence[str], texts: Iterable[str] = ()) -> None:
        """Take the title of each document, empty where it has none, and texts that show which words are ordinary."""
        forms = _names([" ".join(title[:_TITLE_CHARS].split()) for title in titles])
        words = Counter[str]()
        for text in texts:
            words.update(_WORD.findall(text))
        self.names = tuple(
            replace(name, ordinary=_is_ordinary(name.written, form, words)) for form, name in forms.items()
        )
        numbers: dict[str, int] = {}
        self._trie: dict[int, Any] = {}
        """Number of a word -> what may follow; under `-1` the name that ends there."""
        for place, form in enumerate(forms):
            node = self._trie
            for word in form:
                node = node.setdefault(numbers.setdefault(word, len(numbers) + 1), {})
            node[-1] = place
        self._words = _Words(numbers)

    def mentioned(self, text: str) -> set[int]:
        """Return the names in a text, as their places in `names`."""
        text = unicodedata.normalize("NFC", text)
        return {name for name, _, _ in self._matches(text, _WORD.findall(text))}

    def places(self, text: str) -> list[Place]:
        """Return the places of names in a text, from left to right, the longest at each place."""
        composed, at = _composed(text)
        spans = [match.span() for match in _WORD.finditer(composed)]
        words = [composed[start:end] for start, end in spans]
        return [
            Place(name, at[spans[first][0]], at[_closed(composed, spans[first][0], spans[last][1])])
            for name, first, last in self._matches(composed, words)
        ]

    def _matches(self, text: str, words: list[str]) -> Iterator[tuple[int, int, int]]:
        """Yield every name with its first and last word; no two overlap."""
        known = list(map(self._words.__getitem__, words))
        trie, free, count = self._trie, 0, len(words)
        spans: list[tuple[int, int]] = []
        for first, number in enumerate(known):
            if not number or first < free or (node := trie.get(number)) is None:
                continue
            ends = [(node[-1], first)] if -1 in node else []
            last = first + 1
            while last < count and (node := node.get(known[last])) is not None:
                if -1 in node:
                    ends.append((node[-1], last))
                last += 1
            for name, end in reversed(ends):
                named, written = self.names[name], words[first : end + 1]
                if not _written_as(named.written, written):
                    continue
                if named.ordinary:
                    spans = spans or [match.span() for match in _WORD.finditer(text)]
                    if not _is_exact(named.written, text, written, spans[first][0], spans[end][1]):
                        continue
                shouted = all(map(str.isupper, written))
                if first == end or shouted or _IS_CJK.match(words[first]) or _IS_CJK.match(words[end]):
                    spans = spans or [match.span() for match in _WORD.finditer(text)]
                    if not _whole(text, spans[first][0], spans[end][1], named.shortened):
                        continue
                yield name, first, end
                free = end + 1
                break


def mention_name(title: str, file: str) -> str:
    """Return the name that mentions a document: its own title, else its file's name where it is written like one.

    “Kant.txt” is, “notes.txt” is not.
    """
    name = PurePath(file).stem
    return title or ("" if name.islower() else name)


def _names(titles: Sequence[str]) -> dict[Form, Name]:
    """Return all names by their form."""
    parts = _own_parts(titles)
    named = [(place, title) for place, title in enumerate(titles) if not _is_phrase(title)]
    whole = _by_form((place, text) for place, title in named for text in (title, parts[place]))
    short = _by_form((place, text) for place, _ in named for text in _shortened(parts[place]))
    forms = {**short, **whole}  # a shortened name gives way to a title that is written so
    return {
        form: Name(tuple(sorted(documents)), next(iter(documents.values())), form not in whole)
        for form, documents in forms.items()
        if len(documents) <= NAMESAKES
    }


def _by_form(written: Iterable[tuple[int, str]]) -> dict[Form, dict[int, str]]:
    """Return the form of each name -> documents -> its spelling there; what is no name is left out."""
    forms: dict[Form, dict[int, str]] = defaultdict(dict)
    for document, text in written:
        form = form_of(text)
        if form and _is_name(form):
            forms[form].setdefault(document, unicodedata.normalize("NFC", text))
    return forms


def _own_parts(titles: Sequence[str]) -> list[str]:
    """Return the part of each title that fewest others have: not the name of the site or of the series."""
    split = [[part for part in _SEPARATOR.split(title) if part] for title in titles]
    shared = Counter(form_of(part) for parts in split for part in parts if len(parts) > 1)
    return [min(parts, key=lambda part: shared[form_of(part)], default="") for parts in split]


def _shortened(title: str) -> Iterator[str]:
    """Yield the title without what only tells it from others."""
    if (bare := _BRACKET.sub("", title)) != title:
        yield bare
    if match := _COMMA.match(bare):
        place = match[2].split()
        if len(place) <= _PLACE and all(word[0].isupper() for word in place):
            yield match[1]


def form_of(text: str) -> Form:
    """Return the words of a name in lower case; empty where it is too long to be one."""
    words = _WORD.findall(unicodedata.normalize("NFC", text))
    return tuple(map(str.casefold, words)) if len(words) <= LONGEST else ()


def _is_name(form: Form) -> bool:
    """Return True if words can be a name: two letters at least, and not only numbers and words such as “the”."""
    letters = sum(char.isalpha() for word in form for char in word)
    return letters > 1 and any(word not in STOP_WORDS and any(map(str.isalpha, word)) for word in form)


def _is_phrase(title: str) -> bool:
    """Return True if a short title ends like a sentence: “T-cell activation.”, but not “Ansel Ferries Ltd.”"""
    words = title.split()
    return (
        1 < len(words) <= _PHRASE_WORDS
        and words[-1][0].islower()
        and words[-1].rstrip(")]\"'’”").endswith(".")
    )


def _written_as(title: str, words: Sequence[str]) -> bool:
    """Return True if words have a capital letter where a name has one; a short name must be the same by letter."""
    if len(words) == 1 and len(words[0]) <= _SHORT and not _IS_CJK.match(words[0]):
        return words[0] in title
    return not any(map(str.isupper, title)) or any(char.isupper() for word in words for char in word)


def _is_ordinary(title: str, form: Form, words: Counter[str]) -> bool:
    """Return True if a name's only word, beside “the” and the like, is often written without its capital letter."""
    own = [word for word in form if word not in STOP_WORDS]
    if len(own) != 1 or not any(map(str.isupper, title)):
        return False
    lower, all_ = words[own[0]], words[own[0]] + words[own[0].capitalize()] + words[own[0].upper()]
    return lower > _LOWER * all_


def _is_exact(title: str, text: str, words: Sequence[str], start: int, end: int) -> bool:
    """Return True if a mention has the capital letters of its title, and not only since a sentence begins there."""
    if list(words) != _WORD.findall(title):
        return False
    if any(word[0].isupper() for word in words[1:]):
        return True
    before = text[max(0, start - _BEFORE) : start]
    if before[-1:] in _QUOTES and text[end : end + 1] in _QUOTES:
        return True
    between = _LETTER.split(before)[-1]  # what stands between the word before and this one
    stopped = not _STOPS.isdisjoint(between) and any(map(str.isspace, between))
    return not (between == before or "\n" in between or stopped)


def _whole(text: str, start: int, end: int, shortened: bool) -> bool:
    """Return True if a mention is not a part of something longer.

    Korean words have endings, but no beginnings, and a run of katakana is one word. One word with a capital letter, and
    another one behind it, are another name: “United States”; as is one that was shortened with another one before it:
    “Samuel Johnson” is not “Johnson (composer)”. Several in capitals with such a one behind them are the heading of a
    sentence: “METHODS AND RESULTS In 30 towns”.
    """
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    inside = ((_IS_HANGUL, before, first), (_IS_KATAKANA, before, first), (_IS_KATAKANA, last, after))
    if any(script.match(left) and script.match(right) for script, left, right in inside):
        return False
    if _JOINED.match(text[max(0, start - 2) : start + 1]) or _JOINED.match(text[end - 1 : end + 2]):
        return False
    if not first.isupper() or (" " in text[start:end] and not text[start:end].isupper()):
        return True
    named = _NAMED_BEFORE.search(text[max(0, start - _BEFORE) : start]) if shortened else None
    if named and named[0][0].isupper() and named[0].strip().casefold() not in STOP_WORDS:
        return False
    return not (after == " " and text[end + 1 : end + 2].isupper())


def _composed(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in Unicode's form NFC, and where each character of it, and its end, is in the text as it was."""
    if unicodedata.is_normalized("NFC", text):
        return text, range(len(text) + 1)
    parts = [(unicodedata.normalize("NFC", match[0]), match.start()) for match in _SIGN.finditer(text)]
    at = [start for part, start in parts for _ in part]
    return "".join(part for part, _ in parts), [*at, len(text)]


def _closed(text: str, start: int, end: int) -> int:
    """Return the end of a mention, behind the bracket that it opens."""
    opened = next((char for char in reversed(text[start:end]) if char in "()（）"), "")
    return end + 1 if opened and text[end : end + 1] == _CLOSING.get(opened) else end
