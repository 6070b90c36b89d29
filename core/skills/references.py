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

_ENDS = (
    r"(?:(?<!\s)\s+)?(?:은|는|이|가)\s*(?:누구|무엇|어디|언제|얼마|몇 년)"
    r"(?:인가요?|입니까|이?었나요?|였나요?|였는가|이?에요|예요)?$",
    r"は(?:誰|何|どこ|いつ|何年)(?:ですか|でしたか|だったか|か)?$",
    r"是(?:谁|什么|哪里|哪年|哪一年|多少)$",
)
"""How a question ends that asks for what stands before: Korean, Japanese, Chinese."""
_ASKED = re.compile("|".join(_ENDS))


def renumber_references(
    lines: Iterable[str], kept: Collection[str]
) -> tuple[tuple[str, ...], tuple[DroppedQuery, ...]]:
    """Sub-questions with their marks renumbered to the kept sub-questions; and those whose marks point at none.

    Args:
        lines: All sub-questions that were written, in order, as the marks number them.
        kept: The usable lines.
    """
    places: dict[int, int] = {}
    made: dict[str, str] = {}
    dropped: list[DroppedQuery] = []
    for number, line in enumerate(lines, 1):
        if line in made:
            places[number] = list(made).index(line) + 1
        elif line in kept:
            if all(int(mark) in places for mark in MARK.findall(line)):
                made[line] = MARK.sub(lambda mark: f"#{places[int(mark[1])]}", line)
                places[number] = len(made)
            else:
                dropped.append(DroppedQuery(text=line, reason=POINTS_NOWHERE))
    return tuple(made.values()), tuple(dropped)


def fill_references(question: str, pairs: Sequence[Pair]) -> Resolved:
    """A sub-question with the answers that its marks stand for; where there is none, with the words that asked for it.

    Args:
        question: It may hold marks; a mark that no pair has is left as it is.
        pairs: All earlier questions and answers, in order: `#1` is the first. An empty answer means that there is none.
    """
    notes: dict[str, str] = {}

    def text_of(mark: re.Match[str]) -> str:
        place = int(mark[1])
        if not 1 <= place <= len(pairs):
            return mark[0]
        pair = pairs[place - 1]
        if pair.answer:
            text = value_of(pair)
            notes[mark[0]] = f"A rule filled in “{text}” for {mark[0]}."
        else:
            text = asked_for(pair.question)
            notes[mark[0]] = (
                f"There is no answer for {mark[0]} here, so the words that ask for it stand there."
            )
        return text

    text = MARK.sub(text_of, question)
    return Resolved(text, "rule" if notes else "", " ".join(notes.values()))


def referenced(question: str, pairs: Sequence[Pair]) -> list[int]:
    """Places, from 0, of the pairs that a sub-question's marks stand for."""
    return [int(number) - 1 for number in MARK.findall(question) if 1 <= int(number) <= len(pairs)]


def spelled_out(questions: Sequence[str]) -> list[Resolved]:
    """Sub-questions that must be searched before any is answered: each mark gives way to the words that ask for it."""
    made: list[Resolved] = []
    for question in questions:
        made.append(fill_references(question, [Pair(question=before.text, answer="") for before in made]))
    return made


def value_of(pair: Pair) -> str:
    """The text that is filled in for an answer: its short form; else an answer of a few words as it is; else a name in
    it, or its beginning."""
    if pair.short:
        return pair.short.rstrip(".。")
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
