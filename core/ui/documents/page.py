"""The page Documents: add documents, preview their chunks, watch the indexing, and see and change all corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress

import plotly.graph_objects as go
import streamlit as st

from core.cards.texts import SERIES, named
from core.charts.styling import styled
from core.corpora.contexts import contexts_text
from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from core.corpora.entries import Corpus
from core.corpora.preview import MAX_DOCUMENTS, Preview, UploadSample, preview_files, read_sample
from core.corpora.splitting import sizes_text
from core.corpora.webpage import fetch_page
from core.jobs import run_blocking
from core.runs.sources.context_forecast import ContextForecast, context_forecast
from core.runs.sources.context_writing import ContextOptions
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.ui.documents.corpus import draw_corpus
from core.ui.documents.cutting import contexts_choice, draw_chunks, own_contexts, size_sliders
from core.ui.shell import session
from core.ui.shell.address import CORPUS
from core.ui.shell.listing import listing, numbers
from core.ui.shell.progress import draw_job, watch_demo
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import draw_chart, errors_shown
from core.wording import counted

NEW = "A new corpus"
JOB = "index-job"
CLEARED = "index-cleared"
"""Key, in the session, of the last import after whose end the form was emptied."""
UPLOADS = "uploads"
"""Key, in the session, of the number of times that the form was emptied; none before."""
PAGES = "fetched-pages"
FILES, FOLDER, PAGE = "Files", "A folder", "A web page"
KINDS = "PDF, Word, PowerPoint, Excel, OpenDocument, HTML, EPUB, Markdown, text, CSV, JSON, e-mail, or a ZIP of them"
NOT_LISTED = "Only your own corpora are offered: nobody but its owner and the teacher can add to a corpus."
CLASS_TOKENS = 20
"""Width of a class in the chart of lengths."""

Upload = tuple[str, bytes]


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
    session.demo(bench)  # on the first start, indexing begins with the first page that is opened
    if wanted:
        st.warning("The corpus in this address is no longer in this app. Choose another one.")
    with st.grid(2, min_column_width=400, gap="large"):
        with st.container():
            upload = _draw_upload(bench, corpora)
        with st.container():
            _list(bench, offered)
    if upload is not None:
        _draw_preview(bench, *upload)


def _list(bench: Workbench, corpora: Mapping[str, Corpus | None]) -> None:
    st.markdown("### Corpora")
    if session.searchable(bench, corpora, DEMO_CORPUS) is None:
        watch_demo(bench)
    place = listing(
        "corpora",
        {
            "Corpus": [named(name) for name in corpora],
            "Documents": numbers(corpus.documents if corpus else None for corpus in corpora.values()),
            "Chunks": numbers(corpus.chunks if corpus else None for corpus in corpora.values()),
        },
        alt="All corpora",
        hint="Click a corpus to search in it, open its documents, and change it if it is yours."
        + (" If it shows no numbers yet, opening it indexes it." if None in corpora.values() else ""),
    )
    if place is None:
        return
    name, corpus = list(corpora.items())[place]
    if corpus is not None:
        st.query_params[CORPUS] = corpus.id
        st.rerun()
    elif name != DEMO_CORPUS:  # whose progress is drawn above
        watch_demo(bench, name)


# Adding documents


def _draw_upload(bench: Workbench, corpora: Sequence[Corpus]) -> tuple[list[Upload], tuple[int, int]] | None:
    """Draw the form and the import under way; returns files and sizes, if the user wants to see how they are cut."""
    job: IndexJob | None = st.session_state.get(JOB)
    with st.container(border=True, key="upload"):
        st.markdown("### Add documents")
        _clear(job)
        files = _files(bench)
        target, corpus, problem = _target(bench, corpora)
        sending = st.container()  # above the options, whose values it sends
        sizes, contexts = _options(bench, files, corpus)
        with sending:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                running = job is not None and not job.done
                # Not locked without a name: what is typed reaches the server when the field is left, with the click.
                pressed = st.button(
                    "Index",
                    type="primary",
                    key="index",
                    icon=":material/database_upload:",
                    disabled=running or not files,
                    help=None if files else "Choose at least one file, and wait until it is uploaded.",
                )
                if pressed and not problem:
                    st.session_state[JOB] = bench.corpora.index(
                        files, target, *sizes, by=session.user(bench), contexts=contexts
                    )
                    scroll_to("index")
                    st.rerun()
                looking = st.toggle(
                    "Preview chunks",
                    key="look",
                    disabled=not files,
                    on_change=scroll_to,
                    args=("preview",),
                    help="The text as it was read, with the borders of the chunks. Change the sizes under Options, and "
                    "see.",
                )
            if problem and not running and (pressed or target.strip()):
                st.error(literal(problem), icon=":material/error:")
            draw_job(job, "index")
    return (files, sizes) if looking and files else None


def _clear(job: IndexJob | None) -> None:
    """Empty the form once its documents are indexed; after an error or a stop it keeps them for another try."""
    if job is None or not job.done or st.session_state.get(CLEARED) is job:
        return
    st.session_state[CLEARED] = job
    if job.error():
        return
    with suppress(CancelledError):
        report = job.result()
        if report.documents or report.unchanged:
            st.session_state["corpus-name"], st.session_state[PAGES] = "", []
            # Only another uploader is an empty one.
            st.session_state[UPLOADS] = int(st.session_state.get(UPLOADS, 0)) + 1


def _files(bench: Workbench) -> list[Upload]:
    """Draw the choice of files; returns their names and bytes."""
    ways = [FILES, FOLDER, *([PAGE] if bench.settings.allow_web_pages else [])]
    way = st.segmented_control(
        "What", ways, default=FILES, required=True, key="way", label_visibility="collapsed"
    )
    if way == PAGE:
        return _web_pages(bench)
    files = st.file_uploader(
        KINDS,
        accept_multiple_files=True if way == FILES else "directory",
        key=f"{'files' if way == FILES else 'folder'}{st.session_state.get(UPLOADS, '')}",
        max_upload_size=bench.settings.max_upload_mb,
    )
    return [(file.name, file.getvalue()) for file in files]


def _web_pages(bench: Workbench) -> list[Upload]:
    """Draw the pages fetched in this session, from public addresses only, and return them."""
    pages: list[Upload] = st.session_state.setdefault(PAGES, [])
    with st.form("web-page", border=False, clear_on_submit=False):
        address = st.text_input("Address of the page", key="page-address", placeholder="https://")
        if st.form_submit_button("Fetch", key="page-fetch", icon=":material/public:"):
            with errors_shown(), st.spinner("Fetching the page…"):
                page = run_blocking(fetch_page(address, max_mb=bench.settings.max_upload_mb))
                st.session_state[PAGES] = pages = [*(older for older in pages if older[0] != page[0]), page]
    for name, data in pages:
        st.caption(f":material/description: {literal(name)}, {len(data) / 1024:,.0f} KB")
    if pages and st.button("Forget these pages", key="pages-forget", type="tertiary"):
        st.session_state[PAGES] = []
        st.rerun()
    return pages


def _target(bench: Workbench, corpora: Sequence[Corpus]) -> tuple[str, Corpus | None, str]:
    """Draw the choice of the corpus; returns its name, the corpus if it is there already, and the reason why nothing
    can be added under this name, empty for none."""
    user = session.user(bench)
    others = [corpus for corpus in corpora if corpus.name not in DEMO_CORPORA]
    own = {corpus.name: corpus for corpus in others if user.may_change(corpus.owner)}
    help_text = NOT_LISTED if len(own) < len(others) else None
    chosen = st.selectbox("Into", [NEW, *own], key="into", help=help_text, format_func=named) if own else NEW
    if chosen != NEW:
        return chosen, own[chosen], ""
    name = st.text_input("Name of the corpus", key="corpus-name", placeholder="e.g. Lecture notes")
    if others and not own:
        st.caption(NOT_LISTED)
    if name.strip() in own:
        known = f"You already have a corpus “{name.strip()}”."
        return name, None, f"{known} To add to it, choose it under “Into”; or write another name."
    return name, None, "" if name.strip() else "Give the corpus a name."


def _options(
    bench: Workbench, files: Sequence[Upload], corpus: Corpus | None
) -> tuple[tuple[int, int], ContextOptions | None]:
    """Draw how a new corpus is cut; returns size and overlap of chunks, and how contexts are written. A corpus that is
    there already stays as it is."""
    if corpus is not None:
        st.caption(
            f"It is cut into chunks {sizes_text(corpus.chunk_tokens, corpus.overlap_tokens)}"
            f"{literal(contexts_text(corpus.contextual))}. "
            "To change that, open it in the list and index it another way."
        )
        contexts = own_contexts(bench) if corpus.contextual else None
        return (corpus.chunk_tokens, corpus.overlap_tokens), contexts
    with st.expander("Options", icon=":material/tune:", key="index-options"):
        sizes = size_sliders(bench, "new")

        def forecast(model: str) -> ContextForecast:
            return context_forecast(bench.corpora, files, *sizes, model, most=MAX_DOCUMENTS)

        mark = (sizes, *((file, len(data)) for file, data in files))
        return sizes, contexts_choice(bench, "new", mark, forecast if files else None)


# The preview


def _draw_preview(bench: Workbench, files: Sequence[Upload], sizes: tuple[int, int]) -> None:
    """Draw the text as it was read, with the borders of its chunks, and how long they are."""
    scroll_place("preview")
    with st.container(border=True, key="preview"), errors_shown():
        st.markdown("### How it will be cut")
        with st.spinner("Reading…"):
            preview = preview_files(_sample(bench, files), bench.backends.embedder, *sizes)
        for skipped in preview.skipped:
            st.warning(literal(skipped.reason), icon=":material/block:")
        if preview.note:
            st.caption(f":material/info: {literal(preview.note)}")
        if preview.documents:
            _lengths(preview)
        for number, shown in enumerate(preview.documents):
            st.markdown(f"**{literal(shown.document.title or shown.document.name, 120)}**")
            st.caption(
                f"{shown.characters:,} characters, {counted(len(shown.passages), 'chunk')}. {shown.note}".strip()
            )
            draw_chunks(shown.document.text, shown.passages, f"preview-{number}")


def _sample(bench: Workbench, files: Sequence[Upload]) -> UploadSample:
    """Return the first documents, read once for as long as the same files are chosen."""
    mark, most = session.files_mark(files), bench.settings.max_upload_mb
    return session.recall("looked-at", mark, lambda: read_sample(files, most))


def _lengths(preview: Preview) -> None:
    with st.container(horizontal=True, gap="large"):
        shown = "In the part of the documents that is shown below."
        st.metric("Chunks", len(preview.tokens), help=shown, width="content")
        half = "Half of the chunks shown have fewer tokens."
        st.metric("Tokens, median", preview.median_tokens, help=half, width="content")
    draw_chart(
        _lengths_chart(preview.histogram(CLASS_TOKENS)),
        "lengths",
        "How many chunks have how many tokens",
        "The higher a bar, the more chunks have that length. If many are short, try a larger size.",
    )


def _lengths_chart(histogram: Sequence[tuple[int, int]]) -> go.Figure:
    """Return a bar chart of lower bounds of classes of lengths, in tokens, and the number of chunks in each."""
    figure = go.Figure()
    figure.add_bar(
        x=[bound + CLASS_TOKENS / 2 for bound, _ in histogram],
        y=[count for _, count in histogram],
        width=CLASS_TOKENS * 0.9,
        marker_color=SERIES[0],
        customdata=[f"{bound} to {bound + CLASS_TOKENS - 1}" for bound, _ in histogram],
        hovertemplate="%{customdata} tokens. Chunks: %{y}<extra></extra>",
    )
    styled(figure, 210, showlegend=False)
    figure.update_xaxes(title="Tokens in a chunk", rangemode="tozero")
    most = max((count for _, count in histogram), default=1)
    figure.update_yaxes(title="Chunks", rangemode="tozero", dtick=-(-most // 5))  # whole numbers only
    return figure
