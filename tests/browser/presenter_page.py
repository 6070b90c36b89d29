"""A page with nothing but a presenter view: `?of=hostile`, `unknown` (no known evidence), or the usual four runs."""

import streamlit as st

from core.charts.columns import columns
from core.runs.record import record
from core.trace.artefacts import Answer
from core.trace.events import ArtefactMade, Event, RunStarted
from core.trace.gold import Gold
from core.ui.compare.page import draw_presenter
from tests.examples.parts import QUESTION
from tests.examples.runs import failed, multi_query, plain, rag_fusion

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> [x](https://evil.example/a) **b**"


def with_answer(event: Event, answer: Answer) -> Event:
    """The event, with another answer where it brings one."""
    brings = isinstance(event, ArtefactMade) and isinstance(event.artefact, Answer)
    return event.model_copy(update={"artefact": answer}) if brings else event


def page() -> None:
    """Draw it."""
    st.set_page_config(layout="wide")
    of = st.query_params.get("of", "usual")
    gold = [Gold(document=f"doc{place}", title="") for place in (0, 1, 2, 3)]
    fusion = rag_fusion("r1")
    if st.toggle("Under way"):
        fusion = fusion[:-20]
    runs = [fusion, plain("r2"), multi_query("r3"), failed("r4")]
    question = QUESTION
    if of == "hostile":
        question = HOSTILE
        answer = Answer(text=HOSTILE, sentences=(HOSTILE,))
        runs = [
            [with_answer(event, answer) for event in runs[1]],
            [
                event.model_copy(update={"strategy": HOSTILE}) if isinstance(event, RunStarted) else event
                for event in runs[2]
            ],
        ]
    draw_presenter(
        columns([record(run) for run in runs]), [] if of == "unknown" else gold, question, f"test-{of}"
    )
    st.text_input("Something to write in")
