"""Comparisons: which things a question compares, about what, and the sub-questions that ask for it.

“Who is older, X or Y?” becomes one question for each, “When was X born?”; where a thing is itself a question (“the
director of X”), its own questions come first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from core.skills.composing.chains import MARK, Phrase, chain, phrase
from core.skills.sentences import language

Kind = Literal["choice", "same", "order", "difference"]
Value = Literal["date", "amount", "country", "place", "name"]


@dataclass(frozen=True)
class Asked:
    """What must be known of each thing."""

    key: str
    """`birth`, `death`, `release`, `country`, `birthplace`, `deathplace`; or the word that the facts are found by."""
    value: Value
    question: str
    """With `{}` for the thing."""
    says: str
    """How a step says it: “X: born 1912”."""


@dataclass(frozen=True)
class Comparison:
    """A question that is answered by comparing one fact of each of some things."""

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


BIRTH = Asked("birth", "date", "When was {} born?", "born")
DEATH = Asked("death", "date", "When did {} die?", "died")
RELEASE = Asked("release", "date", "When was {} released?", "released")
NATION = Asked("country", "country", "What nationality is {}?", "")
COUNTRY = Asked("country", "country", "In which country is {}?", "")
ORIGIN = Asked("country", "country", "Which country is {} from?", "")
BIRTHPLACE = Asked("birthplace", "place", "Where was {} born?", "born in")
DEATHPLACE = Asked("deathplace", "place", "Where did {} die?", "died in")

_WORKS = r"(?:films?|movies?|songs?|albums?|books?|novels?|plays?|operas?|series|singles?|magazines?|shows?|games?)"
_LEAST = r"first|earlier|earliest|sooner"
_GREATEST = r"later|latest|last|(?:more|most)\s+recently"
_FIRST_OR_LAST = rf"(?P<end>{_LEAST}|{_GREATEST})"
_MEASURES = {
    "long": ("longer", "longest", 1), "tall": ("taller", "tallest", 1), "high": ("higher", "highest", 1),
    "large": ("larger|bigger", "largest|biggest", 1), "deep": ("deeper", "deepest", 1),
    "heavy": ("heavier", "heaviest", 1), "wide": ("wider|broader", "widest|broadest", 1), "fast": ("faster", "fastest", 1),
    "expensive": ("more expensive|dearer", "most expensive|dearest", 1), "far": ("farther|further", "farthest|furthest", 1),
}  # fmt: skip
_LESSER = {
    "long": "shorter|shortest", "large": "smaller|smallest", "high": "lower|lowest", "heavy": "lighter|lightest",
    "wide": "narrower|narrowest", "fast": "slower|slowest", "expensive": "cheaper|cheapest|less expensive",
}  # fmt: skip
_PAST = {"write": "wrote", "build": "built", "make": "made", "win": "won", "sing": "sang", "found": "founded",
         "draw": "drew", "lead": "led", "teach": "taught", "run": "ran"}  # fmt: skip


def comparison(question: str) -> Comparison | None:
    """What a question compares; None: it compares no two named things in a way that is known."""
    text = re.sub(r"\s+", " ", question).strip().rstrip("?").strip()
    if language(question) != "en":
        return None
    return _choice(text) or _same(text) or _difference(text) or _order(text)


def sub_questions(question: str) -> tuple[str, ...]:
    """The sub-questions that the rules make of a question, in order; empty: no rule knows it."""
    if language(question) != "en":
        return ()
    known = comparison(question)
    return known.questions if known else chain(question)


# A choice: “Who is older, X or Y?”

_CHOICE = re.compile(
    r"^(?P<head>(?:of (?:the|these) two,? )?(?:who|which|what)\b.*?)\s*(?:,|:|\s[-–—]\s|\bbetween\b|\bout of\b|\bamong\b)\s*"
    r"(?P<things>.+\s(?:or|and)\s.+)$",
    re.IGNORECASE,
)
_ROLE_OF = re.compile(
    r"\b(?:has (?:the|a)|have (?:the|a)|with (?:the|a)|whose|had (?:the|a))\s+(?P<role>[a-z]+)\b(?P<rest>.*)$",
    re.IGNORECASE,
)


def _choice(text: str) -> Comparison | None:
    if whether := re.match(
        rf"^(?:Was|Is|Did)\s+(?P<things>.+\sor\s.+?)\s+(?P<rest>(?:born|die|released|older|younger)\b.*)$",
        text,
    ):
        auxiliary = {"b": "was ", "r": "was ", "d": "did ", "o": "is ", "y": "is "}[whether["rest"][0]]
        text = f"Who {auxiliary}{whether['rest']}, {whether['things']}"
    found = _CHOICE.match(text)
    if found:
        head, things = (
            found["head"].strip(),
            _parted(found["things"], "or") or _parted(found["things"], "and"),
        )
    else:  # “X or Y: which is older”
        other = re.match(
            r"^(?P<things>.+\sor\s.+?)\s*[:,;]\s*(?P<head>(?:who|which|what)\b.*)$", text, re.IGNORECASE
        )
        if not other:
            return None
        head, things = other["head"], _parted(other["things"], "or")
    if not things:
        return None
    through = _ROLE_OF.search(head)
    noun = re.match(
        r"^(?:who|which|what)\s+(?:of (?:the|these) two\s+)?(?P<noun>[a-z]+)\b", head, re.IGNORECASE
    )
    kind = noun["noun"].lower() if noun else ""
    work = kind if re.fullmatch(_WORKS, kind) else ""
    predicate = through["rest"] if through else head
    measured = _measured(
        predicate, person=bool(through) or head.lower().startswith("who") or not work, work=work
    )
    if measured is None:
        return None
    asked, greatest = measured
    if through and asked.key in ("birth", "death", "country"):
        sides = [
            Phrase(one, (f"Who is the {through['role'].lower()} of {_called(work, one)}?",)) for one in things
        ]
    elif through:
        return None
    else:
        sides = [phrase(one) for one in things]
        if work and asked is RELEASE:
            asked = replace(
                asked,
                question=f"When was the {work.removesuffix('s') if work != 'series' else work} {{}} released?",
            )
    return Comparison("choice", tuple(map(_name, things)), tuple(sides), asked, greatest)


def _called(work: str, name: str) -> str:
    one = work if work == "series" else work.removesuffix("s")
    return f"the {one} {name}" if one else name


def _measured(predicate: str, *, person: bool, work: str) -> tuple[Asked, bool] | None:
    """What is asked of each thing, and whether the greatest is wanted."""
    text = predicate.lower()
    end = re.search(rf"\b{_FIRST_OR_LAST}\b", text)
    greatest = bool(end and re.fullmatch(_GREATEST, end["end"]))
    if re.search(r"\b(?:older|elder|oldest|eldest)\b", text):
        return (BIRTH if person else RELEASE, False)
    if re.search(r"\b(?:younger|youngest)\b", text):
        return (BIRTH if person else RELEASE, True)
    if re.search(r"\bnewer|newest\b", text):
        return RELEASE, True
    if end and re.search(r"\bborn\b", text):
        return BIRTH, greatest
    if end and re.search(r"\b(?:die[ds]?|death)\b", text):
        return DEATH, greatest
    if end and re.search(r"\b(?:released|came out|come out|premiered)\b", text):
        return RELEASE, greatest
    if end and (
        verb := re.search(
            r"\b(?:was|were|is|got)\s+(?:[a-z]+ly\s+)?(?:first\s+|last\s+)?(?P<verb>[a-z]+(?:ed|t|wn|n))\b",
            text,
        )
    ):
        word = verb["verb"]
        return Asked(word, "date", f"When was {{}} {word}?", word), greatest
    if end and (verb := re.search(r"\b(?P<verb>began|started|opened|ended|closed)\b", text)):
        word = verb["verb"]
        bare = {"began": "begin"}.get(word, re.sub(r"ed$", "", word) + ("e" if word == "closed" else ""))
        return Asked(word, "date", f"When did {{}} {bare}?", word), greatest
    return _amount(text)


def _amount(text: str) -> tuple[Asked, bool] | None:
    number = re.search(
        r"\b(?:has|have|had|with)\s+(?:the\s+)?(?P<how>more|most|fewer|fewest|less|least)\s+(?P<noun>[a-z]+(?:\s[a-z]+)?)$",
        text,
    )
    if number:
        noun = number["noun"]
        asked = Asked(noun.split()[-1].rstrip("s"), "amount", f"How many {noun} does {{}} have?", noun)
        return asked, number["how"] in ("more", "most")
    for word, (more, most, _) in _MEASURES.items():
        if re.search(rf"\b(?:{more}|{most})\b", text):
            return Asked(word, "amount", f"How {word} is {{}}?", word), True
    for word, less in _LESSER.items():
        if re.search(rf"\b(?:{less})\b", text):
            return Asked(word, "amount", f"How {word} is {{}}?", word), False
    return None


# Whether something is the same: “Are X and Y from the same country?”

_SAME = re.compile(
    r"^(?i:are|were|is|was|do|did|does|have|has)\s+(?P<things>.+?\s(?:and)\s.+?),?\s+"
    r"(?P<predicate>(?:(?:both|all|each)\s+)?(?:located|situated|based|from|born|buried|die|died|of(?=\sthe\ssame)|"
    r"in(?=\sthe\ssame)|have|has|share|shared|originate|come|originated|made|produced|that)\b(?:(?!\sand\s).)*?\bsame\s+"
    r"(?P<what>[a-z]+)(?P<more>.*))$"
)
_SAME_AS = re.compile(
    r"^(?i:does|do|did|is|was)\s+(?P<a>.+?)\s+(?P<predicate>(?:have|has|share|from|of|born)\b.*?\bsame\s+(?P<what>[a-z]+))\s+as\s+(?P<b>.+)$"
)
_THE_SAME = re.compile(
    r"^(?:did|do|does)\s+the\s+same\s+(?P<who>[a-z]+(?:\s[a-z]+)?)\s+(?P<verb>(?!the\b)[a-z]+)\s+(?P<things>.+\sand\s.+)$",
    re.IGNORECASE,
)
_BOTH_OF = re.compile(
    r"^(?:both\s+)?(?:the\s+)?(?P<role>[a-z]+)s\s+of\s+(?:both\s+)?(?:the\s+)?(?P<kind>[a-z]+\s+)?[:,]?\s*(?=\S)",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"\b(?:have|has)\s+(?:the\s+)?(?P<role>[a-z]+?)s?\s+(?:who\b|that\b|from\b|of\b|born\b|with\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:both\s+)?(?:of\s+)?(?:the\s+)?(?:two\s+)?(?P<kind>(?:high\s+)?[a-z]+s)?\s*[,:]?\s+(?=\S)",
    re.IGNORECASE,
)


def _same(text: str) -> Comparison | None:
    if the := _THE_SAME.match(text):
        things = _parted(the["things"], "and")
        verb = the["verb"].lower()
        past = _PAST.get(verb, verb + "d" if verb.endswith("e") else verb + "ed")
        if not things:
            return None
        asked = Asked(verb, "name", f"Which {the['who'].lower()} {past} {{}}?", past + " by")
        return Comparison("same", tuple(map(_name, things)), tuple(Phrase(one) for one in things), asked)
    if like := _SAME_AS.match(text):
        text = f"Do {like['a']} and {like['b']} {like['predicate']}"
    found = _SAME.match(text)
    if not found:
        return None
    words, predicate, what = found["things"], found["predicate"].lower(), found["what"].lower()
    role = kind = ""
    if of := _BOTH_OF.match(words):
        role, kind = of["role"].lower(), (of["kind"] or "").strip().lower()
        words = words[of.end() :]
    else:
        words, kind = _without_kind(words)
    if have := _HAVE.search(predicate):
        role = have["role"].lower()
    things = _parted(words.strip(" ,:"), "and")
    if not things or len(things) != 2:
        return None
    people = bool(role) or not (kind and re.fullmatch(_WORKS, kind))
    known = _asked_same(what, predicate, people, located="locat" in predicate or "situated" in predicate)
    if known is None:
        return None
    if role:
        work = kind if re.fullmatch(_WORKS, kind) else ""
        sides = tuple(Phrase(one, (f"Who is the {role} of {_called(work, one)}?",)) for one in things)
    else:
        sides = tuple(phrase(one) for one in things)
    return Comparison("same", tuple(map(_name, things)), sides, known)


def _without_kind(words: str) -> tuple[str, str]:
    """The things without what they are said to be: “both villages, X and Y”, “the movies X and Y”."""
    text = re.sub(r"^both\s+", "", words, flags=re.IGNORECASE)
    found = re.match(r"^(?:of\s+)?(?:the\s+)?(?P<kind>(?:[a-z]+\s+)?[a-z]+s)\s*[,:]?\s+(?=[^a-z\s])", text)
    return (text[found.end() :], found["kind"].split()[-1]) if found else (text, "")


def _asked_same(what: str, predicate: str, people: bool, *, located: bool) -> Asked | None:
    if what in ("nationality", "citizenship"):
        return NATION
    if what == "country":
        return COUNTRY if located else NATION if people else ORIGIN
    if what in ("place", "city", "town", "village") and "born" in predicate:
        return BIRTHPLACE
    if what in ("place", "city", "town", "village") and "die" in predicate:
        return DEATHPLACE
    if what in ("year", "date", "day") and "born" in predicate:
        return replace(BIRTH, value="date")
    if what in ("year", "date", "day") and "die" in predicate:
        return replace(DEATH, value="date")
    return None


# A difference: “How many years older is X than Y?”

_YEARS_OLDER = re.compile(
    r"^(?:by\s+)?how many years\s+(?P<how>older|younger)\s+(?:is|was)\s+(?P<a>.+?)\s+than\s+(?P<b>.+)$",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"^by how many years\s+(?:did|does)\s+(?P<a>.+?)\s+(?P<verb>outlive|survive)\s+(?P<b>.+)$", re.IGNORECASE
)
_VERB_DATE = Asked("built", "date", "When was {} built or opened?", "from")


def _difference(text: str) -> Comparison | None:
    asked = DEATH
    found = _YEARS.match(text)
    if not found:
        found = _YEARS_OLDER.match(text)
        if not found:
            return None
        named = not re.match(r"the\s+[a-z]", found["a"])
        asked = BIRTH if named or phrase(found["a"]).questions else _VERB_DATE
    things = (found["a"], found["b"])
    return Comparison("difference", tuple(map(_name, things)), tuple(map(phrase, things)), asked)


# An order: “Was X born before Y?”

_ORDER = re.compile(
    r"^(?P<aux>did|was|is|were)\s+(?P<a>.+?)\s+(?P<verb>born|die|released|built|opened|founded|published|established|made)\s+"
    r"(?P<how>before|earlier than|after|later than)\s+(?P<b>.+)$",
    re.IGNORECASE,
)
_THAN = re.compile(r"^(?i:is|was)\s+(?P<a>.+?)\s+(?P<how>(?:more\s|less\s)?[a-z]+)\s+than\s+(?P<b>.+)$")


def _order(text: str) -> Comparison | None:
    if found := _ORDER.match(text):
        verb, later = found["verb"].lower(), found["how"].lower() in ("after", "later than")
        asked = {"born": BIRTH, "die": DEATH, "released": RELEASE}.get(verb) or Asked(
            verb, "date", f"When was {{}} {verb}?", verb
        )
    elif found := _THAN.match(text):
        measured = _measured(found["how"], person=True, work="")
        if measured is None:
            return None
        asked, later = measured
    else:
        return None
    b = re.sub(r"\s+(?:was|did|is)$", "", found["b"])
    things = (found["a"], b)
    return Comparison("order", tuple(map(_name, things)), tuple(map(phrase, things)), asked, later)


# The things


def _parted(words: str, by: str) -> tuple[str, ...]:
    """The things of “X or Y” and “X, Y or Z”; empty: it is not certain where one ends.

    A joining word that is written with a capital letter belongs to a name.
    """
    text = words.strip().rstrip("?").strip()
    text = re.sub(r"^(?:either|both)\s+", "", text)
    places = [one.span() for one in re.finditer(rf",?\s+{by}\s+", text)]
    if not places:
        return ()
    halves = [(text[:start].strip(" ,"), text[end:].strip(" ,")) for start, end in places]
    fit = [pair for pair in halves if all(map(_begins, pair))] or halves
    pair = min(fit, key=lambda two: abs(len(two[0]) - len(two[1])))
    return pair if all(pair) else ()


def _begins(name: str) -> bool:
    """Whether it begins as a name or a noun phrase does."""
    return bool(re.match(r"(?:[^\W\da-z_]|\d|[“\"'‘#(¡¿]|the\s|an?\s|its\s|director\s)", name))


def _name(thing: str) -> str:
    """A thing as an answer says it."""
    return re.sub(r"^(?:the\s+)?(?:film|movie|song|album|book|novel)\s+(?=[A-Z“\"])", "", thing).strip(' “”"')


# What the last question of a chain asks

_LAST = (
    (BIRTH, r"(?:When|In (?:which|what) year|On (?:which|what) (?:day|date)) (?:was|is) {} born"),
    (
        BIRTH,
        r"What (?:is|was) {}['’]s (?:date of birth|birth ?date|birthday)|What (?:is|was) the (?:date|year) of birth of {}",
    ),
    (BIRTH, r"When (?:is|was) {}['’]s birthday|What year was {} born"),
    (
        DEATH,
        r"(?:When|In (?:which|what) year|On (?:which|what) (?:day|date)) did {} die|What (?:is|was) the (?:date|year) of death of {}",
    ),
    (
        BIRTHPLACE,
        r"(?:Where|In (?:which|what) (?:city|town|place|village)) (?:was|is) {} born|(?:What|Where) (?:is|was) the (?:place of birth|birthplace) of {}",
    ),
    (
        DEATHPLACE,
        r"(?:Where|In (?:which|what) (?:city|town|place|village)) did {} die|(?:What|Where) (?:is|was) the place of death of {}",
    ),
    (
        NATION,
        r"What (?:is the )?nationality (?:is|was|of) {}|(?:From )?(?:[Ww]hich|[Ww]hat) country (?:is |was |does )?{} (?:is |was |comes? )?from|What (?:is|was) {}['’]s nationality",
    ),
    (NATION, r"(?:From|In) (?:which|what) country (?:is|was|does) {}(?: come)?(?: from)?"),
)


def asked_of(question: str) -> tuple[Asked, str] | None:
    """What a simple question asks of a thing, and that thing: “When was #1 born?”; None: something else."""
    text = question.strip().rstrip("?").strip()
    for asked, pattern in _LAST:
        first, *others = pattern.split("{}")
        counted = first + "".join(f"(?P<thing{place}>.+?){part}" for place, part in enumerate(others))
        if found := re.fullmatch(counted, text):
            thing = next(value for value in found.groupdict().values() if value)
            return asked, thing
    return None
