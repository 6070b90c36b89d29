"""Adding documents: choose, look at how they would be cut, index, watch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import streamlit as st

from core.cards.texts import named
from core.corpora.contexts import said_contexts
from core.corpora.demo import DEMO_CORPORA
from core.corpora.entries import Corpus
from core.corpora.loaders import extensions
from core.corpora.preview import MAX_DOCUMENTS, Preview, UploadSample, preview_files, read_sample
from core.corpora.splitting import SENTENCES, SMALLEST_CHUNK, chunk_sizes, said_sizes
from core.corpora.webpage import fetch_page
from core.jobs import run_blocking
from core.runs.sources.context_writing import ContextForecast, ContextOptions
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.ui.documents.chunks import contexts_choice, draw_chunks, lengths_chart, own_contexts, stretches
from core.ui.shell import session
from core.ui.shell.progress import outcome, watch
from core.ui.shell.safe import literal
from core.ui.shell.widgets import draw_chart, errors_shown
from core.wording import counted

NEW = "A new corpus"
JOB = "index-job"
PAGES = "fetched-pages"
FILES, FOLDER, PAGE = "Files", "A folder", "A web page"
KINDS = "PDF, Word, PowerPoint, Excel, OpenDocument, HTML, EPUB, Markdown, text, CSV, JSON, e-mail, or a ZIP of them"
NOT_LISTED = "Corpora of others are not offered here: only whoever made one, and the teacher, can add to it."
CUTS = ("Chunks of a size", "Sentences")
CLASS_TOKENS = 20
"""Width of a class in the chart of lengths."""

Upload = tuple[str, bytes]


def draw_upload(bench: Workbench, corpora: Sequence[Corpus]) -> tuple[list[Upload], tuple[int, int]] | None:
    """The form and the import under way; files and sizes, if the user wants to see how they will be cut."""
    job: IndexJob | None = st.session_state.get(JOB)
    running = job is not None and not job.done
    with st.container(border=True, key="upload"):
        st.markdown("### Add documents")
        files = _chosen(bench)
        target, sizes, contexts = _target(bench, corpora, files)
        # Where the button was when it was clicked: the form is long, and may fill the screen from there upwards.
        if st.session_state.get("index-lacks") and (missing := _missing(files, target)):
            st.error(missing, icon=":material/error:")
        if job is not None:
            watch(job, "index") if running else outcome(job)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if st.button(
                "Index", type="primary", key="index", icon=":material/database_upload:", disabled=running
            ):
                _start(bench, files, target, sizes, contexts)
                st.rerun()
            looking = st.toggle(
                "Show how it will be cut",
                key="look",
                disabled=not files,
                help="The text as it was read, with the borders of the chunks; change the sizes and see.",
            )
    return (files, sizes) if looking and files else None


def _chosen(bench: Workbench) -> list[Upload]:
    """What the user has chosen: names and bytes."""
    ways = [FILES, FOLDER, *([PAGE] if bench.settings.allow_web_pages else [])]
    way = st.segmented_control(
        "What", ways, default=FILES, required=True, key="way", label_visibility="collapsed"
    )
    if way == PAGE:
        return _web_page(bench)
    files = st.file_uploader(
        KINDS,
        type=[extension.removeprefix(".") for extension in extensions()] if way == FILES else None,
        accept_multiple_files=True if way == FILES else "directory",
        key="files" if way == FILES else "folder",
        max_upload_size=bench.settings.max_upload_mb,
    )
    return [(file.name, file.getvalue()) for file in files]


def _web_page(bench: Workbench) -> list[Upload]:
    """Pages fetched in this session; public addresses only."""
    pages: list[Upload] = st.session_state.setdefault(PAGES, [])
    with st.form("web-page", border=False, clear_on_submit=False):
        address = st.text_input("Address of the page", key="page-address", placeholder="https://")
        if st.form_submit_button("Fetch", key="page-fetch", icon=":material/public:"):
            with errors_shown(), st.spinner("Fetching the page…"):
                page = run_blocking(fetch_page(address, max_mb=bench.settings.max_upload_mb))
                st.session_state[PAGES] = pages = [*(other for other in pages if other[0] != page[0]), page]
    for name, data in pages:
        st.caption(f":material/description: {literal(name)}, {len(data) / 1024:,.0f} KB")
    if pages and st.button("Forget these pages", key="pages-forget", type="tertiary"):
        st.session_state[PAGES] = []
        st.rerun()
    return pages


def _target(
    bench: Workbench, corpora: Sequence[Corpus], files: Sequence[Upload]
) -> tuple[str, tuple[int, int], ContextOptions | None]:
    """Name of the corpus, size and overlap of its chunks, and who writes contexts for them."""
    user = session.user(bench)
    others = [corpus for corpus in corpora if corpus.name not in DEMO_CORPORA]
    own = {corpus.name: corpus for corpus in others if user.may_change(corpus.owner)}
    help_text = NOT_LISTED if len(own) < len(others) else None
    chosen = st.selectbox("Into", [NEW, *own], key="into", help=help_text, format_func=named) if own else NEW
    if chosen != NEW:
        corpus = own[chosen]
        st.caption(
            f"It is cut into chunks {said_sizes(corpus.chunk_tokens, corpus.overlap_tokens)}"
            f"{literal(said_contexts(corpus.contextual))}. "
            "To change that, index it again as another corpus: choose it in the list."
        )
        own_way = own_contexts(bench) if corpus.contextual else None
        return chosen, (corpus.chunk_tokens, corpus.overlap_tokens), own_way
    name = st.text_input("Name of the corpus", key="corpus-name", placeholder="e.g. Lecture notes")
    if others and not own:
        st.caption(NOT_LISTED)
    sizes = size_sliders(bench, "new")

    def forecast(model: str) -> ContextForecast:
        return bench.corpora.context_forecast(files, *sizes, model, most=MAX_DOCUMENTS)

    mark = (sizes, *((file, len(data)) for file, data in files))
    return name, sizes, contexts_choice(bench, "new", mark, forecast if files else None)


def size_sliders(bench: Workbench, key: str, own: tuple[int, int] | None = None) -> tuple[int, int]:
    """Size and overlap of chunks, within what the embedding model reads; or sentences.

    Args:
        bench: Has the embedding model.
        key: Ends the keys of the widgets.
        own: What is chosen at first; None: the usual sizes.
    """
    embedder = bench.backends.embedder
    cut = st.segmented_control(
        "Cut into",
        CUTS,
        default=CUTS[own is not None and own[0] == SENTENCES],
        required=True,
        key=f"cut-{key}",
        help="Sentences are found most precisely and say least by themselves: have plain retrieval give them with "
        "their surroundings.",
    )
    if cut == CUTS[1]:
        return SENTENCES, 0
    usual, shared = chunk_sizes(embedder.max_tokens)
    if own is not None and SMALLEST_CHUNK <= own[0] <= embedder.max_tokens:
        usual, shared = own
    left, right = st.columns(2)
    size = left.slider(
        "Chunk size (tokens)",
        SMALLEST_CHUNK,
        embedder.max_tokens,
        usual,
        key=f"size-{key}",
        help=f"At most what the embedding model reads: {embedder.max_tokens} tokens. Small chunks are found more "
        "precisely, large ones carry more of their context.",
    )
    overlap = right.slider(
        "Overlap (tokens)",
        0,
        max(1, size // 2),
        min(shared, size // 2),
        key=f"overlap-{key}",
        help="How much of a chunk's end the next one repeats, in whole sentences, so that what stands at a "
        "border is found from both sides.",
    )
    return size, min(overlap, size // 2)


def _missing(files: Sequence[Upload], name: str) -> str:
    """What is still to be given; empty: nothing. A file may be chosen and not be here yet."""
    if not files:
        return "Choose one file or more, and wait until they are uploaded."
    return "" if name.strip() else "Give the corpus a name."


def _start(
    bench: Workbench,
    files: Sequence[Upload],
    name: str,
    sizes: tuple[int, int],
    contexts: ContextOptions | None,
) -> None:
    """Begin, or have it said what is missing for as long as it is; nothing that was chosen is lost."""
    st.session_state["index-lacks"] = bool(_missing(files, name))
    if not st.session_state["index-lacks"]:
        st.session_state[JOB] = bench.corpora.index(
            files, name, *sizes, by=session.user(bench), contexts=contexts
        )


def draw_preview(bench: Workbench, files: Sequence[Upload], sizes: tuple[int, int]) -> None:
    """The text as it was read, with the borders of its chunks, and how long they are."""
    with st.container(border=True, key="preview"), errors_shown():
        st.markdown("### How it will be cut")
        with st.spinner("Reading…"):
            most = bench.settings.max_upload_mb
            found = preview_files(_look(bench, files), bench.backends.embedder, most, *sizes)
        for skipped in found.skipped:
            st.warning(literal(skipped.reason), icon=":material/block:")
        if found.note:
            st.caption(f":material/info: {literal(found.note)}")
        if found.documents:
            _lengths(found)
        for number, shown in enumerate(found.documents):
            st.markdown(f"**{literal(shown.document.title or shown.document.name, 120)}**")
            st.caption(
                f"{shown.characters:,} characters, {counted(len(shown.passages), 'chunk')} here. {shown.note}".strip()
            )
            draw_chunks(stretches(shown.document.text, shown.passages), f"preview-{number}")


def _look(bench: Workbench, files: Sequence[Upload]) -> UploadSample:
    """The first documents, read once for as long as the same files are chosen."""
    mark = hashlib.sha256()
    for name, data in files:
        mark.update(f"{name}\0{len(data)}\0".encode() + hashlib.sha256(data).digest())
    kept = st.session_state.get("looked-at")
    if kept is None or kept[0] != mark.digest():
        kept = st.session_state["looked-at"] = (
            mark.digest(),
            read_sample(files, bench.settings.max_upload_mb),
        )
    found: UploadSample = kept[1]
    return found


def _lengths(found: Preview) -> None:
    with st.container(horizontal=True, gap="large"):
        shown = "In the part of the documents that is shown."
        st.metric("Chunks here", len(found.tokens), help=shown, width="content")
        half = "Half of the chunks shown have fewer tokens."
        st.metric("Tokens, median", found.median_tokens, help=half, width="content")
    draw_chart(
        lengths_chart(found.histogram(CLASS_TOKENS), CLASS_TOKENS),
        "lengths",
        "How many chunks have how many tokens",
        "The higher a bar, the more chunks have that length. Many short ones: try a larger size.",
    )
