"""Watching an import while it goes on: how far it is, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress

import streamlit as st

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.reports import IndexReport
from core.corpora.suggested import MOST, suggested_questions
from core.errors import LoupeError
from core.evaluation.text_language import language_of
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.trace.passages import Passage
from core.ui.fixes.ticking import ticking
from core.ui.shell import address, session
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.wording import counted

TICK_SECONDS = 0.5
_CHOSEN = "indexed-last"
"""Key of the job whose corpus the forms were given."""
_SUGGESTED = "suggested-last"
"""Key of the questions that were made for it."""
SUGGESTIONS = "Suggestions to begin with, made from headings and titles. Nobody has checked their answers."
FIRST_START = "First start: the demo documents are being indexed."
FIRST_USE = "“{name}” is chosen for the first time: its documents are being indexed."
GONE = "They were indexed, and are no longer in the app's data folder. Start the app again to have them indexed anew."
UNEXPECTED = (
    "The import ended with an unexpected error; the server's log says more. "
    "Documents already indexed are kept."
)


def draw_progress(job: IndexJob) -> None:
    """A bar and one line."""
    now = job.progress
    st.progress(min(1.0, now.share), text=literal(progress_line(job.message, now.rate, now.left)))


@ticking(TICK_SECONDS)
def _watch(job: IndexJob, key: str) -> None:
    draw_progress(job)
    st.button("Stop", key=f"stop-{key}", icon=":material/stop:", on_click=job.stop)
    if job.done:
        st.rerun()


def watch_demo(bench: Workbench, name: str = DEMO_CORPUS) -> None:
    """A corpus that comes with the app being made ready: the first one on the first start, others when first chosen.

    For a page where it cannot be searched yet; that page is drawn again as soon as it can, at once where it became
    ready since the page asked. Other corpora need no waiting.
    """
    if name not in DEMO_CORPORA:
        return
    job = session.demo(bench, name)
    if not job.done:
        _demo_progress(job, FIRST_START if name == DEMO_CORPUS else FIRST_USE.format(name=literal(name)))
    elif error := job.error():
        st.error(literal(problem(error)), title="The demo documents could not be indexed")
        if st.button("Try again", key="demo-again", icon=":material/refresh:"):
            session.demo(bench, name, again=True)
            st.rerun()
    elif bench.corpora.offered().get(name) is not None:
        st.rerun()
    else:
        st.error(GONE, title="The demo documents are missing")


@ticking(TICK_SECONDS)
def _demo_progress(job: IndexJob, what: str) -> None:
    st.caption(f"{what} You can write your question meanwhile.")
    draw_progress(job)
    if job.done:
        st.rerun()


def draw_job(job: IndexJob | None, key: str) -> bool:
    """Draw the progress of an import, or its outcome; returns True if it is under way. `key` tells it from others."""
    if job is None:
        return False
    running = not job.done
    _watch(job, key) if running else _outcome(job)
    return running


def _outcome(job: IndexJob) -> None:
    if error := job.error():
        st.error(literal(problem(error)), title="The documents could not be indexed")
        return
    try:
        report = job.result()
    except CancelledError:
        st.warning("Stopped. The documents finished until then stay indexed.")
        return
    if report.documents or report.unchanged:  # else the reasons below say all
        st.success(literal(report_line(report)), icon=":material/check:")
    if report.contexts:
        st.caption(literal(report.contexts.told))
    if report.documents or report.unchanged:
        _ask(job, report.corpus)
    for skipped in report.skipped:
        st.warning(literal(skipped.reason), title=literal(skipped.file, 80), icon=":material/block:")


def _ask(job: IndexJob, corpus: str) -> None:
    """Buttons that lead to asking what was just indexed, which the forms have chosen from now on."""
    if st.session_state.get(_CHOSEN) is not job:
        st.session_state[_CHOSEN] = job
        st.session_state[_SUGGESTED] = suggested(session.workbench(), corpus)
        st.session_state["corpus"] = corpus
    if st.button("Ask these documents", key="ask-these", icon=":material/science:"):
        _leave_to_ask(corpus)
    questions: list[str] = st.session_state[_SUGGESTED]
    if not questions:
        return
    with st.container(gap=None, key="suggested"):
        st.caption(SUGGESTIONS)
        for number, question in enumerate(questions):
            if st.button(
                literal(question), key=f"suggested-{number}", type="tertiary", icon=":material/lightbulb:"
            ):
                st.session_state["question"] = question
                _leave_to_ask(corpus)


def _leave_to_ask(corpus: str) -> None:
    """To the Playground, with the corpus chosen, a strategy that searches, and no earlier run below the form."""
    st.session_state["corpus"] = corpus
    chosen = strategies().get(str(st.session_state.get("strategy")))
    if chosen is not None and not chosen.retrieves:
        st.session_state["strategy"] = BASELINE
    address.show(address.RUN, None)
    leave_for("pages/playground.py")


def problem(error: BaseException) -> str:
    """One sentence; only our own errors speak for themselves."""
    return str(error) if isinstance(error, LoupeError) else UNEXPECTED


def report_line(report: IndexReport) -> str:
    """One line; raw text."""
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    documents = counted(report.documents, "document")
    return f"{documents} indexed in {counted(report.chunks, 'chunk')}{unchanged}, {report.seconds:.1f} s"


def progress_line(message: str, rate: float | None, left: float | None) -> str:
    """One line; raw text.

    Args:
        message: What is being done.
        rate: Chunks per second; None: not known yet.
        left: Seconds left; None: not known yet.
    """
    speed = (
        f" · {rate:.0f} chunks/s" if rate and rate >= 1 else f" · {60 * rate:.0f} chunks/min" if rate else ""
    )
    return f"{message}{speed}{_left(left)}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f" · about {max(5, 5 * round(seconds / 5))} s left"
    if seconds < 3600:
        return f" · about {round(seconds / 60)} min left"
    return f" · about {seconds / 3600:.1f} h left"


NOTHING = "moved-nothing"
"""Set where this session has nothing more to be told."""


def draw_moved(bench: Workbench) -> None:
    """Say what was moved where; it stays on the page until it is put away."""
    demo = session.demo(bench)
    if st.session_state.get(NOTHING) or not demo.done:
        return
    left = [
        one for one in bench.corpora.catalogue.corpora() if one.moved_from and one.id not in session.told()
    ]
    for corpus in left:
        with st.container(border=True, gap="small", key=f"moved-{corpus.id}"):
            st.markdown(
                f":material/drive_file_move: What you had in “{literal(corpus.moved_from)}” is in the corpus "
                f"“{literal(corpus.name)}” now: a corpus with that name came with the app."
            )
            st.button(
                "Understood", key=f"moved-told-{corpus.id}", on_click=session.note_told, args=(corpus.id,)
            )
    st.session_state[NOTHING] = not left


READ = 6
"""Documents that are read at most: the newest ones."""
JUDGED_CHARS = 5000
"""Characters of a document by which its language is told."""


def suggested(bench: Workbench, corpus: str) -> list[str]:
    """By headings and titles of the newest English documents of a corpus; raw text, empty where there are none."""
    documents: list[Sequence[Passage]] = []
    with suppress(LoupeError):  # a suggestion is worth no error
        found = bench.corpora.catalogue
        entries = [one for one in found.documents(found.corpus(corpus).id) if one.ready]
        for entry in sorted(entries, key=lambda one: one.created, reverse=True)[:READ]:
            document, chunks = bench.corpora.opened_document(corpus, entry.id)
            if language_of(document.text[:JUDGED_CHARS]) == "en" and suggested_questions([chunks]):
                documents.append(chunks)
            if len(documents) == MOST:
                break
    return suggested_questions(documents)
