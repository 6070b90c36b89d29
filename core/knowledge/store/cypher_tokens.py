"""Cypher cut into tokens, as careful as a guard must be: what could be read in two ways is refused."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from core.errors import InputError

MAX_CHARS = 20_000


class RefusedQuery(InputError):
    """A query that is not run, and why."""


@dataclass(frozen=True)
class Token:
    """A piece of a query."""

    kind: Literal["word", "quoted", "string", "number", "sign"]
    text: str
    """As written; strings and quoted names without what they hold."""
    start: int

    @property
    def word(self) -> str:
        """A bare word in capitals, as every engine might read it; else empty."""
        # An engine may fold case in its own way: a long s (ſ) in capitals is an S.
        return (
            unicodedata.normalize("NFKC", self.text).upper().casefold().upper() if self.kind == "word" else ""
        )


_BLANK = re.compile(r"[ \t\n]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.S)
_QUOTED = re.compile(r"`(?:[^`]|``)*`", re.S)
_NUMBER = re.compile(r"0[xob][0-9a-z_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?", re.I)
_WORD = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(
    r"\\([uU])(\w{0,8})"
)  # of a row of backslashes the last: looked for alone, in linear time


def tokenise(text: str, longest: int = MAX_CHARS) -> list[Token]:
    """The tokens of a query, without blanks and comments.

    Raises:
        RefusedQuery: It is too long, something in it is not closed, or engines may read it differently.
    """
    if len(text) > longest:
        raise RefusedQuery(f"The query is longer than {longest} characters.")
    text = text.replace("\r\n", "\n")
    tokens, at = [], 0
    while at < len(text):
        if match := _BLANK.match(text, at):
            at = match.end()
        elif match := _COMMENT.match(text, at):
            _plain(match[0], "a comment")
            at = match.end()
        elif match := _STRING.match(text, at):
            _escapes(match[0])
            tokens.append(Token("string", "''", at))
            at = match.end()
        elif match := _QUOTED.match(text, at):
            _plain(match[0], "a name in backticks")
            tokens.append(Token("quoted", match[0], at))
            at = match.end()
        elif match := _NUMBER.match(text, at) or _WORD.match(text, at):
            tokens.append(Token("number" if match[0][0].isdigit() else "word", match[0], at))
            at = match.end()
        else:
            sign = text[at : at + 2] if text.startswith(("..", "/*"), at) else text[at]
            _sign(sign)
            tokens.append(Token("sign", sign, at))
            at += len(sign)
    return tokens


def _sign(sign: str) -> None:
    if sign in ("'", '"', "`", "/*"):
        raise RefusedQuery("A string, a comment or a name in the query is not closed.")
    if sign == "\\":
        raise RefusedQuery("Backslashes may stand only within strings.")
    if not sign.isascii() or not sign.isprintable():
        raise RefusedQuery(f"The query holds a character that does not belong there (U+{ord(sign):04X}).")


def _plain(text: str, where: str) -> None:
    """Nothing in it that another reading would let end earlier."""
    if re.search(r"\\u", text, re.I):
        raise RefusedQuery(f"Unicode escapes may stand only within strings, not in {where}.")
    if re.search(r"[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029\x00]", text):
        raise RefusedQuery(f"There is an odd line break in {where}.")


def _escapes(text: str) -> None:
    """Some engines replace Unicode escapes before they look for the end of a string."""
    for letter, digits in _ESCAPE.findall(text):
        size = 4 if letter == "u" else 8
        if not re.match(rf"[0-9a-fA-F]{{{size}}}", digits):
            raise RefusedQuery("There is a Unicode escape without its digits in a string.")
        # Of eight digits, an engine that knows only four reads the first four.
        values = {min(int(digits[:size], 16), 0x10FFFF), int(digits[:4], 16)}
        if any(chr(value) in "'\"`\\" for value in values):
            raise RefusedQuery("A quotation mark in a string must not be written as a Unicode escape.")
