"""The stage of a run: one step is open, the others are folded to a line that says what they did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.outcome import Outcome
from core.cards.stage import MAP, PASSAGES, PLAYBACK, Entry, centre, of_node
from core.ui.cards.parts import draw_parts
from core.ui.cards.rows import draw_row
from core.ui.run.edit import edit_cards
from core.ui.run.embedding_map import draw_embedding_map
from core.ui.run.machinery import draw_machinery
from core.ui.run.opened import open_entry, opened
from core.ui.run.outcome import draw_baseline
from core.ui.run.playback import draw_playback
from core.ui.shell.safe import literal

WHOLE = "all-steps"
"""Key of the switch that shows every step at once."""


def on_stage(found: Sequence[Entry], scene: Scene) -> str:
    """Key of what is open; empty: nothing is."""
    chosen = opened(scene.key)
    known = {entry.key for entry in found}
    return str(chosen) if chosen == "" or chosen in known else centre(found, scene)


def choose(found: Sequence[Entry], scene: Scene, node: str) -> None:
    """Open what a node of the diagram leads to; clicked again, the next of its steps."""
    if key := of_node(found, node, on_stage(found, scene)):
        open_entry(scene.key, key)


def draw_stage(found: Sequence[Entry], scene: Scene, came: Outcome | None, editing: str) -> None:
    """The steps.

    Args:
        found: What can stand there.
        scene: The run.
        came: What it came to.
        editing: As `run` of `core.ui.run.edit.edit_cards`.
    """
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("### Step by step", width="content")
        whole = st.toggle(
            "All steps open",
            key=WHOLE,
            persist_state="session",
            help="Every step at once, one below the other.",
        )
    shown = on_stage(found, scene)
    with st.container(gap="xsmall", key=f"steps-{scene.key}"):
        for entry in found:
            if whole and entry.key != MAP:
                _whole(entry, scene, came, editing)
            else:
                _folding(entry, scene, came, editing, opened=entry.key == shown)
        draw_machinery(scene.record, scene.key)


def _whole(entry: Entry, scene: Scene, came: Outcome | None, editing: str) -> None:
    """With its own frame and heading."""
    if entry.row is None:
        st.markdown(f"### {literal(entry.title)}")
        _draw(entry, scene, came, editing)
        return
    framed = [replace(shown, card=replace(shown.card, framed=True)) for shown in entry.row.shown]
    draw_row(replace(entry.row, shown=tuple(framed)), scene, editing)


def _folding(entry: Entry, scene: Scene, came: Outcome | None, editing: str, *, opened: bool) -> None:
    """A line, and below it what it leads to, if that is open."""
    key = f"step-{scene.key}-{entry.key}"
    st.session_state[key] = opened
    took = f" :gray[:small[{entry.seconds:.2f} s]]" if entry.seconds is not None else ""
    told = f" {literal(entry.said)}" if entry.said else ""
    edited = " :gray-badge[:material/edit: edited here]" if entry.edited else ""
    with st.expander(
        f"**{literal(entry.title)}**{told}{edited}{took}",
        icon=f":material/{entry.icon}:",
        key=key,
        on_change=_toggled,
        args=(scene.key, entry.key, key),
    ):
        if opened:
            _draw(entry, scene, came, editing)


def _toggled(run: str, entry: str, key: str) -> None:
    open_entry(run, entry if st.session_state[key] else "")


def _draw(entry: Entry, scene: Scene, came: Outcome | None, editing: str) -> None:
    if entry.row is not None:
        draw_row(entry.row, scene, editing)
    elif entry.key == PASSAGES:
        _passages(scene, came, editing)
    elif entry.key == MAP:
        draw_embedding_map(scene.record, scene.key)
    elif entry.key == PLAYBACK:
        draw_playback([artefact for _, artefact in scene.record.artefacts], scene.key, colour=scene.colour)
    else:
        draw_parts(entry.parts, scene.key)


def _passages(scene: Scene, came: Outcome | None, editing: str) -> None:
    """What was given to the answer, and below it what plain retrieval finds in its place."""
    record = scene.record
    if record.context is None:
        return
    with st.container(key=f"evidence-{scene.key}", gap="small"):
        draw_parts(card_of(record.context, scene).parts, scene.key)
        edit_cards(
            [(step.id, made) for step, made in record.artefacts if made is record.context], editing, scene.key
        )
        draw_baseline(scene, came)
