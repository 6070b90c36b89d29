"""Facts that a comparison needs, found in sub-answers and in the passages they were given, by rule.

A fact counts only where its subject is certain: a passage whose title is the subject's name, a sentence that begins
with it, or the answer to a sub-question about it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.retrieval.tokens import tokens
from core.skills.composing.countries import countries_in
from core.skills.composing.questions import Asked
from core.skills.composing.values import Amount, When, amounts_in, dates_in
from core.skills.sentences import copied_sentences
from core.trace.artefacts import SubAnswer
from core.trace.passages import Passage

Value = When | Amount | frozenset[str] | str
"""A date, a number, countries, or a name or place as it is written."""


@dataclass(frozen=True)
class Fact:
    """One fact, with the words that say it."""

    value: Value
    words: str
    """As a step shows it."""
    quote: str
    """The sentence that says it, word for word."""
    chunk: str
    """Of the passage that holds it; empty: the answer of a sub-question without a passage."""


_BRACKET = re.compile(r"\s*\([^)]*\)\s*")
_NEAR = 70
"""Characters behind a word such as “born” within which its date stands."""
_BORN = r"(?:\bborn\b|\bb\.)"
_DIED = r"(?:\bdied\b|\bdeath\b|\bd\.|†|\bwas killed\b|\bpassed away\b)"
_OUT = r"\b(?:released|premiered|published|aired|came out|issued|première[d]?)\b"
_WORK = r"\b(?:film|movie|drama|comedy|song|album|single|novel|book|series|play|musical|documentary|opera|western|thriller|episode|game|magazine)\b"
_NAME = r"[^\W\da-z_][\w.'’‘-]*(?:(?:\s+(?:[^\W\da-z_][\w.'’‘-]*|(?:of|the|de|del|da|di|du|van|von|der|den|la|le|el|al|ibn|bin|y|e|dos)(?=\s)))*\s+[^\W\da-z_][\w.'’‘-]*)?"
_JOINS = "and|starring|with|from|who|which|in|at|on|for|as|de|del|della|van|von|der|den|la|le|el|di|da|du|dos|al|ibn|bin|y|of"
_OCCUPATION = (
    rf"(?:the\s+)?(?:(?:[A-Z][a-z]+\s+)?(?:(?!(?:{_JOINS})\b)[a-z/-]+\s+){{1,5}}(?:and\s+[a-z-]+\s+)?)?"
)
"""What may stand between “by” and the name."""
_UP_TO_BY = r"\b[^.;]{0,25}?\s*\bby(?:\s+and\s+starr\w+)?\s+"
_BY = {
    "director": (
        rf"\bdirected{_UP_TO_BY}",
        r"\bdirector(?:\s+is|\s+was|:)\s+",
        r"\b(?:film|movie|documentary|drama|comedy)\s+by\s+",
    ),
    "composer": (rf"\b(?:composed|music|scored?|soundtrack){_UP_TO_BY}", r"\bcomposer(?:\s+is|\s+was|:)\s+"),
    "performer": (
        rf"\b(?:performed|recorded|sung|released){_UP_TO_BY}",
        r"\b(?:song|single|album|track)\s+(?:by|from)\s+",
    ),
    "author": (rf"\b(?:written|authored){_UP_TO_BY}", r"\b(?:novel|book|play|story|poem)\s+by\s+"),
    "writer": (rf"\bwritten{_UP_TO_BY}",),
    "producer": (rf"\bproduced{_UP_TO_BY}",),
    "founder": (rf"\b(?:founded|established){_UP_TO_BY}",),
    "designer": (rf"\b(?:designed|drawn){_UP_TO_BY}",),
    "inventor": (rf"\binvented{_UP_TO_BY}",),
    "builder": (rf"\bbuilt{_UP_TO_BY}",),
    "painter": (rf"\bpainted{_UP_TO_BY}",),
    "discoverer": (rf"\bdiscovered{_UP_TO_BY}",),
    "father": (r"\b(?:son|daughter|child)\s+of\s+", r"\bfather,?\s+(?:(?:was|is)\s+)?(?=[A-Z])"),
    "mother": (
        r"\bmother,?\s+(?:(?:was|is)\s+)?(?=[A-Z])",
        rf"\b(?:son|daughter|child)\s+of\s+{_OCCUPATION}{_NAME}[^.;]{{0,40}}?\band\s+(?:his\s+)?(?:(?:first|second|third)\s+)?(?:wife,?\s+)?",
    ),
    "husband": (r"\b(?:married(?:\s+to)?|wife of)\s+", r"\bhusband,?\s+(?:was\s+|is\s+)?"),
    "wife": (r"\b(?:married(?:\s+to)?|husband of)\s+", r"\bwife,?\s+(?:was\s+|is\s+)?"),
    "spouse": (r"\b(?:married(?:\s+to)?|(?:wife|husband|consort|spouse) of)\s+",),
}
"""Role -> words that lead to the name of who has it, the surest first."""


def folded(text: str) -> str:
    """Letters and digits of a name, without brackets, accents and case."""
    plain = unicodedata.normalize("NFKD", _BRACKET.sub(" ", text) or text)
    return " ".join(re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)).casefold()))


def _kept(text: str) -> str:
    """Like `folded`, with what stands in brackets."""
    return folded(text.replace("(", " ").replace(")", " "))


def titled(subject: str, passages: Iterable[Passage]) -> list[Passage]:
    """The passages whose title is a name, those first that also have what stands in brackets behind it.

    Where there is none, those of the only title that ends with it: “V. Ravichandran” for “Ravichandran”.
    """
    bare, whole = folded(subject), _kept(subject)
    if not bare:
        return []
    pool = list(passages)
    found = [one for one in pool if folded(one.title) == bare]
    if found:
        return [one for one in found if _kept(one.title) == whole] or found
    longer = [one for one in pool if folded(one.title).endswith(f" {bare}") and "," not in one.title]
    return longer if len({one.title for one in longer}) == 1 else []


_ROLE_OF = re.compile(
    r"^Who is the (?P<role>.+?) of (?P<the>the )?(?:(?:film|movie|song|album|book|novel|series|play|show|single|magazine|game|opera) )?"
    r"(?P<what>.+)\?$"
)


def held_by(question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Fact | None:
    """The name that answers a question for somebody: by rule from a passage with that title, or a short sub-answer.

    Args:
        question: As the rules write it, its marks filled in: “Who is the director of the film X?”.
    """
    asked = _ROLE_OF.match(question)
    if asked:
        for before in _BY.get(asked["role"], ()):
            pattern = re.compile(rf"{before}{_OCCUPATION}(?P<holder>{_NAME})")
            for passage in titled(asked["what"], passages):
                for sentence in copied_sentences(passage.text):
                    found = pattern.search(sentence)
                    if found and not re.search(r"['’]s?$", found["holder"]):
                        name = found["holder"].strip(" ,.")
                        return Fact(name, name, sentence, passage.chunk)
    if known := answered(question, question, answers):
        return known
    if asked:
        for answer in _about(asked["what"], answers, asked["role"]):
            if answer.short and not re.match(r"when|where|how", answer.question, re.IGNORECASE):
                return Fact(answer.short.rstrip("."), answer.short, *_source(answer))
    return None


def answered(question: str, searched: str, answers: Sequence[SubAnswer]) -> Fact | None:
    """The short answer to exactly this sub-question.

    Args:
        question: As it was listed, with its marks.
        searched: With the marks filled in.
    """
    wanted = {folded(question), folded(searched)}
    for answer in answers:
        if (
            not answer.abstained
            and answer.short
            and wanted & {folded(answer.question), folded(answer.searched)}
        ):
            return Fact(answer.short.rstrip("."), answer.short, *_source(answer))
    return None


def fact(
    asked: Asked, subject: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]
) -> Fact | None:
    """What is asked of a thing; None: nothing says it for certain."""
    for passage, sentence in _sentences_about(subject, passages):
        if found := _read(asked, sentence, passage):
            value, words = found
            return Fact(value, words, sentence, passage.chunk)
    for answer in _about(subject, answers, ""):
        if given := _answered(asked, answer):
            return Fact(*given, *_source(answer))
    return None


def _sentences_about(subject: str, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str]]:
    own = titled(subject, passages)
    for passage in own:
        for sentence in copied_sentences(passage.text):
            yield passage, sentence
    begins = folded(subject)
    for passage in passages:
        if passage not in own and begins:
            for sentence in copied_sentences(passage.text):
                if f"{folded(sentence)} ".startswith(f"{begins} "):
                    yield passage, sentence


def _about(subject: str, answers: Sequence[SubAnswer], role: str) -> list[SubAnswer]:
    """The sub-answers to questions that name a thing, and a role where one is given."""
    wanted = set(folded(subject).split()) - {"the", "a", "an"}
    return [
        one
        for one in answers
        if not one.abstained
        and wanted
        and wanted <= set(folded(f"{one.question} {one.searched}").split())
        and (not role or role in f"{one.question} {one.searched}".casefold())
    ]


def _source(answer: SubAnswer) -> tuple[str, str]:
    cited = answer.citations[0] if answer.citations else None
    return (cited.quote, cited.chunk) if cited else (answer.text, "")


def _answered(asked: Asked, answer: SubAnswer) -> tuple[Value, str] | None:
    """What the answer to a sub-question gives, if that question asks for it."""
    said = f"{answer.question} {answer.searched}".casefold()
    text = answer.short or answer.text
    if asked.value == "date":
        if asked.key == "birth" and "born" not in said and "birth" not in said:
            return None
        if asked.key == "death" and not re.search(r"\bdie[ds]?\b|death", said):
            return None
        if not re.match(r"\W*when|.*\b(?:year|date|day)\b", said):
            return None
        if not answer.short and asked.key in ("birth", "death"):
            return _birth_or_death(text, asked.key)
        dates = [when for _, _, when in dates_in(text)]
        return (dates[0], dates[0].words) if dates else None
    if asked.value == "amount":
        amounts = amounts_in(answer.short) if answer.short else []
        return (amounts[0], amounts[0].words) if len(amounts) == 1 else None
    if asked.value == "country":
        if not re.search(r"country|national|citizen", said):
            return None
        found = countries_in(text)
        return _countries(text, found[:1] if answer.short else found[-1:])
    if answer.short:
        return answer.short.rstrip("."), answer.short
    return None


def _countries(text: str, found: Sequence[tuple[int, int, str]]) -> tuple[Value, str] | None:
    """Countries that stand together in a text, and its words for them."""
    return (frozenset(name for _, _, name in found), text[found[0][0] : found[-1][1]]) if found else None


def _read(asked: Asked, sentence: str, passage: Passage) -> tuple[Value, str] | None:
    """What a sentence about a thing says of it."""
    if asked.key in ("birth", "death"):
        return _birth_or_death(sentence, asked.key)
    if asked.key == "release":
        return _release(sentence)
    if asked.value == "date":
        return _by_word(sentence, asked.key)
    if asked.value == "country":
        return _country(sentence)
    if asked.key in ("birthplace", "deathplace"):
        return _place(sentence, asked.key)
    return None


def _date(when: When) -> tuple[Value, str]:
    return when, when.words


_GLUED = re.compile(r"(?<=[12]\d{3})(?=\d{1,2}\s+[A-Z][a-z]+\s+[12]\d{3})")
"""Two dates between which a dash was lost, as happens when text is taken from a page."""


def _birth_or_death(sentence: str, key: str) -> tuple[Value, str] | None:
    sentence = _GLUED.sub(" – ", sentence)
    dates = dates_in(sentence)
    for (_, end, first), (start, _, second) in zip(dates, dates[1:], strict=False):
        between = sentence[end:start]
        if (
            len(between) <= 45
            and (not between.strip() or re.search(r"[–—-]", between))
            and ")" not in between
            and "(" in sentence[:end]
        ):
            opened = sentence.rindex("(", 0, end)
            if end - opened < 120 and not re.search(
                r"\b(?:reign|ruled|in office|active|served)", sentence[opened:end]
            ):
                return _date(first if key == "birth" else second)
    word = re.compile(_BORN if key == "birth" else _DIED)
    for found in word.finditer(sentence):
        for start, _, when in dates:
            if 0 <= start - found.end() <= _NEAR and not re.search(r"[.;)]\s", sentence[found.end() : start]):
                return _date(when)
    return None


def _release(sentence: str) -> tuple[Value, str] | None:
    dates = dates_in(sentence)
    for start, end, when in dates:
        if re.search(r"\b(?:is|was)\s+(?:a|an|the)\s+$", sentence[:start]) and re.search(
            _WORK, sentence[end : end + 90]
        ):
            return _date(when)
    for found in re.finditer(_OUT, sentence):
        for start, _, when in dates:
            if 0 <= start - found.end() <= _NEAR:
                return _date(when)
    for start, end, when in dates:
        if sentence[:start].endswith("(") and re.search(_WORK, sentence[end : end + 60]):
            return _date(when)
    return None


def _by_word(sentence: str, word: str) -> tuple[Value, str] | None:
    stem = re.sub(r"(?:ed|d|t)$", "", word)
    found = re.search(rf"\b{re.escape(stem)}\w*", sentence, re.IGNORECASE)
    dates = dates_in(sentence)
    if not found or not dates:
        return None
    near = min(dates, key=lambda one: abs(one[0] - found.end()))
    return _date(near[2]) if abs(near[0] - found.end()) <= _NEAR else None


_COPULA = re.compile(r"\b(?:is|was|were|are)\s+(?:(?:a|an|the|one)\b)")


def _country(sentence: str) -> tuple[Value, str] | None:
    """The nationality in “X is a South Korean film director”; else the last country of “in A, B, Iran”."""
    copula = _COPULA.search(sentence)
    rest = sentence[copula.end() :] if copula else ""
    if not rest:
        return _native(sentence)
    # What follows the noun speaks of something else: “an American writer who lived in France”.
    clause = re.split(r"\b(?:who|which|that|whose|best|known|and is|directed|starring|by)\b", rest)[0]
    found = countries_in(clause)
    if not found:
        return _native(sentence)
    start = found[0][0]
    if re.search(r"\b(?:in|of|from|at|near)\b", clause[:start]):
        return _countries(clause, found[-1:])
    run = [found[0]]
    for one in found[1:]:
        if not re.fullmatch(r"\s*(?:[-–/,]|and|-?born)?\s*(?:-?\s*born)?\s*", clause[run[-1][1] : one[0]]):
            break
        run.append(one)
    return _countries(clause, run)


def _native(sentence: str) -> tuple[Value, str] | None:
    """The country of “born in A, B”, for want of a nationality."""
    place = _place(sentence, "birthplace")
    found = countries_in(place[1]) if place else []
    return _countries(place[1], found[-1:]) if place else None


def _place(sentence: str, key: str) -> tuple[Value, str] | None:
    """“Born in X”; else the places beside the dates of “(X, 1924 – Y, 1979)” and “(3 March 1930, X – 1979, Y)”."""
    word = _BORN if key == "birthplace" else _DIED
    found = re.search(rf"{word}[^.;]{{0,40}}?\b(?:in|at)\s+(?P<place>{_NAME}(?:,\s+{_NAME})?)", sentence)
    if not found and (bracket := re.search(r"\(([^()]*\d[^()]*)\)", sentence)):
        halves = re.split(r"\s*[–—]\s*|\s+-\s+", bracket[1])
        if len(halves) == 2:
            half = halves[key == "deathplace"]
            for start, end, _ in reversed(dates_in(half)):
                half = f"{half[:start]} {half[end:]}"
            found = re.match(rf"[\s,]*(?:in\s+)?(?P<place>{_NAME}(?:,\s+{_NAME})?)[\s,]*$", half)
    return (found["place"], found["place"]) if found else None


def same(asked: Asked, first: Value, second: Value) -> bool | None:
    """Whether two values are the same; None: that cannot be told."""
    if isinstance(first, frozenset) and isinstance(second, frozenset):
        return bool(first & second)
    if isinstance(first, When) and isinstance(second, When):
        return first.first[0] == second.first[0] if first.first[0] == first.last[0] else None
    if isinstance(first, str) and isinstance(second, str):
        one, two = folded(first.split(",")[0]), folded(second.split(",")[0])
        return one == two or (asked.value == "name" and bool(one and two) and _parts_of(one, two))
    if isinstance(first, Amount) and isinstance(second, Amount):
        return first.value == second.value if first.kind == second.kind else None
    return None


def _parts_of(one: str, two: str) -> bool:
    """Whether one name is a part of the other: “Orme” and “Rafe Orme”."""
    short, long = sorted((set(tokens(one)), set(tokens(two))), key=len)
    return bool(short) and short <= long
