"""Documents that an earlier version of the app has read: what is said of them, and reading all their files again."""

from __future__ import annotations

import streamlit as st

from core.corpora.entries import Corpus
from core.runs.sources.index_job import IndexJob
from core.runs.workbench import Workbench
from core.ui.documents.contexts import own_contexts
from core.ui.shell import session
from core.ui.shell.guard import errors_shown
from core.ui.shell.progress import outcome, watch
from core.wording import counted

JOB = "read-again-job"
LISTED = 8
"""Names that are listed; the table of documents marks all."""
KEPT = (
    "This version reads tables, PDFs and other files better. The files themselves are not kept, so choose them again: "
    "each replaces its older document. Earlier runs keep what they cite."
)


def draw_outdated(bench: Workbench, corpus: Corpus) -> None:
    """Say how many documents were read by an earlier version, with one button that reads all their files again."""
    job: IndexJob | None = st.session_state.get(JOB)
    if corpus.outdated:
        _offer(bench, corpus, busy=job is not None and not job.done)
    if job is not None:
        with errors_shown():
            watch(job, "read-again") if not job.done else outcome(job)


def _offer(bench: Workbench, corpus: Corpus, *, busy: bool) -> None:
    few = counted(corpus.outdated, "document")
    with st.container(border=True, gap="small", key="outdated"):
        st.markdown(f":material/update: {few} read by an earlier version: index again.")
        st.caption(KEPT)
        files = st.file_uploader(
            "The files",
            accept_multiple_files=True,
            key=f"read-again-{corpus.id}-{corpus.version}",
            max_upload_size=bench.settings.max_upload_mb,
        )
        entries = [one for one in bench.corpora.catalogue.documents(corpus.id) if one.outdated]
        st.dataframe(
            {"Read by an earlier version": [one.name for one in entries]},
            hide_index=True,
            height=36 * (min(len(entries), LISTED) + 1),
            alt="Documents read by an earlier version",
        )
        if st.button(
            "Index again",
            key="read-again",
            type="primary",
            icon=":material/refresh:",
            disabled=busy or not files,
            help=None if files else "Choose the files first.",
        ):
            st.session_state[JOB] = bench.corpora.index(
                [(file.name, file.getvalue()) for file in files],
                corpus.name,
                corpus.chunk_tokens,
                corpus.overlap_tokens,
                by=session.user(bench),
                contexts=own_contexts(bench) if corpus.contextual else None,
            )
            st.rerun()
