"""The sentence of a replay's scene: what it is worked out from, and its words.

A question's labels are known from the start, so that the sentences can name the evidence before a live run could. The
sentences themselves stand with their kinds, in `core.cards.kinds`; `core.cards.replay.narration` chooses among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.cards.passages import STAR, Stars, names, stars_of
from core.corpora.sentence_spans import sentences
from core.runs.record import Record
from core.skills.answer import MARKS
from core.trace.artefacts import Answer, AnyArtefact, Ranking, SubAnswer
from core.trace.passages import Passage
from core.wording import shortened

LETTERS = 240
"""Longest sentence."""
NAME, TEXT = 90, 100
"""Longest title, and longest text of a model, that is quoted in one."""


SINGLE = str.maketrans("“”", "‘’")


def quoted(text: str, letters: int = TEXT) -> str:
    """A text in quotation marks, cut; those within it are single ones."""
    return f"“{shortened(text, letters).translate(SINGLE)}”"


def first_words(text: str) -> str:
    """The first sentence of a model's text, without marks."""
    return next(iter(sentences(MARKS.sub("", text))), "").replace("**", "")


def answered(artefact: Answer | SubAnswer) -> str:
    """An answer in few words, without marks."""
    text = artefact.short.replace("**", "") or first_words(artefact.text)
    return quoted(text.strip(" ."), 60)


@dataclass(frozen=True)
class SceneContext:
    """A scene, and the run that it is from."""

    run: Record
    """All of it."""
    artefacts: Sequence[AnyArtefact]
    """Artefacts of the scene's steps."""
    before: Sequence[AnyArtefact]
    """Artefacts of the steps before."""

    @cached_property
    def stars(self) -> Stars:
        """Passages that hold evidence, as the labels say."""
        return stars_of(self.run)

    def names(self, passages: Iterable[Passage]) -> dict[str, str]:
        """Chunk -> what its passage is called among these, in quotation marks, with a star where it holds evidence."""
        return {
            chunk: f"{STAR} {quoted(name)}" if chunk in self.stars else quoted(name)
            for chunk, name in names(passages, NAME).items()
        }

    def found_before(self) -> set[str]:
        """Passages that earlier searches found."""
        return {
            hit.passage.chunk
            for artefact in self.before
            if isinstance(artefact, Ranking)
            for hit in artefact.used
        }

    def with_evidence(self, passages: Iterable[Passage]) -> str:
        """Say how many of these passages hold evidence, behind a comma; empty where nobody knows."""
        if not (self.run.baseline and self.run.baseline.gold):
            return ""
        count = sum(passage.chunk in self.stars for passage in passages)
        return f", {count or 'none'} of them with evidence {STAR}"


@dataclass(frozen=True)
class Sentence:
    """The sentence of a replay's scene on the artefacts of a kind."""

    order: int
    """Of several kinds in a scene, the one with the lowest number speaks that has something to say."""
    says: Callable[[Sequence[Any], SceneContext], str]
    """Raw text about the artefacts of the kind that the scene made, at least one; empty: there is nothing to say."""
