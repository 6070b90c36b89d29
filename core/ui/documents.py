"""The page Documents: upload, watch the indexing, see what is there."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Corpus
from core.corpora.loaders import LOADERS
from core.runs.indexing import IndexJob
from core.runs.workbench import Workbench
from core.ui import session, theme
from core.ui.guard import errors_shown
from core.ui.progress import outcome, watch, watch_demo
from core.ui.safe import literal
from core.ui.sidebar import sidebar

NEW = "A new corpus"
JOB = "index-job"


@errors_shown()
def page() -> None:
    """Draw the page."""
    bench = session.workbench()
    theme.apply()
    sidebar(bench)
    st.header("Documents", anchor=False)
    left, right = st.columns([2, 3], gap="large")
    corpora = bench.library.corpora()
    with left:
        _upload(bench, corpora)
    with right:
        _list(bench, corpora)


def _upload(bench: Workbench, corpora: Sequence[Corpus]) -> None:
    job: IndexJob | None = st.session_state.get(JOB)
    running = job is not None and not job.done
    with st.container(border=True, key="upload"):
        st.markdown("##### Add documents")
        files = st.file_uploader(
            "PDF, Word, HTML, Markdown, text, CSV",
            type=[extension.removeprefix(".") for extension in LOADERS],
            accept_multiple_files=True,
            key="files",
            max_upload_size=bench.settings.max_upload_mb,
        )
        own = [corpus.name for corpus in corpora if corpus.name != DEMO_CORPUS]
        chosen = st.selectbox("Into", [NEW, *own], key="into") if own else NEW
        name = st.text_input("Name of the corpus", key="corpus-name", placeholder="e.g. Lecture notes") \
            if chosen == NEW else chosen  # fmt: skip
        if st.button(
            "Index", type="primary", key="index", icon=":material/database_upload:", disabled=running
        ):
            _start(bench, [(file.name, file.getvalue()) for file in files], name)
        if error := st.session_state.get("index-error"):
            st.error(literal(error), icon=":material/error:")
        if job is not None:
            watch(job, "index") if running else outcome(job)


def _start(bench: Workbench, files: Sequence[tuple[str, bytes]], name: str) -> None:
    """Begin, or say what is missing; nothing that was chosen is lost."""
    if not files or not name.strip():
        missing = "Choose one file or more." if not files else "Give the corpus a name."
        st.session_state["index-error"] = missing
    else:
        st.session_state["index-error"] = ""
        st.session_state[JOB] = bench.library.index(files, name)
    st.rerun()


def _list(bench: Workbench, corpora: Sequence[Corpus]) -> None:
    st.markdown("##### What can be asked about")
    demo = session.demo(bench)
    if not demo.done or demo.error():
        watch_demo(bench)
    if not corpora:
        st.info("Nothing is indexed yet. Add documents on the left.")
        return
    # Cells of a data frame are drawn as text, so names need no escaping here.
    table = pd.DataFrame(
        {
            "Corpus": [corpus.name for corpus in corpora],
            "Documents": [corpus.documents for corpus in corpora],
            "Chunks": [corpus.chunks for corpus in corpora],
            "Examples": [len(corpus.questions) for corpus in corpora],
        }
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        key="corpora",
        on_select="rerun",
        selection_mode="single-row",
        alt="All corpora",
    )["selection"]["rows"]
    if not chosen or chosen[0] >= len(corpora):
        st.caption("Choose a row to see its documents. Then ask about them in the Playground.")
        return
    corpus = corpora[chosen[0]]
    entries = bench.library.catalogue.documents(corpus.id)
    documents = pd.DataFrame(
        {
            "Document": [entry.title or entry.name for entry in entries],
            "File": [entry.name for entry in entries],
            "Chunks": [entry.chunks for entry in entries],
            "Characters": [entry.characters for entry in entries],
            "State": ["ready" if entry.ready else "being indexed" for entry in entries],
        }
    )
    st.caption(
        f"{literal(corpus.name)}: embedded with {literal(corpus.embedder_name)}, "
        f"chunks of at most {corpus.chunk_tokens} tokens, {corpus.overlap_tokens} shared with the next"
    )
    st.dataframe(documents, hide_index=True, key="documents", alt="Documents of the chosen corpus")
