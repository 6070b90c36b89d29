"""Letters of a PDF as they are typed: ligatures, presentation forms and odd blanks in plain letters."""

from __future__ import annotations

import re
import unicodedata

_PLAIN = re.compile(
    "["
    "\ufb00-\ufb06\ufb13-\ufb17"  # Latin and Armenian ligatures
    "\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc"  # Hebrew and Arabic presentation forms
    "\u2f00-\u2fd5"  # radicals that fonts mistake for the ideographs they look like
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width digits and letters
    "\uff65-\uff9f"  # half-width katakana
    "\U0001d400-\U0001d7ff"  # letters of formulas
    "]+"
)
"""Forms of letters that differ in looks only. Superscripts (m²), fractions (½) and signs (™) mean something else in
their plain form and stay, and so does full-width punctuation, which is how Chinese and Japanese are written."""
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2061-\u2064\u2066-\u2069\ufeff\ufffe\uffff]")
_HYPHEN = re.compile("[\u2010\u2011]")
_BULLET = re.compile("[\uf0a7\uf0b7\uf0d8\uf076\uf0fc]")
"""Where the symbol fonts of office programs have their bullets."""
_LEADERS = re.compile(r"(?:[.·_…] ?){5,}")
"""Dots that lead to a page number, and lines to write on."""
_BLANKS = re.compile(r"\s+")

ACCENTS = dict(
    zip(
        "`´^˜¨¯˘˙˚¸˛ˇ˝",
        "\u0300\u0301\u0302\u0303\u0308\u0304\u0306\u0307\u030a\u0327\u0328\u030c\u030b",
        strict=True,
    )
)
"""Accents that older TeX fonts draw beside a letter -> the combining ones."""


def plain(text: str) -> str:
    """A line in plain letters, with single blanks."""
    if not text.isascii():
        text = _PLAIN.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
        text = _BULLET.sub("•", _HYPHEN.sub("-", _UNSEEN.sub("", text)))
        text = unicodedata.normalize("NFC", text)
    return _BLANKS.sub(" ", _LEADERS.sub(" ", text)).strip()


def has_leaders(text: str) -> bool:
    """Whether dots lead from one part of a line to another, as in a table of contents."""
    return bool(_LEADERS.search(text))


def is_wide(letter: str) -> bool:
    """Whether a character is one of those that are written without blanks between words: Chinese, Japanese."""
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or "\uff00" <= letter <= "\uff60"
