"""Words of a sentence: what is quoted in it, and how long it may be."""

from __future__ import annotations

from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.trace.artefacts import Answer, SubAnswer
from core.wording import shortened

LETTERS = 240
"""Longest sentence."""
NAME, TEXT = 90, 100
"""Longest title, and longest text of a model, that is quoted in one."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def quoted(text: str, letters: int = TEXT) -> str:
    """A text in quotation marks, cut."""
    return f"“{shortened(text, letters)}”"


def ordinal(place: int) -> str:
    """Of a place from 0."""
    return _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"


def answered(artefact: Answer | SubAnswer) -> str:
    """An answer in few words, without marks."""
    text = artefact.short or next(iter(sentences(MARKS.sub("", artefact.text))), "")
    return quoted(text.replace("**", "").strip(" ."), 60)
