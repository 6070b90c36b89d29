"""Draws cards and their parts on the page; `core.report` draws the same ones as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from core.cards.parts import (
    Aid,
    Beside,
    Card,
    Change,
    Chip,
    Cites,
    Code,
    Drawing,
    Fold,
    Heading,
    Line,
    Lines,
    Mark,
    Note,
    Part,
    Prose,
)
from core.cards.passages import shortened
from core.cards.recorded import ICON
from core.ui.run import citations
from core.ui.shell.assets import drawing
from core.ui.shell.safe import answer_markdown, literal
from core.wording import counted

CHIP_LETTERS = 40
ANY_MARK = range(1, 100)
"""Numbers that count as citation marks of a draft."""


def draw_card(card: Card, key: str) -> None:
    """A card in its frame."""
    with frame(card, key):
        draw_parts(card.parts, key)


@contextmanager
def frame(card: Card, key: str) -> Iterator[None]:
    """The frame of a card: its icon, its name, what it is about, and how long its step took."""
    with st.container(border=card.framed, key=f"card-{card.kind}-{key}", gap="small"):
        if not card.framed:
            yield
            if card.mark:
                draw_mark(card.mark)
            return
        detail = f" · {literal(card.subtitle, 160)}" if card.subtitle else ""
        edited = " :gray-badge[:material/edit: edited here]" if card.edited else ""
        took = f" :gray[:small[{card.seconds:.2f} s]]" if card.seconds is not None else ""
        mark = f" {_badge(card.mark)}" if card.mark else ""
        help_text = literal(card.mark.help) if card.mark else None
        st.markdown(f":material/{card.icon}: **{card.title}**{detail}{edited}{took}{mark}", help=help_text)
        yield


def draw_mark(mark: Mark) -> None:
    """A small mark with what it means."""
    st.markdown(_badge(mark), help=literal(mark.help))


def _badge(mark: Mark) -> str:
    """Quiet where nothing was new."""
    return f":{'gray' if mark.icon == ICON else 'blue'}-badge[:material/{mark.icon}: {mark.text}]"


def draw_parts(parts: Sequence[Part], key: str) -> None:
    """Parts below one another."""
    for part in parts:
        _draw(part, key)


def _draw(part: Part, key: str) -> None:
    match part:
        case Drawing():
            draw_drawing(part, key)
        case Aid():
            st.caption(f":material/lightbulb: {literal(part.text)}")
        case Note():
            icon = f":material/{part.icon}: " if part.icon else ""
            st.caption(f"{icon}{literal(part.text)}", help=literal(part.help) or None)
        case Heading():
            st.markdown(f"**{literal(part.text)}**")
        case Lines():
            _lines(part)
        case Change():
            st.markdown(f"{literal(part.before)} → **{literal(part.after)}**")
        case Code():
            st.code(part.text, language=None)
        case Prose():
            known = part.chunks
            st.markdown(
                answer_markdown(part.text, ANY_MARK if known is None else known, leads=known is not None)
            )
        case Fold():
            with st.expander(literal(part.title), expanded=part.open, key=f"{part.slot}-{key}"):
                draw_parts(part.parts, key)
        case Beside():
            _beside(part, key)
        case Cites():
            _cites(part, key)


def _beside(part: Beside, key: str) -> None:
    with st.grid(len(part.columns), min_column_width=300, gap="small"):
        for column in part.columns:
            with st.container(gap="small"):
                draw_parts(column, key)


def _cites(part: Cites, key: str) -> None:
    with st.container(horizontal=True, gap="small", key=f"citations-{key}"):
        for chip in part.chips:
            _chip(chip, key)


def draw_drawing(part: Drawing, key: str) -> None:
    """A drawing; passages that citations lead to open the one that was chosen."""
    opened, times = citations.chosen(key)
    chosen = {"open": opened or "", "asked": times} if part.name == "passages" else {}
    named = "-".join(filter(None, (part.name, part.slot, key)))
    drawing(part.name)(data={**part.data, **chosen}, key=named)


def _lines(part: Lines) -> None:
    if part.quiet:
        st.caption("  \n".join(f"**{literal(line.head)}** {literal(line.text, 140)}" for line in part.lines))
        return
    marks = (f"{number}." if part.numbered else "-" for number in range(1, len(part.lines) + 1))
    lines = (f"{mark} {_line(line, part)}" for mark, line in zip(marks, part.lines, strict=True))
    st.markdown("\n".join(lines))


def _line(line: Line, part: Lines) -> str:
    if part.struck:
        return f"~~{literal(line.text)}~~ — {literal(line.remark)}"
    head = f"**{literal(line.head)}** " if line.head else ""
    remark = f" :gray[:small[{literal(line.remark)}]]" if line.remark else ""
    return f"{head}{literal(line.text)}{remark}"


def _chip(chip: Chip, key: str) -> None:
    used = counted(chip.uses, "sentence")
    st.button(
        f"**{chip.number}** {literal(shortened(chip.title, CHIP_LETTERS), CHIP_LETTERS)}",
        key=f"cite-{key}-{chip.number}",
        help=f"Cited by {used} of the answer. Opens the passage and marks the words it was used for.",
        on_click=citations.choose,
        args=(key, chip.chunk),
    )
