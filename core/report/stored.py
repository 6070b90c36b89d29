"""Reports of stored runs."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import StoreError
from core.report.run import run_report
from core.runs.record import record
from core.runs.store import RunStore
from core.trace.events import Event


def stored_report(events: Sequence[Event], store: RunStore) -> str:
    """The report of a run; of a fork, with what became of the run that it left, if that is stored. Blocks.

    Args:
        events: Of the run.
        store: Where the other run may be.
    """
    fork = record(events).fork
    try:
        parent = store.events(fork.parent) if fork else ()
    except StoreError:
        parent = ()
    return run_report(events, parent)
