"""Comparisons: which things a question compares, about what, and the sub-questions that ask for it.

“Who is older, X or Y?” becomes one question for each, “When was X born?”; where a thing is itself a question (“the
director of X”), its own questions come first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.skills.composing.asked import (
    BIRTH,
    BIRTHPLACE,
    BUILT,
    COUNTRY,
    DEATH,
    DEATHPLACE,
    NATION,
    ORIGIN,
    RELEASE,
    Asked,
    measured,
)
from core.skills.composing.chains import MARK, Phrase, chain, phrase
from core.skills.composing.subjects import LONGEST_QUESTION
from core.skills.sentences import language

Kind = Literal["choice", "same", "order", "difference"]


@dataclass(frozen=True)
class Comparison:
    """A question that is answered by comparing one fact of each of two things."""

    kind: Kind
    things: tuple[str, ...]
    """As the question names them: what the answer of a choice is made of."""
    sides: tuple[Phrase, ...]
    """What is compared for each of the things, in the same order: the thing itself, or who is found through it."""
    asked: Asked
    greatest: bool = False
    """Of a choice, whether the later or larger one is asked for; of an order, whether the first has to be it."""

    @property
    def questions(self) -> tuple[str, ...]:
        """Its sub-questions, side by side; marks such as “#1” count them."""
        made: list[str] = []
        for side in self.sides:
            before = len(made)
            made += [_counted(one, before) for one in side.questions]
            made.append(self.asked.question.format(f"#{len(made)}" if side.questions else side.words))
        return tuple(made)


def _counted(question: str, before: int) -> str:
    """A question whose marks count those of the other sides as well."""
    return MARK.sub(lambda mark: f"#{int(mark[1]) + before}", question)


def comparison(question: str) -> Comparison | None:
    """What a question compares; None: it compares no two named things in a way that is known."""
    if len(question) > LONGEST_QUESTION or language(question) != "en":
        return None
    text = re.sub(r"\s+", " ", question).strip().rstrip("?").strip()
    return _choice(text) or _same(text) or _difference(text) or _order(text)


def sub_questions(question: str) -> tuple[str, ...]:
    """The sub-questions that the rules make of a question, in order; empty: no rule knows it."""
    if language(question) != "en":
        return ()
    known = comparison(question)
    return known.questions if known else chain(question)


def _of(
    kind: Kind, things: Sequence[str], sides: Sequence[Phrase], asked: Asked, *, greatest: bool = False
) -> Comparison:
    return Comparison(kind, tuple(map(_name, things)), tuple(sides), asked, greatest)


# A choice: “Who is older, X or Y?”

_CHOICE = re.compile(
    r"^(?P<head>(?:of (?:the|these) two,? )?(?:who|which|what)\b.*?)"
    r"\s*(?:,|:|\s[-–—]\s|\bbetween\b|\bout of\b|\bamong\b)\s*(?P<things>.+\s(?:or|and)\s.+)$",
    re.IGNORECASE,
)
_TURNED = re.compile(r"^(?P<things>.+\sor\s.+?)\s*[:,;]\s*(?P<head>(?:who|which|what)\b.*)$", re.IGNORECASE)
_WHETHER = re.compile(
    r"^(?P<verb>Was|Is|Did)\s+(?P<things>.+\sor\s.+?)\s+(?P<rest>(?:born|die|released|older|younger)\b.*)$"
)
_THROUGH = re.compile(
    r"\b(?:(?:has|have|had|with) (?:the|a)|whose)\s+(?P<role>[a-z]+)\b(?P<rest>.*)$", re.IGNORECASE
)
_NOUN = re.compile(r"^(?:who|which|what)\s+(?:of (?:the|these) two\s+)?(?P<noun>[a-z]+)\b", re.IGNORECASE)
_WORKS = r"(?:films?|movies?|songs?|albums?|books?|novels?|plays?|operas?|series|singles?|magazines?|shows?|games?)"


