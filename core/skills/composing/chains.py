"""Questions that lead through another thing: “the director of X”, “X's mother”, “the man who painted X”."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.skills.composing.subjects import LONGEST_QUESTION

_KIN = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "stepfather": ("mother", "husband"),
    "stepmother": ("father", "wife"),
}
"""Relations that go through somebody else: through whom, and what that one's relation is."""
_RELATIVES = (
    "father|mother|husband|wife|spouse|son|daughter|child|brother|sister|sibling|uncle|aunt|nephew|niece"
)
_NO_ROLES = (
    "river|tower|water|number|order|matter|flower|letter|paper|power|border|center|centre|summer|winter|corner|member|"
    "chapter|character|weather|colour|color|floor|motor|error|harbor|harbour|layer|quarter|answer|former|other|latter|"
    "list|coast|rest|west|east|cost|post|past|best|forest|interest|newspaper|computer|theater|theatre|sector|factor|"
    "under|over|after|offer|cover|danger|supper|dinner|finger|leader|chapter|register|cluster|semester"
)
_ROLE = (
    rf"(?:(?:first|second|last|original|current|former|naval|lead|film)\s+)?(?:(?!(?:{_NO_ROLES})\b)[a-z]+(?:er|or|ist|ect)"
    rf"|{_RELATIVES}|leader|captain|president|king|queen|mayor|editor|host|star|nephew|composer|chief)"
)
_NAMED = r"(?:[^\W\da-z_]|\d|[“\"#'‘(])"
"""How a name begins: with a capital letter, a number or a quotation mark."""
_KIND = (
    "film|movie|song|album|book|novel|series|play|opera|band|painting|picture|company|ship|game|show|single|"
    "poem|story"
)
_JOINS = (
    "of|the|a|an|and|in|on|at|to|for|from|by|with|la|le|el|de|del|der|den|des|di|da|du|van|von|y|al|ibn|bin|"
    "und|et|–|-|&"
)
_NAME = (
    rf"(?:#\d|(?:{_NAMED}[^\s?]*)(?:\s+(?:{_NAMED}[^\s?]*|(?:{_JOINS})(?=(?:\s+(?:{_JOINS}))*\s+{_NAMED})))*)"
)
_VERB = (
    r"(?:was|were|is|are|became|become|died?|born|retired?|lived?|gets?|got|comes?|came|takes?|took|loses?|lost|wins?|won|"
    r"left|began|opened|[a-z]{2,}ed|head of)"
)
_COMMON = rf"[a-z][\w'’-]*(?:\s+(?!{_VERB}\b)[a-z][\w'’-]*)?(?=\s*(?:\?|$|{_VERB}\b))"
"""A thing without a name, up to where the sentence goes on."""
_OF = re.compile(
    rf"(?:\b[Tt]he\s+|(?<=\bof\s))(?P<role>{_ROLE})\s+of\s+(?P<the>(?:the\s+)?)"
    rf"(?P<kind>(?:(?:{_KIND})s?\s+)?)(?P<name>{_NAME}|{_COMMON})"
)
_OWN = re.compile(
    rf"(?:\bthe\s+)?(?P<kind>(?:(?:{_KIND}|(?<=the\s)[a-z]+)\s+)?)(?P<name>{_NAME})['’]s?\s+"
    rf"(?P<role>{'|'.join(_KIN)}|(?:{_ROLE})(?![-\w]))"
)
_WHO = re.compile(
    r"\bthe\s+(?P<kind>(?:[\w-]+\s+){0,2}?(?:[\w-]+))\s+(?:who|that|which)\s+"
    r"(?P<verb>(?!(?:is|was|are|were|has|had|have|the|a|an|it|he|she|they)\b)[a-z]+)\s+(?P<rest>[^?,]+)"
)
_GOES_ON = re.compile(rf"(?<=[\w.!’'”\"])\s+(?P<after>{_VERB}\b.*)$")
"""Where the sentence goes on behind the name that a relative clause ends with."""
_MODAL = re.compile(r"\b(?:should|can|may|must|will|would|could|shall|might)\b", re.IGNORECASE)
_TRIVIAL = re.compile(r"^(?:who|what|which)\s+(?:is|was|are|were)\s+(?:the\s+)?#\d\s*\??$", re.IGNORECASE)
_PERSON = re.compile(r"^(?:man|woman|person|one|people|girl|boy)$")
_MEANWHILE = re.compile(
    r"^(?P<asked>(?:Who|Which|What)\s.+?)\s+when\s+(?P<subject>.+?)\s+"
    r"(?:(?P<aux>was|were)\s+(?P<state>.+)"
    r"|(?P<verb>became|died|opened|closed|began|started|ended|went|sank|retired|resigned)(?P<rest>\b.*))$"
)
_INFINITIVES = {
    "became": "become", "died": "die", "began": "begin", "went": "go", "sank": "sink", "closed": "close",
    "retired": "retire", "opened": "open", "started": "start", "ended": "end", "resigned": "resign",
}  # fmt: skip
_SECOND = re.compile(
    r"^\W*(?:who|what|which|when|where|how|why)\b.*\b(?:and|or)\s+(?:who|whom|whose|what|which|when|where|how|why)\b",
    re.IGNORECASE,
)
MARK = re.compile(r"#(\d)")
_MOST = 5
"""Questions that one question is taken apart into before the one that is left."""


