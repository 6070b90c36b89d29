"""What stands beside a span that could be an answer, as named numbers: what a linear model weighs.

Everything is read off the question, the sentence, and the title of its passage; nothing names a subject.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.skills.spans.candidates import Candidate
from core.skills.spans.wanted import Wanted
from core.skills.spans.words import FUNCTION_WORDS, Word, stem, stems, word_set, words

SHORTEST_TITLE = 3
_POSSESSIVE = re.compile(r"['’]s\b|s['’]\s")
_OF = re.compile(r"\bof\b", re.IGNORECASE)
_DEMONYM = re.compile(r"^[A-Z][\w]+(?:an|ian|ish|ese|ch|i|ic)(?:[ -][A-Z][\w]+(?:an|ian|ish|ese|ch|i|ic))?$")
"""Adjectives of nations, by their endings."""
REACH = 4.0
"""Words over which a word of the question beside a span counts less and less: its weight falls to 1/e."""
_BEFORE = FUNCTION_WORDS | {",", "(", ")", "-", ":", ";", '"', "“", "–", "'s"}
_LENGTHS = word_set(
    "m km cm mm metre metres meter meters kilometre kilometres kilometer kilometers mile miles foot feet "
    "inch inches yard yards league leagues acre acres hectare hectares"
)
_TIMES = word_set(
    "year years month months week weeks day days hour hours minute minutes second seconds decade decades "
    "century centuries night nights"
)
_MEASURED: Mapping[str, frozenset[str]] = {
    "how long": _LENGTHS | _TIMES, "how far": _LENGTHS, "how tall": _LENGTHS, "how high": _LENGTHS,
    "how deep": _LENGTHS, "how wide": _LENGTHS,
    "how old": _TIMES, "how often": _TIMES, "how late": _TIMES, "how early": _TIMES,
}  # fmt: skip
"""What a question word measures -> units that answer it."""


@dataclass(frozen=True)
class Source:
    """A sentence that may hold the answer."""

    passage: int
    """Place of its passage, from 0."""
    title: str
    place: int
    """In its passage, from 0."""
    text: str
    fit: float
    """Relevance to the question, see `core.skills.relevance`."""

    @cached_property
    def split(self) -> tuple[Word, ...]:
        """Its words."""
        return words(self.text)

    @cached_property
    def stemmed(self) -> tuple[str, ...]:
        """The stem of each word; empty for words of grammar."""
        return tuple(stem(word.text) for word in self.split)


class Asked:
    """A question beside the sentences that may answer it: what is rare among them says most."""

    def __init__(self, question: str, wanted: Wanted, sources: Sequence[Source]) -> None:
        self.wanted = wanted
        self.sources = sources
        self.terms = list(dict.fromkeys(stems(question)))
        inside = [set(source.stemmed) for source in sources]
        counts = Counter(term for held in inside for term in held)
        self.weights = {
            term: math.log((len(sources) + 1) / (counts[term] + 0.5)) if counts[term] else 0.0
            for term in self.terms
        }
        self.total = sum(self.weights.values()) or 1.0
        self.best = max((source.fit for source in sources), default=0.0)
        texts = Counter(word.lower for source in sources for word in source.split)
        self.frequent = texts
        self.lowered = question.lower()
        titles = {source.passage: source.title for source in sources}
        self.about = {place: self._title_share(title) for place, title in titles.items()}
        self.led_to = {
            place: max((self._leads(other, title) for other in titles if other != place), default=0.0)
            for place, title in titles.items()
        }
        """Passage -> how much of the question another passage is about that names this one beside a word of the
        question: the second step of two, as in “the director of …”."""
        # A possessive or an “of” more than “date of …” takes: the question leads over somebody else.
        self.steps = min(2, len(_POSSESSIVE.findall(question)) + max(0, len(_OF.findall(question)) - 1))
        self.verb = self.terms[-1] if self.terms else ""

    def _title_share(self, title: str) -> float:
        own = set(stems(title))
        return len(own & set(self.terms)) / len(own) if own else 0.0

    def _leads(self, passage: int, title: str) -> float:
        """How much the question is about a passage, and how near to a word of the question it names a title."""
        bare = re.sub(r"(?:(?<!\s)\s+)?\([^)]{0,300}\)$", "", title).casefold()
        if len(bare) <= SHORTEST_TITLE or not self.about[passage] or bare in self.lowered:
            return 0.0
        own = set(stems(next(source.title for source in self.sources if source.passage == passage)))
        best = 0.0
        for source in self.sources:
            place = source.text.casefold().find(bare) if source.passage == passage else -1
            if place < 0:
                continue
            inside = [i for i, word in enumerate(source.split) if place <= word.start < place + len(bare)]
            asked = [
                i
                for i, one in enumerate(source.stemmed)
                if one in self.weights and one not in own and i not in inside
            ]
            distance = min((min(abs(i - j) for j in inside) for i in asked), default=None) if inside else None
            best = max(best, 0.2 if distance is None else 0.2 + 0.8 * math.exp(-(distance - 1) / REACH))
        return self.about[passage] * best

    @cached_property
    def of_sentences(self) -> list[dict[str, float]]:
        """What holds for every span of a sentence."""
        return [self._of_sentence(source) for source in self.sources]

    def _of_sentence(self, source: Source) -> dict[str, float]:
        kind = self.wanted.kind
        held = set(source.stemmed)
        share = sum(weight for term, weight in self.weights.items() if term in held) / self.total
        titled = set(stems(source.title))
        with_title = (
            sum(weight for term, weight in self.weights.items() if term in held or term in titled)
            / self.total
        )
        return {
            "fit": (source.fit - self.best) * 5,
            "best fit": float(source.fit == self.best),
            "share": share,
            "share with title": with_title,
            "rank": 1 / (1 + source.passage),
            "about": self.about[source.passage],
            f"{kind}|about": self.about[source.passage],
            "led to": self.led_to[source.passage],
            f"{kind}|led to": self.led_to[source.passage],
            "about, in steps": self.about[source.passage] * self.steps,
            "led to, in steps": self.led_to[source.passage] * self.steps,
            "first": float(source.place == 0),
            f"{kind}|led to first": self.led_to[source.passage] * float(source.place == 0),
        }

    def nothing(self, count: int) -> dict[str, float]:
        """What speaks for no answer being there.

        Args:
            count: Number of spans.
        """
        kind = self.wanted.kind
        about, led = max(self.about.values(), default=0.0), max(self.led_to.values(), default=0.0)
        held = {one for source in self.sources for one in (*source.stemmed, *stems(source.title))}
        missing = sum(term not in held for term in self.terms) / max(1, len(self.terms))
        return {
            "nothing": 1.0,
            f"nothing|{kind}": 1.0,
            "nothing fit": self.best,
            "nothing few": 1 / (1 + count),
            "nothing about": about,
            "nothing led to": led,
            f"nothing led to|{kind}": led,
            "nothing missing": missing,
            "nothing steps": float(" of " in self.lowered)
            + float("'s " in self.lowered or "’s " in self.lowered),
        }

    def features(self, index: int, candidate: Candidate) -> dict[str, float] | None:
        """What stands beside a span of the sentence at `index`; None: it says nothing that the question does not."""
        source, kind = self.sources[index], self.wanted.kind
        inside = [
            i
            for i, word in enumerate(source.split)
            if candidate.start <= word.start and word.end <= candidate.end
        ]
        if not inside:
            return None
        first, last = inside[0], inside[-1]
        own = [source.stemmed[i] for i in inside if source.stemmed[i]]
        shared = [one for one in own if one in self.weights]
        if own and len(shared) == len(own):
            return None
        content = sum(source.split[i].is_word for i in inside)
        found = dict(self.of_sentences[index])
        found[f"{kind}:{candidate.form}"] = 1.0
        found["own"] = len(shared) / max(1, len(own))
        found[f"{kind}|length {min(content, 6)}"] = 1.0
        self._beside(found, source, first, last)
        self._looks(found, source, candidate, inside)
        self._measure(found, source, candidate, first, last)
        return found

    def _beside(self, found: dict[str, float], source: Source, first: int, last: int) -> None:
        """Words of the question near the span, and the words right beside it."""
        kind, asks = self.wanted.kind, self.wanted.asks
        near = left = right = 0.0
        reached: dict[str, float] = {}
        clause_first, clause_last = _clause(source.split, first, last)
        in_clause = 0.0
        counted: set[str] = set()
        for place, one in enumerate(source.stemmed):
            if not one or first <= place <= last or one not in self.weights:
                continue
            distance = first - place if place < first else place - last
            worth = self.weights[one] / self.total * math.exp(-distance / REACH)
            reached[one] = max(reached.get(one, 0.0), worth)
            if place < first:
                left = max(left, math.exp(-distance / REACH))
            else:
                right = max(right, math.exp(-distance / REACH))
            if clause_first <= place <= clause_last and one not in counted:
                counted.add(one)
                in_clause += self.weights[one] / self.total
        near = sum(reached.values())
        found["near"] = near
        found["clause"] = in_clause
        found[f"{kind}|left"] = left
        found[f"{kind}|right"] = right
        if self.verb in reached and self.weights[self.verb]:
            found["last word"] = reached[self.verb] / self.weights[self.verb] * self.total
        if self.terms and self.terms[0] in reached and self.weights[self.terms[0]]:
            found["first word"] = reached[self.terms[0]] / self.weights[self.terms[0]] * self.total
        before = source.split[first - 1].lower if first else "^"
        after = source.split[last + 1].lower if last + 1 < len(source.split) else "$"
        found[f"{kind}|before {before if before in _BEFORE or before == '^' else 'word'}"] = 1.0
        found[f"{kind}|after {after if after in _BEFORE or after in '$.' else 'word'}"] = 1.0
        if first > 1:
            earlier = source.stemmed[first - 2]
            if earlier and earlier in self.weights:
                found[f"{kind}|asked before {before if before in _BEFORE else 'word'}"] = 1.0
                found[f"asked before {before if before in _BEFORE else 'word'}"] = 1.0
        if first and source.stemmed[first - 1] in self.weights and source.stemmed[first - 1]:
            found[f"{kind}|asked just before"] = 1.0
        if (
            last + 1 < len(source.split)
            and source.stemmed[last + 1] in self.weights
            and source.stemmed[last + 1]
        ):
            found[f"{kind}|asked just after"] = 1.0
        heads = self.wanted.heads
        if heads:
            held = source.stemmed[first : last + 1]
            beside = source.stemmed[max(0, first - 2) : first] + source.stemmed[last + 1 : last + 3]
            found[f"{kind}|head inside"] = float(any(head in held for head in heads))
            found[f"{kind}|head beside"] = float(any(head in beside for head in heads))
            found[f"{kind}|head last"] = float(bool(held) and held[-1] in heads)
        if asks not in ("what", "which"):
            found[f"{asks}|first in sentence"] = float(first == 0)

    def _looks(
        self, found: dict[str, float], source: Source, candidate: Candidate, inside: list[int]
    ) -> None:
        """Capitals, title, brackets, how often it is said."""
        kind = self.wanted.kind
        content = [source.split[i] for i in inside if source.split[i].is_content]
        capital = [word for word in content if word.text[0].isupper()]
        found[f"{kind}|capital"] = len(capital) / max(1, len(content))
        found[f"{kind}|digits"] = float(any(char.isdigit() for char in candidate.text))
        lower, title = candidate.text.casefold(), source.title.casefold()
        found[f"{kind}|in title"] = float(lower in title)
        if lower in title and self.led_to[source.passage] > self.about[source.passage]:
            found["title led to"] = self.led_to[source.passage]
        found["often"] = math.log1p(min((self.frequent[word.lower] for word in content), default=0))
        opening = source.text.rfind("(", 0, candidate.start)
        bracketed = opening >= 0 and ")" not in source.text[opening : candidate.start]
        found[f"{kind}|bracketed"] = float(bracketed)
        # A run that begins or ends with a verb, or between two capitals, is a piece of something longer.
        begin, end = inside[0], inside[-1]
        cut = (begin > 0 and _joins(source.split[begin - 1], source.split[begin])) or (
            end + 1 < len(source.split) and _joins(source.split[end], source.split[end + 1])
        )
        found["cut"] = float(cut)
        for name, word in (("begins", source.split[begin].lower), ("ends", source.split[end].lower)):
            for ending in ("ed", "ing", "ly", "s"):
                if word.endswith(ending) and word[0].islower():
                    found[f"{name} {ending}"] = 1.0
        if kind == "nation":
            found["demonym"] = float(bool(_DEMONYM.match(candidate.text)) and not cut)
        if bracketed and (kind == "place" or (kind == "date" and candidate.form in ("date", "year"))):
            self._life(found, source, candidate, opening)

    def _life(self, found: dict[str, float], source: Source, candidate: Candidate, opening: int) -> None:
        """In the brackets behind a name, what stands first is of the birth and what stands second of the death."""
        closing = source.text.find(")", candidate.end)
        whole = source.text[opening : closing if closing > 0 else None]
        parts = re.split(r"(?<!\s)\s+[–—-]\s*|(?:(?<!\s)\s+)?[–—]\s*", whole, maxsplit=1)
        if not re.search(r"\d", whole):
            return
        if "bear" in self.weights or "die" in self.weights:
            second = len(parts) == 2 and candidate.start - opening >= len(parts[0])
            died = "die" in self.weights and "bear" not in self.weights
            if len(parts) == 2:
                found["life"] = 1.0 if second == died else -1.0
            elif died:
                found["life"] = -1.0

    def _measure(
        self, found: dict[str, float], source: Source, candidate: Candidate, first: int, last: int
    ) -> None:
        """Whether the unit of a number is one that the question measures in."""
        if self.wanted.kind != "number" or candidate.form not in ("number", "measure"):
            return
        asks = self.wanted.asks
        around = {word.lower for word in source.split[first : last + 3]}
        units = _MEASURED.get(asks)
        found[f"{asks}:{candidate.form}"] = 1.0
        if units is not None:
            found["unit"] = 1.0 if around & units else -1.0
            found["unit inside"] = float(bool({w.lower for w in source.split[first : last + 1]} & units))
        if asks == "how much":
            found["money"] = float(candidate.text[0] in "$€£¥" or "%" in candidate.text)
        if set(self.wanted.heads) & {"percentag", "percent", "proport", "share"}:
            found["percent"] = 1.0 if "%" in candidate.text or "percent" in candidate.text else -1.0
        if candidate.form == "number" and re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", candidate.text):
            found["year as number"] = 1.0


def _clause(split: tuple[Word, ...], first: int, last: int) -> tuple[int, int]:
    """Places of the first and the last word of the clause around a span: up to a comma, a semicolon or a bracket."""
    marks = {",", ";", "(", ")", ":"}
    begin = first
    while begin > 0 and split[begin - 1].text not in marks:
        begin -= 1
    end = last
    while end + 1 < len(split) and split[end + 1].text not in marks:
        end += 1
    return begin, end


def _joins(left: Word, right: Word) -> bool:
    """Whether two neighbours are parts of one name."""
    return left.text[0].isupper() and right.text[0].isupper() and right.start - left.end <= 1