def _choice(text: str) -> Comparison | None:
    if whether := _WHETHER.match(text):
        text = f"Who {whether['verb'].lower()} {whether['rest']}, {whether['things']}"
    found = _CHOICE.match(text) or _TURNED.match(text)
    if found is None:
        return None
    head = found["head"].strip()
    things = _parted(found["things"], "or") or _parted(found["things"], "and")
    noun = _NOUN.match(head)
    work = _work(noun["noun"] if noun else "")
    through = _THROUGH.search(head)
    known = measured(through["rest"] if through else head, person=bool(through) or not work)
    if not things or known is None:
        return None
    asked, greatest = known
    if through is None:
        if work and asked is RELEASE:
            asked = replace(asked, question=f"When was the {work} {{}} released?")
        return _of("choice", things, [phrase(one) for one in things], asked, greatest=greatest)
    if asked.key not in ("birth", "death"):
        return None
    sides = [_through(through["role"].lower(), work, one) for one in things]
    return _of("choice", things, sides, asked, greatest=greatest)


def _work(noun: str) -> str:
    """A kind of work in the singular; empty: it is none."""
    one = noun.strip().lower()
    return (one if one == "series" else one.removesuffix("s")) if re.fullmatch(_WORKS, one) else ""


def _through(role: str, work: str, thing: str) -> Phrase:
    """Who has a role in a thing."""
    return Phrase(thing, (f"Who is the {role} of {f'the {work} {thing}' if work else thing}?",))


# Whether something is the same: “Are X and Y from the same country?”

_SAME = re.compile(
    r"^(?i:are|were|is|was|do|did|does|have|has)\s+(?P<things>.+?\sand\s.+?),?\s+"
    r"(?P<predicate>(?:(?:both|all|each)\s+)?(?:located|situated|based|from|born|buried|die|died|"
    r"of(?=\sthe\ssame)|in(?=\sthe\ssame)|have|has|share|shared|originate|come|originated|made|produced|that)\b"
    r"(?:(?!\sand\s).)*?\bsame\s+(?P<what>[a-z]+).*)$"
)
_SAME_AS = re.compile(
    r"^(?i:does|do|did|is|was)\s+(?P<one>.+?)\s+(?P<predicate>(?:have|has|share|from|of|born)\b.*?\bsame\s+[a-z]+)"
    r"\s+as\s+(?P<other>.+)$"
)
_THE_SAME = re.compile(
    r"^(?:did|do|does)\s+the\s+same\s+(?P<who>[a-z]+(?:\s[a-z]+)?)\s+(?P<verb>(?!the\b)[a-z]+)\s+"
    r"(?P<things>.+\sand\s.+)$",
    re.IGNORECASE,
)
_BOTH_OF = re.compile(
    r"^(?:both\s+)?(?:the\s+)?(?P<role>[a-z]+)s\s+of\s+(?:both\s+)?(?:the\s+)?(?P<kind>[a-z]+\s+)?[:,]?\s*(?=\S)",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"\b(?:have|has)\s+(?:the\s+)?(?P<role>[a-z]+?)s?\s+(?:who|that|from|of|born|with)\b", re.IGNORECASE
)
_PAST = {
    "write": "wrote", "build": "built", "make": "made", "win": "won", "sing": "sang", "draw": "drew", "lead": "led",
    "teach": "taught", "run": "ran",
}  # fmt: skip
_PLACES = ("place", "city", "town", "village")
_TIMES = ("year", "date", "day")


def _same(text: str) -> Comparison | None:
    if the := _THE_SAME.match(text):
        return _same_doer(the["who"].lower(), the["verb"].lower(), _parted(the["things"], "and"))
    if like := _SAME_AS.match(text):
        text = f"Do {like['one']} and {like['other']} {like['predicate']}"
    found = _SAME.match(text)
    if found is None:
        return None
    words, predicate, role = found["things"], found["predicate"].lower(), ""
    if of := _BOTH_OF.match(words):
        role, kind, words = of["role"].lower(), of["kind"] or "", words[of.end() :]
    else:
        words, kind = _without_kind(words)
    if have := _HAVE.search(predicate):
        role = have["role"].lower()
    things, work = _parted(words.strip(" ,:"), "and"), _work(kind)
    asked = _asked_same(found["what"].lower(), predicate, people=bool(role) or not work)
    if not things or asked is None:
        return None
    sides = [_through(role, work, one) if role else phrase(one) for one in things]
    return _of("same", things, sides, asked)


def _same_doer(who: str, verb: str, things: Sequence[str]) -> Comparison | None:
    past = _PAST.get(verb, verb + ("d" if verb.endswith("e") else "ed"))
    asked = Asked(verb, "name", f"Which {who} {past} {{}}?", f"{past} by")
    return _of("same", things, [Phrase(one) for one in things], asked) if things else None


