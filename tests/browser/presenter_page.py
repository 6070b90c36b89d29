"""A page with nothing but a presenter view: `?of=hostile`, `unknown` (no known evidence), or the usual four runs."""

import streamlit as st

from core.runs.gold import Gold
from core.runs.record import record
from core.trace.artefacts import Answer
from core.trace.events import ArtefactMade
from core.ui.compare.presenter import draw_presenter
from core.views.columns import columns
from tests.examples.parts import QUESTION
from tests.examples.runs import failed, multi_query, plain, rag_fusion

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script> [x](https://evil.example/a) **b**"


def page() -> None:
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
            [e.model_copy(update={"artefact": answer}) if isinstance(e, ArtefactMade) and e.artefact.kind == "answer" else e
             for e in runs[1]],
            [e.model_copy(update={"strategy": HOSTILE, "params": {}}) if e.type == "run_started" else e
             for e in runs[2]],
        ]  # fmt: skip
    draw_presenter(
        columns([record(run) for run in runs]), [] if of == "unknown" else gold, question, f"test-{of}"
    )
    st.text_input("Something to write in")


if __name__ == "__main__":
    page()
