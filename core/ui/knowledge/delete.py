"""Deleting a graph, with a confirmation."""

from __future__ import annotations

import streamlit as st

from core.errors import LoupeError
from core.knowledge.store.importing import demo_names
from core.runs.workbench import Workbench
from core.ui.forms.graph_choice import forget_graph
from core.ui.knowledge import address
from core.ui.shell import session
from core.ui.shell.safe import literal


def delete_graph(bench: Workbench, name: str) -> None:
    """A button that asks once more."""
    with st.popover("Delete", icon=":material/delete:", key="graph-delete"):
        st.markdown(f"Deletes the graph “{literal(name)}” for everybody. Runs keep what they found in it.")
        if name in demo_names():
            st.markdown("It comes with the app: choose it again, and it is imported again.")
        st.button(
            "Delete this graph", key="graph-delete-sure", type="primary", on_click=_delete, args=(bench, name)
        )
        if error := st.session_state.pop("graph-delete-error", None):
            st.error(literal(error), icon=":material/error:")


def _delete(bench: Workbench, name: str) -> None:
    try:
        bench.graphs.delete(name, session.user(bench))
    except LoupeError as error:
        st.session_state["graph-delete-error"] = str(error)
        return
    st.session_state["graph"] = (
        None  # not the same again: a graph that comes with the app would come back at once
    )
    forget_graph()
    address.graph_chosen()
