"""Questions to what comes with the app, as its own examples ask them."""

from __future__ import annotations

from typing import Any

from core.corpora.demo import DEMO_CORPUS
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.request import RunRequest
from core.strategies import get_strategy

DEMO_GRAPH = next(graph.name for graph in DEMO_GRAPHS if graph.corpus == DEMO_CORPUS)
"""The graph of the facts that its documents tell."""


def demo_request(question: str, strategy: str, **how: Any) -> RunRequest:
    """A question through a strategy with default parameters: to the demo corpus, its graph, or both, as it needs them.

    Args:
        question: Its text.
        strategy: Its key.
        how: Further fields of the request.

    Raises:
        InputError: There is no such strategy.
    """
    found = get_strategy(strategy)
    return RunRequest(
        question,
        strategy,
        corpus=DEMO_CORPUS if found.retrieves else None,
        graph=DEMO_GRAPH if found.explores else None,
        **how,
    )
