"""The stores of the knowledge graphs, opened for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.output import end_progress
from core.knowledge.store.graphs import Graphs
from core.runs.workbench import get_workbench


@contextmanager
def opened_graphs() -> Iterator[Graphs]:
    """Catalogue and stores; at the end they are closed, and no line of progress is left behind."""
    workbench = get_workbench()
    graphs = Graphs(workbench.settings, workbench.backends.supervisor)
    try:
        yield graphs
    finally:
        end_progress()
        graphs.close()
