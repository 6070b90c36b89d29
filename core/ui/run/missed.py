"""Evidence that runs missed: where each piece was lost, and its passage as the corpus has it now."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.kind import passage_list
from core.cards.outcome import missed
from core.cards.parts import Note
from core.charts.columns import Column
from core.errors import LoupeError
from core.jobs import run_blocking
from core.runs.budget import LookUp, look_up
from core.runs.record import Record
from core.trace.events import RunStarted
from core.trace.gold import Gold
from core.ui.cards.parts import draw_parts
from core.ui.shell.session import workbench

KEPT = 64
KEPT_SECONDS = 300


def draw_missed(record: Record, key: str) -> None:
    """Draw each piece of evidence that a run missed, and where it was lost."""
    for place, piece in enumerate(missed(record, looked=looked_up(record))):
        listing = passage_list([piece.card], f"missed-{place}", compact=False)
        draw_parts((Note(piece.fate, "search"), listing), key)


def looked_up(record: Record, gold: Sequence[Gold] = ()) -> LookUp | None:
    """Evidence of a run in its corpus, if the run missed any of it; `gold` is the evidence (empty: as the run has it).

    None where it missed none, searches no corpus, or its corpus cannot be read any more.
    """
    known = tuple(gold) or (record.baseline.gold if record.baseline else ())
    started = record.started
    if started is None or not started.corpus or not missed(record, known):
        return None
    return _look_up(started.run, known, started)


def looked_up_all(columns: Sequence[Column], gold: Sequence[Gold]) -> dict[str, LookUp]:
    """By run, what `looked_up` returns of the columns of a comparison; those without are left out."""
    looked = {column.run: looked_up(column.record, gold) for column in columns if column.run}
    return {run: found for run, found in looked.items() if found}


@st.cache_resource(max_entries=KEPT, ttl=KEPT_SECONDS, show_spinner=False)
def _look_up(run: str, gold: tuple[Gold, ...], _started: RunStarted) -> LookUp | None:
    """Return the evidence of a run in its corpus; None, which is kept as well: the corpus cannot be read."""
    try:
        return run_blocking(look_up(workbench().corpora, _started, gold), timeout=30)
    except (LoupeError, TimeoutError):
        return None