@dataclass(frozen=True)
class Phrase:
    """What a noun phrase stands for: the questions that lead to it, and how to speak of it after them."""

    words: str
    """The phrase itself."""
    questions: tuple[str, ...] = ()
    """In order; “#1” is the answer to the first."""

    @property
    def reference(self) -> str:
        """The phrase, or the mark of the last question."""
        return f"#{len(self.questions)}" if self.questions else self.words


def phrase(words: str) -> Phrase:
    """A noun phrase taken apart: “the director of film X” is the answer to “Who is the director of film X?”."""
    text = words.strip()
    rest, questions = _taken_apart(text)
    if MARK.fullmatch(rest):
        return Phrase(text, tuple(questions))
    if whose := re.match(rf"^(?:the\s+)?(?P<role>{_ROLE})\s+of\s+(?P<what>.+)$", text):
        inner = phrase(whose["what"])
        asked = f"Who is the {whose['role']} of {inner.reference}?"
        return Phrase(text, (*inner.questions, asked))
    return Phrase(text)


def chain(question: str) -> tuple[str, ...]:
    """The questions that a question leads through, in order, the last one asking what it asks; empty: it is no chain.

    Marks such as “#1” stand for the answers to earlier ones. Two questions in one sentence are none.
    """
    if len(question) > LONGEST_QUESTION or _SECOND.search(question):
        return ()
    asked, questions = _taken_apart(re.sub(r"\s+", " ", question).strip().rstrip("? "))
    if meanwhile := _MEANWHILE.match(asked):
        questions.append(_when(meanwhile))
        asked = f"{meanwhile['asked']} in #{len(questions)}"
    if not questions or re.search(r"\bwhen #\d$", asked):
        return ()
    if _TRIVIAL.match(asked):
        return tuple(questions) if len(questions) > 1 else ()
    return (*questions, asked[:1].upper() + asked[1:] + "?")


def _when(meanwhile: re.Match[str]) -> str:
    """The question for the time at which something else was so."""
    if meanwhile["aux"]:
        return f"When {meanwhile['aux']} {meanwhile['subject']} {meanwhile['state']}?"
    return f"When did {meanwhile['subject']} {_INFINITIVES[meanwhile['verb']]}{meanwhile['rest']}?"


def _taken_apart(text: str) -> tuple[str, list[str]]:
    """The text with its innermost phrase replaced by a mark, again and again; and the questions that the marks stand
    for."""
    questions: list[str] = []
    while len(questions) < _MOST and (found := _innermost(text)):
        start, end, asked = found
        for one in asked:
            questions.append(one.replace(_BEFORE, f"#{len(questions)}"))
        text = f"{text[:start]}#{len(questions)}{text[end:]}"
    return text, questions


_BEFORE = "{before}"
"""Stands for the answer to the question before, where one phrase is two questions."""


def _innermost(text: str) -> tuple[int, int, tuple[str, ...]] | None:
    """Where the innermost phrase stands that is the answer to questions of its own; and these."""
    return _owned(text) or _kin_of(text) or _related(text) or _role(text)


def _owned(text: str) -> tuple[int, int, tuple[str, ...]] | None:
    own = _OWN.search(text)
    if own is None:
        return None
    name = _ASKING.sub("", own["name"])
    whole = name == own["name"]
    start = own.start() if whole else own.start("name") + own["name"].rindex(name)
    the = text[start : own.start("name")] if whole else ""
    if _ASKED_ALONE.match(text[:start]) and own.end() == len(text) and own["role"] not in _KIN:
        return None
    return start, own.end(), _kin(own["role"], the + name)


def _kin_of(text: str) -> tuple[int, int, tuple[str, ...]] | None:
    kin = re.search(rf"\bthe\s+(?P<role>{'|'.join(_KIN)})\s+of\s+(?P<name>{_NAME})", text)
    return (kin.start(), kin.end(), _kin(kin["role"], kin["name"].rstrip(" ?,.;:"))) if kin else None


def _related(text: str) -> tuple[int, int, tuple[str, ...]] | None:
    """“The man who painted X”, if nothing within it is to be asked first."""
    who = _WHO.search(text)
    if who is None or _MODAL.search(text[: who.start()]) or _role(who["rest"]) or _WHO.search(who["rest"]):
        return None
    rest = who["rest"].rstrip()
    if on := _GOES_ON.search(rest):
        rest = rest[: on.start()]
    kind = who["kind"].split()
    if re.fullmatch(_VERB, kind[-1]):
        return None
    asks = "Who" if _PERSON.match(kind[-1]) else f"Which {' '.join(kind)}"
    return who.start(), who.start("rest") + len(rest), (f"{asks} {who['verb']} {rest}?",)


def _role(text: str) -> tuple[int, int, tuple[str, ...]] | None:
    for of in reversed(list(_OF.finditer(text))):
        name = of["name"].rstrip(" ?,.;:")
        end = of.start("name") + len(name)
        return of.start(), end, (f"Who is the {of['role']} of {of['the']}{of['kind']}{name}?",)
    return None


_ASKING = re.compile(
    r"^(?:(?:Who|When|Where|What|Which|How|In|Is|Was|Did|Does|Are|Were|Why)\s+(?:(?:is|was|did|does|are|were)\s+)?)+(?=\S)"
)
"""The words of a question before the name that it begins with."""
_ASKED_ALONE = re.compile(r"^\W*(?:Who|What)\s+(?:is|was|are|were)\s+$")


def _kin(role: str, name: str) -> tuple[str, ...]:
    if role in _KIN:
        through, last = _KIN[role]
        return f"Who is the {through} of {name}?", f"Who is the {last} of {_BEFORE}?"
    return (f"Who is the {role} of {name}?",)