def _without_kind(words: str) -> tuple[str, str]:
    """The things without what they are said to be, and that: “both villages, X and Y”, “the movies X and Y”."""
    text = re.sub(r"^both\s+", "", words, flags=re.IGNORECASE)
    found = re.match(r"^(?:of\s+)?(?:the\s+)?(?P<kind>(?:[a-z]+\s+)?[a-z]+s)\s*[,:]?\s+(?=[^a-z\s])", text)
    return (text[found.end() :], found["kind"].split()[-1]) if found else (text, "")


def _asked_same(what: str, predicate: str, *, people: bool) -> Asked | None:
    if what in ("nationality", "citizenship"):
        return NATION
    if what == "country":
        return (
            COUNTRY if re.search(r"\b(?:located|situated|in)\b", predicate) else NATION if people else ORIGIN
        )
    if "born" in predicate:
        return BIRTHPLACE if what in _PLACES else BIRTH if what in _TIMES else None
    if "die" in predicate:
        return DEATHPLACE if what in _PLACES else DEATH if what in _TIMES else None
    return None


# A difference: “How many years older is X than Y?”

_YEARS_OLDER = re.compile(
    r"^(?:by\s+)?how many years\s+(?:older|younger)\s+(?:is|was)\s+(?P<one>.+?)\s+than\s+(?P<other>.+)$",
    re.IGNORECASE,
)
_OUTLIVED = re.compile(
    r"^by how many years\s+(?:did|does)\s+(?P<one>.+?)\s+(?:outlive|survive)\s+(?P<other>.+)$", re.IGNORECASE
)


def _difference(text: str) -> Comparison | None:
    found, asked = _OUTLIVED.match(text), DEATH
    if found is None:
        found = _YEARS_OLDER.match(text)
        if found is None:
            return None
        thing = re.match(r"the\s+[a-z]", found["one"]) and not phrase(found["one"]).questions
        asked = BUILT if thing else BIRTH
    things = found["one"], found["other"]
    return _of("difference", things, [phrase(one) for one in things], asked)


# An order: “Was X born before Y?”

_ORDER = re.compile(
    r"^(?:did|was|is|were)\s+(?P<one>.+?)\s+"
    r"(?P<verb>born|die|released|built|opened|founded|published|established|made)\s+"
    r"(?P<how>before|earlier than|after|later than)\s+(?P<other>.+?)(?:\s+(?:was|did|is))?$",
    re.IGNORECASE,
)
_THAN = re.compile(r"^(?i:is|was)\s+(?P<one>.+?)\s+(?P<how>(?:more\s|less\s)?[a-z]+)\s+than\s+(?P<other>.+)$")


def _order(text: str) -> Comparison | None:
    if found := _ORDER.match(text):
        known = measured(f"was {found['verb']} first", person=True)
        later = found["how"].lower() in ("after", "later than")
    elif found := _THAN.match(text):
        known = measured(found["how"], person=True)
        later = bool(known and known[1])
    else:
        return None
    if known is None:
        return None
    things = found["one"], found["other"]
    return _of("order", things, [phrase(one) for one in things], known[0], greatest=later)


# The things


def _parted(words: str, by: str) -> tuple[str, ...]:
    """The two things of “X or Y”; empty: there are no two.

    A joining word that is written with a capital letter belongs to a name. Of several places to part, the one is
    taken behind which a name begins, and that makes the halves the most alike in length.
    """
    text = re.sub(r"^(?:either|both)\s+", "", words.strip())
    halves = [
        (text[: place.start()].strip(" ,"), text[place.end() :].strip(" ,"))
        for place in re.finditer(rf",?\s+{by}\s+", text)
    ]
    whole = [pair for pair in halves if all(pair)]
    fit = [pair for pair in whole if all(map(_begins, pair))] or whole
    return min(fit, key=lambda pair: abs(len(pair[0]) - len(pair[1])), default=())


def _begins(name: str) -> bool:
    """Whether it begins as a name or a noun phrase does."""
    return bool(re.match(r"(?:[^\W\da-z_]|\d|[“\"'‘#(¡¿]|the\s|an?\s|its\s|[a-z]+\s+of\s)", name))


def _name(thing: str) -> str:
    """A thing as an answer says it."""
    return re.sub(r"^(?:the\s+)?(?:film|movie|song|album|book|novel)\s+(?=[A-Z“\"])", "", thing).strip(' “”"')
