"""Words of a sentence: what is quoted in it, and how long it may be."""

from __future__ import annotations

from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.trace.artefacts import Answer, SubAnswer

LETTERS = 160
"""Longest sentence."""
NAME, TEXT = 46, 80
"""Longest title, and longest text of a model, that is quoted in one."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def shortened(text: str, letters: int) -> str:
    """A text on one line, at most so long, and not cut within a word where that is far from its end."""
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    cut = line[: letters - 1]
    whole = cut.rpartition(" ")[0]
    return f"{(whole if len(whole) > letters * 2 // 3 else cut).rstrip(' ,;:')}…"


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
