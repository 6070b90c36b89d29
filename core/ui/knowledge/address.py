"""The graph and the entity in the page's address, so that what is on screen can be linked."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from core.ui.shell.address import write_param
from core.ui.shell.widgets import fill

GRAPH, ENTITY = "graph", "entity"
"""Names of the query parameters: name of the graph, id of the node that the drawing begins with."""
SECTION, MORE = "section", "more"
"""Keys of the choice of a section, and of one of those under More; both are in the address too."""


def restore(names: Collection[str]) -> None:
    """Choose the graph that the address names; to be called before the choice is drawn."""
    wanted = st.query_params.get(GRAPH)
    if wanted is None:
        return
    chosen = wanted if wanted in names else None
    fill("graph", chosen)
    if chosen is None:
        st.warning("The graph in this address is not here. Choose another one.", icon=":material/search_off:")


def restore_section(rare: Collection[str]) -> None:
    """Choose More before the choices are drawn, where the address names one of its sections, the `rare` ones."""
    named = st.query_params.get(SECTION)
    if named in rare:
        for key, title in ((SECTION, "More"), (MORE, str(named))):
            fill(key, title)
            write_param(key, title)
    elif MORE in st.query_params and SECTION not in st.session_state.keys() | st.query_params.keys():
        st.session_state[SECTION] = "More"


def graph_chosen() -> None:
    """Take the graph out of the address: another one was chosen by hand."""
    write_param(GRAPH, None)
    write_param(ENTITY, None)


def explore(name: str) -> None:
    """Go to a graph; to be called before the page is drawn."""
    write_param(GRAPH, name)
    write_param(ENTITY, None)
    st.session_state[SECTION] = "Explore"


def entity() -> str:
    """Return the id of the node in the address; empty: none."""
    return str(st.query_params.get(ENTITY, ""))
