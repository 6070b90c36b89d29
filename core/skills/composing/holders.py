"""Who has a role in something: “directed by X” in the passage about a film, “the son of X” in that about a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.skills.composing.records import office_holder
from core.skills.composing.subjects import (
    JOINING,
    LONGEST_QUESTION,
    NAME,
    SITE,
    Fact,
    answers_about,
    as_fact,
    folded,
    names,
    sentences_about,
    short_answer,
    titled,
)
from core.skills.sentences import copied_sentences
from core.trace.artefacts import SubAnswer
from core.trace.passages import Passage

_NO_OCCUPATION = f"{JOINING}|and|starring|with|from|who|which|in|at|on|for|as"
_OCCUPATION = (
    r"(?:the\s+)?(?:(?:[A-Z][a-z]+\s+)?"
    rf"(?:(?!(?:{_NO_OCCUPATION})\b)[a-z/-]+\s+){{1,5}}(?:and\s+[a-z-]+\s+)?)?"
)
"""What may stand before the name: “the Danish film maker and writer”."""
_BY = r"\b[^.;]{0,25}?\s*\bby(?:\s+and\s+starr\w+)?\s+"
_LEADS = {
    "director": (
        rf"\bdirected{_BY}",
        r"\bdirector(?:\s+is|\s+was|:)\s+",
        r"\b(?:film|movie|documentary|drama|comedy)\s+by\s+",
    ),
    "composer": (rf"\b(?:composed|music|scored?|soundtrack){_BY}", r"\bcomposer(?:\s+is|\s+was|:)\s+"),
    "performer": (
        rf"\b(?:performed|recorded|sung|released){_BY}",
        r"\b(?:song|single|album|track)\s+(?:by|from)\s+",
    ),
    "author": (rf"\b(?:written|authored){_BY}", r"\b(?:novel|book|play|story|poem)\s+by\s+"),
    "writer": (rf"\bwritten{_BY}",),
    "producer": (rf"\bproduced{_BY}",),
    "founder": (rf"\b(?:founded|established){_BY}",),
    "designer": (rf"\b(?:designed|drawn){_BY}",),
    "inventor": (rf"\binvented{_BY}",),
    "builder": (rf"\bbuilt{_BY}",),
    "painter": (rf"\bpainted{_BY}",),
    "discoverer": (rf"\bdiscovered{_BY}",),
    "father": (r"\b(?:son|daughter|child)\s+of\s+", r"\bfather,?\s+(?:(?:was|is)\s+)?(?=[A-Z])"),
    "mother": (
        r"\bmother,?\s+(?:(?:was|is)\s+)?(?=[A-Z])",
        rf"\b(?:son|daughter|child)\s+of\s+{_OCCUPATION}{NAME}[^.;]{{0,40}}?"
        r"\band\s+(?:his\s+)?(?:(?:first|second|third)\s+)?(?:wife,?\s+)?",
        r"\b(?:son|daughter|child)\s+of\s+",
    ),
    "husband": (r"\b(?:married(?:\s+to)?|wife of)\s+", r"\bhusband,?\s+(?:was\s+|is\s+)?"),
    "wife": (r"\b(?:married(?:\s+to)?|husband of)\s+", r"\bwife,?\s+(?:was\s+|is\s+)?"),
    "spouse": (r"\b(?:married(?:\s+to)?|(?:wife|husband|consort|spouse) of)\s+",),
}
"""Role -> words that lead to the name of who has it, the surest first."""
_ASKED = re.compile(
    r"^Who is the (?P<role>.+?) of (?:the )?"
    r"(?:(?:film|movie|song|album|book|novel|series|play|show|single|magazine|game|opera) )?(?P<what>.+)\?$"
)


_DOES = {
    "director": "directed",
    "composer": "composed|wrote",
    "author": "wrote",
    "writer": "wrote",
    "founder": "founded|established",
    "designer": "designed|drew",
    "inventor": "invented",
    "builder": "built",
    "painter": "painted",
    "discoverer": "discovered",
}
"""Role -> what somebody does who has it, as alternatives of a pattern."""
_DOER = re.compile(r"^(?:Who|Which [\w -]+?) (?P<verb>[a-z]+) (?P<what>(?:the|an?|its) .+|[^a-z].*)\?$")
_NO_VERB = frozenset(["is", "was", "are", "were", "did", "does", "do", "has", "had", "have", "led"])


def held_by(question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Fact | None:
    """The name that answers a question for somebody: from passages by rule, else from a short sub-answer.

    Args:
        question: As the rules write it, its marks filled in: “Who is the director of the film X?”, “Who painted X?”.
        answers: To sub-questions, whoever wrote these.
        passages: All evidence.
    """
    if len(question) > LONGEST_QUESTION:
        return None
    asked = _ASKED.match(question)
    if asked and (found := _read(asked["role"], asked["what"], passages)):
        return found
    if in_office := office_holder(question, passages):
        return in_office
    known = short_answer(question, question, answers)
    if known and (not asked or _may_be(asked["role"], str(known.value), passages)):
        return known
    for answer in answers_about(asked["what"], answers) if asked else ():
        said = f"{answer.question} {answer.searched}".casefold()
        if asked and answer.short and asked["role"] in said and not said.startswith(("when", "where", "how")):
            return as_fact(answer.short.rstrip("."), answer)
    if asked:
        return _done(_DOES.get(asked["role"], ""), asked["what"], passages)
    doer = _DOER.match(question)
    return _done(doer["verb"], doer["what"], passages) if doer and doer["verb"] not in _NO_VERB else None


def _read(role: str, thing: str, passages: Sequence[Passage]) -> Fact | None:
    """From passages about the thing; a relative also from those about others."""
    for before in _LEADS.get(role, ()):
        pattern = re.compile(rf"{before}{_OCCUPATION}(?P<holder>{NAME})")
        for passage, sentence in sentences_about(thing, passages):
            name = _holder(pattern.search(sentence))
            if name and folded(name) != folded(thing) and _may_be(role, name, passages):
                return Fact(name, name, sentence, passage.chunk)
    return _related(role, thing, passages) if role in _GENDERS else None


def _related(relative: str, thing: str, passages: Sequence[Passage]) -> Fact | None:
    """“X's daughter Y”, “Y, daughter of X”; in a passage about X “his daughter Y”, in one about Y “a daughter of X”."""
    own = {passage.chunk for passage in titled(thing, passages)}
    whose = rf"(?:{re.escape(thing)}['’]s?|(?P<own>\b[Hh]is|\b[Hh]er))"
    child = re.compile(
        rf"{whose}\s+(?:\w+\s+)?{relative},?\s+(?:was\s+|is\s+)?(?:the\s+\w+\s+)?(?P<holder>{NAME})"
    )
    of = re.compile(
        rf"(?:(?P<own>\b(?:He|She))|(?P<holder>{NAME}),?)\s+(?:was\s+|is\s+)?(?:a|an|the)?\s*(?:\w+\s+)?{relative}\s+of\s+"
        rf"{_OCCUPATION}{re.escape(thing)}(?!\w)"
    )
    for passage in passages:
        title = SITE.sub("", passage.title)
        for sentence in copied_sentences(passage.text):
            found = child.search(sentence)
            if found and (not found["own"] or passage.chunk in own) and (name := _holder(found)):
                return Fact(name, name, sentence, passage.chunk)
            if found := of.search(sentence):
                name = title if found["own"] else _holder(found)
                if name and _may_be(relative, name, passages):
                    return Fact(name, name, sentence, passage.chunk)
    return None


