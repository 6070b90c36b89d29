"""Who has a role in something: “directed by X” in the passage about a film, “the son of X” in that about a person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.skills.composing.subjects import (
    JOINING,
    NAME,
    Fact,
    answers_about,
    as_fact,
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


def held_by(question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Fact | None:
    """The name that answers a question for somebody: from the passage with that title, else from a short sub-answer.

    Args:
        question: As the rules write it, its marks filled in: “Who is the director of the film X?”.
        answers: To sub-questions, whoever wrote these.
        passages: All evidence.
    """
    asked = _ASKED.match(question)
    if asked and (found := _read(asked["role"], titled(asked["what"], passages))):
        return found
    if known := short_answer(question, question, answers):
        return known
    for answer in answers_about(asked["what"], answers) if asked else ():
        said = f"{answer.question} {answer.searched}".casefold()
        if asked and answer.short and asked["role"] in said and not said.startswith(("when", "where", "how")):
            return as_fact(answer.short.rstrip("."), answer)
    return None


def _read(role: str, passages: Sequence[Passage]) -> Fact | None:
    for before in _LEADS.get(role, ()):
        pattern = re.compile(rf"{before}{_OCCUPATION}(?P<holder>{NAME})")
        for passage in passages:
            for sentence in copied_sentences(passage.text):
                found = pattern.search(sentence)
                # “The daughter of Muhammad's cousin” does not name the father.
                if found and not re.search(r"['’]s?$", found["holder"]):
                    name = found["holder"].strip(" ,.")
                    return Fact(name, name, sentence, passage.chunk)
    return None
