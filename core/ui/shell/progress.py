"""The progress of an import, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeVar

import streamlit as st

from core.cards.starters import starter_questions
from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.reports import IndexReport
from core.corpora.suggested import MOST, suggested_questions
from core.errors import LoupeError
from core.evaluation.text_language import language_of
from core.jobs import Job
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.trace.passages import Passage
from core.ui.fixes.ticking import ticking
from core.ui.shell import address, session
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.widgets import problem
from core.wording import counted, duration

TICK_SECONDS = 0.5
READ_DOCUMENTS = 6
"""Documents that are read at most for suggestions: the newest ones."""
JUDGED_CHARS = 5000
"""Characters of a document by which its language is told."""
SUGGESTIONS = "Or begin with a suggestion, made from headings and titles. Nobody has checked the answers."
MEANWHILE = "You can write your question meanwhile."
FIRST_START = "First start: the demo documents are being indexed."
FIRST_USE = "“{name}” is chosen for the first time: its documents are being indexed."
GONE = "They were indexed, but are no longer in the app's data folder. Restart the app to index them again."
KEPT = "Documents already indexed are kept."
STOPPED = "Stopped. The documents finished until then stay indexed."

T = TypeVar("T")


@ticking(TICK_SECONDS)
def watch(job: Job[Any], now: Callable[[], tuple[float, str]], *, about: str = "", stop: str = "") -> None:
    """Draw how far a job is, below a line about it and above a button with the key `stop`, until it ends.

    `now` returns the share that is done, and the rest in words, as raw text.
    """
    if about:
        st.caption(about)
    share, text = now()
    st.progress(min(1.0, share), text=literal(text))
    if stop:
        st.button("Stop", key=stop, icon=":material/stop:", on_click=job.stop)
    if job.done:
        st.rerun()


def _import_share(job: IndexJob) -> tuple[float, str]:
    """Return the share of an import that is done, and the rest in words."""
    now = job.progress
    return now.share, progress_line(job.message, now.rate, now.left)


def watch_demo(bench: Workbench, name: str = DEMO_CORPUS) -> None:
    """Draw how a corpus that comes with the app is made ready, on a page where it cannot be searched yet.

    The first one is made ready on the first start, others when first chosen. The page is drawn again as soon as the
    corpus is ready, at once where it became so since the page asked. Other corpora need no waiting.
    """
    if name not in DEMO_CORPORA:
        return
    job = session.demo(bench, name)
    if not job.done:
        about = FIRST_START if name == DEMO_CORPUS else FIRST_USE.format(name=literal(name))
        watch(job, lambda: _import_share(job), about=f"{about} {MEANWHILE}")
    elif error := job.error():
        st.error(literal(problem(error, KEPT)), title="The demo documents could not be indexed")
        if st.button("Try again", key="demo-again", icon=":material/refresh:"):
            session.demo(bench, name, again=True)
            st.rerun()
    elif bench.corpora.offered().get(name) is not None:
        st.rerun()
    else:
        st.error(GONE, title="The demo documents are missing")


def result_of(job: Job[T], title: str, stopped: str, kept: str = "") -> T | None:
    """Return the result of a job that has ended; where it has none, draw why: below `title`, with a sentence on what is
    `kept`, or as `stopped`."""
    if error := job.error():
        st.error(literal(problem(error, kept)), title=title)
        return None
    try:
        return job.result()
    except CancelledError:
        st.warning(stopped)
        return None


def draw_job(job: IndexJob | None, key: str) -> None:
    """Draw the progress of an import, or its outcome; `key` tells it from others, and is a place to scroll to."""
    if job is None:
        return
    scroll_place(key)
    _outcome(job) if job.done else watch(job, lambda: _import_share(job), stop=f"stop-{key}")


def _outcome(job: IndexJob) -> None:
    report = result_of(job, "The documents could not be indexed", STOPPED, KEPT)
    if report is None:
        return
    if report.documents or report.unchanged:  # else the reasons below say all
        st.success(literal(_report_line(report)), icon=":material/check:")
    if report.contexts:
        st.caption(literal(report.contexts.sentences))
    if report.documents or report.unchanged:
        _ask(job, report.corpus)
    for skipped in report.skipped:
        st.warning(literal(skipped.reason), title=literal(skipped.file, 80), icon=":material/block:")


def _ask(job: IndexJob, corpus: str) -> None:
    """Draw buttons that lead to asking the corpus that was just indexed, which the forms have chosen from now on."""

    bench = session.workbench()

    def choose() -> list[str]:
        st.session_state["corpus"] = corpus
        if st.session_state.get("question") in _examples(bench):  # of other documents
            st.session_state["question"] = ""
        return suggested(bench, corpus)

    questions = session.recall("suggested-last", job, choose)
    if st.button("Ask these documents", key="ask-these", icon=":material/science:"):
        _leave_to_ask(corpus)
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


def _examples(bench: Workbench) -> set[str]:
    """The questions that come with the app."""
    corpora = filter(None, bench.corpora.offered().values())
    of_corpora = {question.text for corpus in corpora for question in corpus.questions}
    return of_corpora | {question.text for question in starter_questions().values()}


def _leave_to_ask(corpus: str) -> None:
    """Go to the Playground, with the corpus chosen, a strategy that searches, and no earlier run below the form."""
    st.session_state["corpus"] = corpus
    strategy = strategies().get(str(st.session_state.get("strategy")))
    if strategy is not None and not strategy.retrieves:
        st.session_state["strategy"] = BASELINE
    address.show(address.RUN, None)
    leave_for("pages/playground.py")


def _report_line(report: IndexReport) -> str:
    if not report.documents:
        return (
            f"Nothing new: {counted(report.unchanged, 'document')} had been indexed before, unchanged since."
        )
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    documents = counted(report.documents, "document")
    return f"{documents} indexed in {counted(report.chunks, 'chunk')}{unchanged}, {report.seconds:.1f} s"


def progress_line(message: str, rate: float | None, left: float | None) -> str:
    """Return one line, as raw text, of a message, the chunks per second and the seconds left; None: not known yet."""
    speed = (
        f" · {rate:.0f} chunks/s" if rate and rate >= 1 else f" · {60 * rate:.0f} chunks/min" if rate else ""
    )
    if left is None:
        return f"{message}{speed}"
    return f"{message}{speed} · about {duration(max(5, 5 * round(left / 5)))} left"


def suggested(bench: Workbench, corpus: str) -> list[str]:
    """Return questions about headings and titles of the newest English documents of a corpus, as raw text."""
    documents: list[Sequence[Passage]] = []
    with suppress(LoupeError):  # a suggestion is worth no error
        catalogue = bench.corpora.catalogue
        entries = [entry for entry in catalogue.documents(catalogue.corpus(corpus).id) if entry.ready]
        entries.sort(key=lambda entry: entry.created, reverse=True)
        for entry in entries[:READ_DOCUMENTS]:
            document, chunks = bench.corpora.opened_document(corpus, entry.id)
            if language_of(document.text[:JUDGED_CHARS]) == "en" and suggested_questions([chunks]):
                documents.append(chunks)
            if len(documents) == MOST:
                break
    return suggested_questions(documents)
