"""The names in a question or an answer, found by their capitals, and whether a text has one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.retrieval.tokens import word_set

_JOINING = word_set(
    "of the a an and in on at to for from by with la le el de del der den des di da du van von y"
)
_NOT_NAMES = word_set(
    "who whom whose what which where when why how is are was were do does did can could has have had will would "
    "should may i in on at the a an of for from by to tell please give name list if between and but both besides "
    "after before during since while although according despite with without under as"
)


def names_in(question: str) -> list[str]:
    """Names, titles and numbers, as they are written: quoted words and runs of capitalised words, with small joining
    words inside ("Lord of the Rings") and a bracket after them ("(1931 Film)")."""
    spans: list[tuple[int, str]] = []
    rest = question
    for found_at in re.finditer(r"[\"“]([^\"“”]+)[\"”]|\bor ([A-ZÀ-Ý][^?,]{0,300})\?$", question):
        spans.append((found_at.start(), found_at.group(1) or found_at.group(2)))
        rest = rest.replace(found_at.group(), " " * len(found_at.group()))
    words = list(re.finditer(r"\([^)]{0,300}\)|\S+", rest))
    start = end = -1
    for index in range(len(words) + 1):
        match = words[index] if index < len(words) else None
        word = match.group() if match else ""
        begins = index == 0 or words[index - 1].group().endswith((".", "?", "!"))
        first = begins and re.sub(r"\W.*", "", word).casefold() in _NOT_NAMES
        inside = start >= 0
        if match and not first and _in_name(word, inside):
            start = match.start() if not inside else start
            end = match.end()
            if re.search(r"['’]s$", word) or (word.endswith(",") and not _goes_on(words[: index + 2], index)):
                spans.append((start, rest[start:end]))
                start = -1
        elif inside and not (word.casefold() in _JOINING and word != "and" and _goes_on(words, index)):
            spans.append((start, rest[start:end]))
            start = -1
    names = (re.sub(r"['’]s$", "", name.strip(" ,;:?.")) for _, name in sorted(spans))
    return list(dict.fromkeys(name for name in names if name))


def _in_name(word: str, inside: bool) -> bool:
    """True if a word begins a name, or goes on with the one that it stands inside."""
    return (_capital(word) or word.startswith("(")) if inside else word != "I" and _capital(word)


def _capital(word: str) -> bool:
    bare = word.lstrip("\"'“‘(")
    return bool(bare) and (bare[0].isupper() or bare[0].isdigit())


def _goes_on(words: Sequence[re.Match[str]], index: int) -> bool:
    """True if a capitalised word follows, after other joining words or none."""
    for match in words[index + 1 :]:
        if match.group().casefold() not in _JOINING or match.group() == "and":
            return _capital(match.group())
    return False


def lacks_name(name: str, text: str) -> bool:
    """True if a text lacks a name; case and small joining words do not count."""
    words = [word for word in re.findall(r"\w+", name.casefold()) if word not in _JOINING]
    there = set(re.findall(r"\w+", text.casefold()))
    return not all(word in there for word in words)
