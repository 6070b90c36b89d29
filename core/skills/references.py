"""References such as “#1” in a sub-question: each stands for the answer to an earlier sub-question.

They are filled in before a search, since no search would find the mark itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from core.skills.resolve import Resolved, main_name
from core.trace.artefacts import DroppedQuery, Pair

MARK = re.compile(r"#(\d)(?!\d)")
SHORT = 6
"""Words up to which an answer that is no sentence is filled in whole."""
POINTS_NOWHERE = "points at no question before it"
CANDIDATES = 3
"""Answers of one question that are searched for each by itself."""

_IS = re.compile(r"^(?:who|what|which)\s+(?:is|was|are|were)\s+", re.IGNORECASE)
_WHERE = re.compile(
    r"^(?P<by>in|on|at|from|by|for|to|of|with) (?:which|what) (?P<place>\w+) (?P<verb>is|was|are|were|do|does|did) "
    r"(?P<rest>.+)$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    r"^(?:[Ww]hich|[Ww]hat) "
    r"(?P<kind>(?!(?:is|was|are|were|do|does|did)\b)\S+(?: (?!(?:to|of|in|on|at|by|for)\b)\S+){0,4}?) "
    r"(?P<rest>(?:is|was|are|were|has|had|have|became|won|wrote|made|sang|can|[a-z]{2,}(?:ed|s))\b.*)$",
)
_WHO = re.compile(r"^who\s+", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:whose|whom|what|which|when|where|why|how)\s+(?:(?:is|was|are|were|do|does|did)\s+)?", re.IGNORECASE
)

_LISTED = re.compile(r"[;；、]")
_AND = re.compile(r"\s(?:and|und|et|y|и|&|및|그리고)\s|(?<=[가-힣])[과와]\s|[和与與]")
_COMMA = re.compile(r"[,，]")
_REMARK = re.compile(r"[a-zà-öø-ÿ]")
"""How what is no name begins, such as “the other one is not named”, where the first of a list is one."""

_ENDS = (
    r"(?:(?<!\s)\s+)?(?:은|는|이|가)\s*(?:누구|무엇|어디|언제|얼마|몇 년)"
    r"(?:인가요?|입니까|이?었나요?|였나요?|였는가|이?에요|예요)?$",
    r"は(?:誰|何|どこ|いつ|何年)(?:ですか|でしたか|だったか|か)?$",
    r"是(?:谁|什么|哪里|哪年|哪一年|多少)$",
)
"""How a question ends that asks for what stands before: Korean, Japanese, Chinese."""
_ASKED = re.compile("|".join(_ENDS))


def renumber_references(
    lines: Iterable[str], usable: Collection[str]
) -> tuple[tuple[str, ...], tuple[DroppedQuery, ...]]:
    """Sub-questions with their marks, which number all that were written, renumbered to the usable ones; and those
    whose marks point at none."""
    places: dict[int, int] = {}
    renumbered: dict[str, str] = {}
    dropped: list[DroppedQuery] = []
    for number, line in enumerate(lines, 1):
        if line in renumbered:
            places[number] = list(renumbered).index(line) + 1
        elif line in usable:
            if all(int(mark) in places for mark in MARK.findall(line)):
                renumbered[line] = MARK.sub(lambda mark: f"#{places[int(mark[1])]}", line)
                places[number] = len(renumbered)
            else:
                dropped.append(DroppedQuery(text=line, reason=POINTS_NOWHERE))
    return tuple(renumbered.values()), tuple(dropped)


def fill_references(question: str, pairs: Sequence[Pair]) -> Resolved:
    """A sub-question with the answers that its marks stand for; where there is none, with the words that asked for it.

    Args:
        question: It may hold marks; a mark that no pair has is left as it is.
        pairs: All earlier questions and answers, in order: `#1` is the first. An empty answer means that there is none.
    """
    notes: dict[str, str] = {}
    several: dict[str, tuple[str, ...]] = {}

    def text_of(mark: re.Match[str]) -> str:
        place = int(mark[1])
        if not 1 <= place <= len(pairs):
            return mark[0]
        pair = pairs[place - 1]
        if pair.answer:
            text = value_of(pair)
            notes[mark[0]] = f"A rule filled in “{text}” for {mark[0]}."
            if len(names := candidates(text)) > 1:
                several[mark[0]] = names
                notes[mark[0]] += " Each of them is searched for by itself."
        else:
            text = asked_for(pair.question)
            notes[mark[0]] = (
                f"There is no answer for {mark[0]} here, so the words that ask for it stand there."
            )
        return text

    text = MARK.sub(text_of, question)
    # Of two lists only the first is taken apart: all pairs would be too many searches.
    mark, names = next(iter(several.items()), ("", ()))

    def with_name(name: str) -> str:
        return MARK.sub(lambda match: name if match[0] == mark else text_of(match), question)

    queries = tuple(map(with_name, names[:CANDIDATES]))
    return Resolved(text, "rule" if notes else "", " ".join(notes.values()), queries)


def candidates(short: str) -> tuple[str, ...]:
    """The answers that a short answer lists; one, where it is no plain list: “Simon and Garfunkel”, “Paris, France”.

    A semicolon or “、” makes a list, and so do brackets as of JSON. “And” does between names of several words, or after
    names with commas between them; in Chinese and Korean between names of two characters or more.
    """
    text = " ".join(short.split()).rstrip(".。")
    if text[:1] == "[" and text[-1:] == "]":
        return _distinct(part.strip(" \"'“”") for part in _COMMA.split(text[1:-1]))
    if len(parts := _distinct(_LISTED.split(text))) > 1:
        named = [part for part in parts if not _REMARK.match(part)]
        return tuple(named) if named and named[0] == parts[0] else parts
    *begin, last = _AND.split(text)
    if len(begin) != 1:
        return (text,)
    names = list(_distinct([*_COMMA.split(begin[0]), last]))
    spaced = any(map(str.isspace, begin[0] + last)) or last.isascii()
    long = all(" " in name and name[0].isupper() for name in names) if spaced else min(map(len, names)) > 1
    return _distinct(names) if long or (len(names) > 2 and not _REMARK.match(last)) else (text,)


def _distinct(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, parts))))


def referenced(question: str, earlier: Sequence[object]) -> list[int]:
    """Places, from 0, of the earlier sub-questions that a sub-question's marks stand for."""
    return [int(number) - 1 for number in MARK.findall(question) if 1 <= int(number) <= len(earlier)]


