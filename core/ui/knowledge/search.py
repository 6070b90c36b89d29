"""Choosing an entity by its name: type-ahead, and the nearest ones where nothing is called so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.cards.texts import visible
from core.errors import LoupeError
from core.jobs import run_blocking
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import NodeRecord
from core.knowledge.triples import STATEMENT
from core.ui.shell.safe import literal

OFFERED = 20_000
"""Names that the browser searches itself; others are found by typing them and Enter."""
NEAREST = 6
PATIENCE_SECONDS = 20


def entity_search(
    explorer: Explorer,
    label: str,
    key: str,
    notes: DeltaGenerator,
    on_change: Callable[[], None] | None = None,
) -> NodeRecord | None:
    """Return a node chosen by name; None: none is, or there is none, which is then said in `notes`, with what is near.

    `label` and `key` are those of the field, whose value is the id of a node, or what was typed; `on_change` is called
    when something else was chosen.
    """
    known = explorer.by_id
    typed = st.selectbox(
        label,
        list(known)[:OFFERED],
        index=None,
        format_func=lambda ident: visible(known[ident].name if ident in known else ident)[:200],
        key=key,
        placeholder="Type a name",
        accept_new_options=True,
        on_change=on_change,
        persist_state="session",
    )
    if not typed:
        return None
    if typed in known:
        return known[typed]
    with notes:
        return _choose_by_text(explorer, str(typed), key, on_change)


def _choose_by_text(
    explorer: Explorer, text: str, key: str, on_change: Callable[[], None] | None
) -> NodeRecord | None:
    """Offer the nodes whose names hold the text, else the nearest in meaning; a single one is returned."""

    def choose(ident: str) -> None:
        st.session_state[key] = ident
        if on_change:
            on_change()

    nodes: Sequence[NodeRecord] = explorer.store.find(text, NEAREST) if text.strip() else ()
    entities = [node for node in nodes if explorer.graph.native or node.kind != STATEMENT]
    if len(entities) == 1 or len(nodes) == 1:
        return (entities or nodes)[0]
    if nodes:
        st.caption(f"Several names hold “{literal(text, 60)}”:")
    else:
        nodes = _nearest(explorer, text)
        st.warning(
            f"Nothing in this graph is called “{literal(text, 60)}”."
            + (" The nearest in meaning are below." if nodes else " Try another name."),
            icon=":material/search_off:",
        )
    with st.container(horizontal=True, gap="small", key=f"{key}-nearest"):
        for place, node in enumerate(nodes):
            st.button(literal(node.name, 60), key=f"{key}-near-{place}", on_click=choose, args=(node.id,))
    return None


def _nearest(explorer: Explorer, text: str) -> list[NodeRecord]:
    async def find() -> list[NodeRecord]:
        near = explorer.nearest(text[:300], NEAREST, hypernodes=False)
        return [node for node, _ in await asyncio.wait_for(near, PATIENCE_SECONDS)]

    try:
        return run_blocking(find())
    except (LoupeError, TimeoutError):
        return []  # a help only: what was typed is not there, and that is said in any case
