"""A page with nothing but drawings of graphs: `?graph=hostile`, or a number of nodes."""

import streamlit as st

from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.ui.run.network import draw_network
from tests.examples.networks import big, hostile


def page() -> None:
    """Draw it."""
    graph = st.query_params.get("graph", "small")
    if graph == "small":
        nodes = [NetworkNode("ann", "Ann", "person"), NetworkNode("oslo", "Oslo", "city")]
        if st.toggle("More"):
            nodes.append(NetworkNode("bob", "Bob", "person"))
        edges = [
            NetworkEdge(f"e-{node.key}", node.key, "oslo", "lives_in") for node in nodes if node.key != "oslo"
        ]
        network = Network(tuple(nodes), tuple(edges), hidden=1234)
    else:
        network = hostile() if graph == "hostile" else big(int(graph))
    clicked = draw_network(network, "test")
    st.text(f"Clicked {clicked.what} {clicked.key}" if clicked else "Nothing clicked")
