"""The page Documents: add some, watch the indexing, see and change what is there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.cards.texts import named
from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Corpus
from core.runs.workbench import Workbench
from core.ui.documents.corpus import draw_corpus
from core.ui.documents.upload import draw_preview, draw_upload
from core.ui.shell import session
from core.ui.shell.address import CORPUS
from core.ui.shell.listing import listing, numbers
from core.ui.shell.progress import draw_moved, watch_demo
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import errors_shown


@errors_shown()
def page() -> None:
    """Draw all corpora, or the one in the address."""
    bench = framed()
    offered = bench.corpora.offered()
    corpora = [corpus for corpus in offered.values() if corpus is not None]
    wanted = st.query_params.get(CORPUS)
    chosen = next((corpus for corpus in corpora if corpus.id == wanted), None)
    if chosen is not None:
        draw_corpus(bench, chosen)
        return
    st.header("Documents", anchor=False)
    draw_moved(bench)
    if wanted:
        st.warning("The corpus in this address is not here any more. Choose another one.")
    with st.grid(2, min_column_width=400, gap="large"):
        with st.container():
            upload = draw_upload(bench, corpora)
        with st.container():
            _list(bench, offered)
    if upload is not None:
        draw_preview(bench, *upload)


def _list(bench: Workbench, corpora: Mapping[str, Corpus | None]) -> None:
    st.markdown("### What can be asked about")
    if session.searchable(bench, corpora, DEMO_CORPUS) is None:
        watch_demo(bench)
    place = listing(
        "corpora",
        {
            "Corpus": [named(name) for name in corpora],
            "Documents": numbers(one.documents if one else None for one in corpora.values()),
            "Chunks": numbers(one.chunks if one else None for one in corpora.values()),
        },
        alt="All corpora",
        hint="Click a corpus to search in it, open its documents, and change it if it is yours."
        + (" One without numbers is made ready with the click." if None in corpora.values() else ""),
    )
    if place is None:
        return
    name, corpus = list(corpora.items())[place]
    if corpus is not None:
        st.query_params[CORPUS] = corpus.id
        st.rerun()
    elif name != DEMO_CORPUS:  # whose progress is drawn above
        watch_demo(bench, name)