_GENDERS = {
    **dict.fromkeys(("father", "husband", "son", "brother", "uncle", "nephew"), "he"),
    **dict.fromkeys(("mother", "wife", "daughter", "sister", "aunt", "niece"), "she"),
}


def _may_be(role: str, name: str, passages: Sequence[Passage]) -> bool:
    """Whether what is said of somebody does not speak against a relation: “she” of a father.

    Of a child that names one parent only, that is taken for the mother where the passages call that parent “she”.
    """
    if role not in _GENDERS:
        return True
    text = " ".join(sentence for _, sentence in sentences_about(name, passages))
    she, he = (
        len(re.findall(rf"\b(?:{words})\b", text, re.IGNORECASE)) for words in ("she|her", "he|his|him")
    )
    if role == "mother":
        return she > he
    return she == he or ("she" if she > he else "he") == _GENDERS[role]


def _done(verbs: str, thing: str, passages: Sequence[Passage]) -> Fact | None:
    """From any sentence that says who did it: “Ada Moor painted the Grey Door”, “… was painted by Ada Moor”."""
    if not verbs:
        return None
    active = re.compile(
        rf"(?P<holder>{NAME})\s+(?:\w+ly\s+|also\s+|had\s+|first\s+)?(?:{verbs})\b(?P<rest>.*)$"
    )
    passive = re.compile(
        rf"^(?P<rest>.*?)\b(?:{verbs})\s+(?:in\s+\d{{4}}\s+)?by\s+{_OCCUPATION}(?P<holder>{NAME})"
    )
    for passage in passages:
        for sentence in copied_sentences(passage.text):
            if not names(thing, sentence):
                continue
            for pattern in (active, passive):
                found = pattern.search(sentence)
                name = _holder(found)
                if (
                    found
                    and name
                    and names(thing, found["rest"])
                    and _near(thing, found["rest"], pattern is passive)
                ):
                    return Fact(name, name, sentence, passage.chunk)
    return None


def _near(thing: str, rest: str, before: bool) -> bool:
    """Whether a thing stands next to the verb."""
    words, first = folded(rest).split(), folded(thing).split()[-1]
    places = [place for place, word in enumerate(words) if word == first]
    length = len(folded(thing).split())
    return any((len(words) - place if before else place) <= length + _BETWEEN for place in places)


_BETWEEN = 4
"""Words that may stand between a verb and its object."""


def _holder(found: re.Match[str] | None) -> str:
    """The name that was found; empty: none, or one in the genitive, as in “the daughter of Muhammad's cousin”."""
    name = found["holder"].strip(" ,.") if found else ""
    return "" if re.search(r"['’]s?$", name) or name.casefold() in _PRONOUNS else name


_PRONOUNS = frozenset(["he", "she", "it", "they", "who", "the", "this", "that", "his", "her"])
