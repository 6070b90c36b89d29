"""The text of a lesson, taken apart: a case without a heading, then sections in a fixed order.

The page and the site put the parts in the same places: the case, the explorable, the tour, the explanation, a number
worked out by hand, what is looked up and so folds, and the end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from core.strategies.lessons import lesson, text, tour

NOTICE = "What to notice"
BY_HAND = "By hand"
FORMULA = "The formula"
WHEN_NOT = "When not to use it"
TRY = "Look for yourself"
EXPLAINED = (NOTICE, "Why it works", "Step by step")
"""Sections after the explorable and the tour."""
REFERENCE = (
    FORMULA,
    "What goes wrong in careless versions",
    "What the paper measured",
    "How this differs from the paper",
)
"""Sections that fold."""
SECTIONS = (*EXPLAINED, BY_HAND, *REFERENCE, WHEN_NOT, TRY)
"""All sections, in the order of the text. A lesson may lack the formula."""
READING = """\
- A name in *italics* is something in this app: a setting, such as *RRF constant k*, a page or a lesson.
- **[1]** after a sentence of an answer names the passage that it cites. **[0]** before an answer means “not in the
  passages”; **[?]** means “suggested, but nowhere stated”, **[+]** “only a part”.
- A capable model is a large one of today. The recorded runs are by such a model, Claude; the small model that comes
  with this app writes far weaker text.
- ★ marks evidence: a passage that somebody labelled as holding the answer, or a part of it.
- Some demo questions were written to show a strategy. Such questions show that it can help, not how often.
"""
"""Help for reading a lesson, as Markdown."""

WORDS_A_MINUTE = 150
"""Words that somebody reads who thinks about them."""
GUESS_MINUTES, EXERCISE_MINUTES = 2, 1
STOPS_A_MINUTE = 6

_HEADING = re.compile(r"^### (.+)\n", re.M)


@dataclass(frozen=True)
class LessonText:
    """A lesson's text in parts, each in Markdown."""

    case: str
    """A question, what plain retrieval does with it, and what is different with the strategy."""
    sections: dict[str, str]
    """Title -> text, in the order of the file."""

    def part(self, title: str) -> str:
        """The section with this title; empty: the lesson lacks it."""
        return self.sections.get(title, "")

    def under_headings(self, titles: tuple[str, ...]) -> str:
        """The sections with these titles, each below its heading."""
        return "\n\n".join(f"### {title}\n\n{self.part(title)}" for title in titles if self.part(title))


def lesson_text(key: str) -> LessonText:
    """The text of the lesson with this key, in parts; all are empty where it has none."""
    case, *rest = _HEADING.split(text(key))
    titles, parts = rest[::2], rest[1::2]
    return LessonText(case.strip(), {title: part.strip() for title, part in zip(titles, parts, strict=True)})


def minutes(key: str) -> int:
    """Return about how long a lesson takes: reading all but what folds, guessing, the tour and the exercise."""
    written, parts, stops = lesson_text(key), lesson(key), tour(key)
    words = len(written.case.split())
    words += sum(len(part.split()) for title, part in written.sections.items() if title not in REFERENCE)
    extra = GUESS_MINUTES * bool(parts.guess) + EXERCISE_MINUTES * bool(parts.exercise)
    return ceil(words / WORDS_A_MINUTE + extra + (len(stops.stops) / STOPS_A_MINUTE if stops else 0))