def spelled_out(questions: Sequence[str]) -> list[Resolved]:
    """Sub-questions that must be searched before any is answered: each mark gives way to the words that ask for it."""
    spelled: list[Resolved] = []
    for question in questions:
        spelled.append(
            fill_references(question, [Pair(question=before.text, answer="") for before in spelled])
        )
    return spelled


def value_of(pair: Pair) -> str:
    """The text that is filled in for an answer: its short form; else an answer of a few words as it is; else a name in
    it, or its beginning."""
    if pair.short:
        names = candidates(pair.short)
        return names[0] if len(names) == 1 else pair.short.rstrip(".。")
    text = pair.answer.strip()
    if len(text.split()) <= SHORT and not text.endswith((".", "!")):
        return text
    return main_name(pair) or text.split(",")[0].strip()[:60]


def asked_for(question: str) -> str:
    """The thing that a question asks for, as a noun phrase: “the author of Emma” for “Who is the author of Emma?”"""
    text = question.strip().rstrip("?？。").strip()
    if before := _ASKED.sub("", text).strip():
        text = before
    if within := _WHERE.match(text):
        place, verb, rest = within["place"], within["verb"].lower(), within["rest"]
        verb = f" {verb}" if verb in ("is", "was", "are", "were") else ""
        return f"the {place} {within['by'].lower()} which {rest}{verb}"
    if _IS.match(text):
        return _IS.sub("", text)
    if of_a_kind := _WHICH.match(text):
        return f"the {of_a_kind['kind']} that {of_a_kind['rest']}"
    if _WHO.match(text):
        return _WHO.sub("the one who ", text)
    return _ASKS.sub("", text)
