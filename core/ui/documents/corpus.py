"""One corpus on the page Documents: a search in it, its documents, one of them opened at a chunk, and all changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from zlib import crc32

import pandas as pd
import streamlit as st

from core.cards.kind import passage_list
from core.cards.matching import matches
from core.cards.passages import names, passage_card, says_the_same
from core.cards.texts import documents_of, named
from core.corpora.contexts import contexts_text
from core.corpora.demo import DEMO_CORPORA
from core.corpora.documents import FOLDER, with_derived
from core.corpora.entries import Corpus, DocumentEntry
from core.corpora.filtering import Where, matching, parse_where
from core.corpora.splitting import sizes_text
from core.errors import InputError
from core.jobs import run_blocking
from core.runs.sources.context_forecast import ContextForecast, context_forecast
from core.runs.sources.corpora import IndexJob
from core.runs.workbench import Workbench
from core.trace.artefacts import Ranking
from core.ui.cards.parts import draw_drawing
from core.ui.documents.cutting import contexts_choice, draw_chunks, own_contexts, size_sliders
from core.ui.forms.filter_choice import chosen_filter, filter_choice
from core.ui.forms.retriever_choice import retriever_choice
from core.ui.shell import address, session
from core.ui.shell.address import CHUNK, CORPUS, DOCUMENT
from core.ui.shell.changing import delete, rename
from core.ui.shell.progress import draw_job
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.widgets import errors_shown, fold, popover
from core.wording import counted

MOST_COLUMNS = 6
"""Fields that have a column in the table of documents; a document alone shows all of its own."""
AROUND = 12
"""Chunks shown before and after the one that a document is opened at."""
MOST_HITS = 10
THE_DEMOS = "This corpus comes with the app and stays as it is. Add your documents as a corpus of your own."
NOT_YOURS = (
    "Only its owner and the teacher can change this corpus or add to it. Add your documents as a corpus of your "
    "own."
)
DELETED = "Deletes the corpus with all its documents, for everybody. Runs keep what they found in it."
REINDEX_JOB = "reindex-job"


def draw_corpus(bench: Workbench, corpus: Corpus) -> None:
    """Draw a corpus, or the document in the address."""
    scroll_place("corpora")
    if document := st.query_params.get(DOCUMENT):
        _document(bench, corpus, document)
        return
    if st.button("All corpora", key="all-corpora", icon=":material/arrow_back:", type="tertiary"):
        _leave(CORPUS, DOCUMENT)
    st.header(literal(named(corpus.name)), anchor=False)
    st.caption(
        f"{documents_of(corpus.name, corpus.documents)} in {counted(corpus.chunks, 'chunk')} "
        f"{sizes_text(corpus.chunk_tokens, corpus.overlap_tokens)}{literal(contexts_text(corpus.contextual))}; "
        f"embedded with {literal(corpus.embedder_name)}."
    )
    _changes(bench, corpus)
    search, documents = st.tabs(["Search in it", "Documents"], key="corpus-tabs")
    with search:
        _search(bench, corpus)
    with documents:
        _documents(bench, corpus)


def _leave(*names: str) -> None:
    """Take these, and the chunk, out of the address."""
    for name in (*names, CHUNK):
        st.query_params.pop(name, None)
    st.rerun()


def _open(document: str, number: int) -> None:
    st.query_params[DOCUMENT] = document
    st.query_params[CHUNK] = str(number)


# Search


def _search(bench: Workbench, corpus: Corpus) -> None:
    usual = bench.corpora.defaults.of(corpus)
    with st.form("corpus-search", border=False):
        with st.grid(2, min_column_width=290, vertical_alignment="bottom"):
            query = st.text_input("Search for", key="search-query", placeholder="Words, or a question")
            kind = retriever_choice("search-kind", usual)
        if usual.why:
            st.caption(literal(usual.why))
        st.form_submit_button("Search", key="search-go", icon=":material/search:")
    if not query.strip():
        st.caption("The chunks that a strategy would be given for a query appear here, best first.")
        return

    async def find() -> Ranking:
        retriever = await bench.corpora.retriever(corpus.name, kind)
        return await retriever.search(query.strip()[: bench.settings.max_question_chars], MOST_HITS)

    with errors_shown():
        ranking = run_blocking(find(), timeout=60)
        if not ranking.hits:
            st.info("Nothing was found. Try other words, or another retriever.")
        elif ranking.note:
            st.caption(ranking.note)
        passages = [hit.passage for hit in ranking.hits]
        titles, matching_words = names(passages), matches(query, passages)
        for hit in ranking.hits:
            passage = hit.passage
            card = passage_card(
                passage,
                hit.rank,
                hit.score,
                ranking.score_name,
                match=matching_words.get(passage.chunk),
                badge=says_the_same(hit.repeats),
                faint=hit.repeats is not None,
                name=titles[passage.chunk],
            )
            with st.container(gap=None):
                draw_drawing(passage_list([card], "found", compact=False), passage.chunk)
                st.button(
                    "Open the document here",
                    key=f"open-{passage.chunk}",
                    type="tertiary",
                    icon=":material/menu_book:",
                    on_click=_open,
                    args=(passage.document, passage.position + 1),
                )


# Documents


def _documents(bench: Workbench, corpus: Corpus) -> None:
    documents = bench.corpora.catalogue.documents(corpus.id)
    fields = [field.name for field in bench.corpora.known(corpus)[1]][:MOST_COLUMNS]
    problem = filter_choice(bench, corpus, "listed")
    where = Where()
    with suppress(InputError):  # the sentence is drawn below
        where = parse_where(chosen_filter(bench, corpus, "listed"))
    left = matching(where, {place: entry.known for place, entry in enumerate(documents)})
    entries = [documents[place] for place in sorted(left)]
    if problem:
        st.info(literal(problem), icon=":material/filter_alt_off:")
    # Cells of a data frame are drawn as text, so names need no escaping here.
    table = pd.DataFrame(
        {
            "Document": [entry.title or entry.name for entry in entries],
            **{
                name.replace("_", " ").capitalize(): [_values(entry, name) for entry in entries]
                for name in fields
            },
            "File": [entry.name for entry in entries],
            "Chunks": [entry.chunks for entry in entries],
            "Characters": [entry.characters for entry in entries],
            "State": [_state(corpus, entry) for entry in entries],
        }
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        key=f"documents-{crc32(repr(where).encode()):08x}"
        if where
        else "documents",  # rows are chosen by number
        on_select="rerun",
        selection_mode="multi-row",
        alt="Documents of the corpus",
    )["selection"]["rows"]
    picked = [entries[row] for row in chosen if row < len(entries)]
    changeable = _changeable(bench, corpus)
    with st.container(horizontal=True, gap="small"):
        if len(picked) == 1 and picked[0].ready:
            st.button(
                "Open",
                key="document-open",
                icon=":material/menu_book:",
                on_click=_open,
                args=(picked[0].id, 1),
            )
        if picked and changeable:
            _delete_documents(bench, corpus, picked)
    if not picked:
        st.caption("Choose a document to open it" + (", or some to delete." if changeable else "."))


def _values(entry: DocumentEntry, field: str) -> str:
    """Return the values of a field for a cell; of folders the innermost, which names the others."""
    values = entry.known.get(field, ())
    return values[-1] if field == FOLDER and values else ", ".join(values)


def _state(corpus: Corpus, entry: DocumentEntry) -> str:
    if not entry.ready:
        return "being indexed"
    return "read by an earlier version" if corpus.outdated and entry.outdated else "ready"


def _delete_documents(bench: Workbench, corpus: Corpus, picked: Sequence[DocumentEntry]) -> None:
    several = "this document" if len(picked) == 1 else f"these {len(picked)} documents"
    lost = f"Deletes {several} from the corpus. Runs keep what they found there."
    ids, user = [entry.id for entry in picked], session.user(bench)
    if delete("documents", several, lost, lambda: bench.corpora.delete_documents(corpus.name, ids, user)):
        st.rerun()


def _document(bench: Workbench, corpus: Corpus, document: str) -> None:
    """Draw a document around the chunk in the address, with the borders of all."""
    if st.button(
        literal(named(corpus.name), 60), key="back-to-corpus", icon=":material/arrow_back:", type="tertiary"
    ):
        _leave(DOCUMENT)
    shown, chunks = bench.corpora.opened_document(corpus.name, document)
    st.header(literal(shown.title or shown.name, 160), anchor=False)
    known = with_derived(shown.name, shown.key, shown.about)
    if about := " · ".join(f"{name}: {', '.join(values)}" for name, values in known.items()):
        st.caption(literal(about, 1000))
    wanted = st.query_params.get(CHUNK, "1")
    number = min(max(1, int(wanted) if wanted.isdecimal() and len(wanted) < 9 else 1), len(chunks))
    if len(chunks) > 1:
        picked = st.number_input("Chunk", 1, len(chunks), number, key=f"chunk-{document}-{number}")
        if picked != number:
            st.query_params[CHUNK] = str(picked)
            st.rerun()
    near, chosen = chunks[max(0, number - 1 - AROUND) : number + AROUND], chunks[number - 1]
    start, end = near[0].start, near[-1].end
    page = f", page {chosen.page}" if chosen.page else ""
    heading = f", under “{literal(chosen.heading, 100)}”" if chosen.heading else ""
    some = f"The page shows chunks {near[0].position + 1} to {near[-1].position + 1}."
    st.caption(f"Chunk {number} of {len(chunks):,}{page}{heading}. {some if len(near) < len(chunks) else ''}")
    if context := chosen.indexed_with:
        written = f":material/auto_awesome: Context for the index, written by {literal(context.model, 80)}"
        st.caption(f"{written}: {literal(context.text)}")
    draw_chunks(shown.text[start:end], near, f"document-{document}", offset=start, chosen=number)


# Changes


def _changeable(bench: Workbench, corpus: Corpus) -> bool:
    """Return True if the page offers changes; the service checks again."""
    return corpus.name not in DEMO_CORPORA and session.user(bench).may_change(corpus.owner)


def _changes(bench: Workbench, corpus: Corpus) -> None:
    job: IndexJob | None = st.session_state.get(REINDEX_JOB)
    corpora, user = bench.corpora, session.user(bench)
    with st.container(horizontal=True, gap="small", key="corpus-actions"):
        if user.may_change(corpus.owner):
            _reindex(bench, corpus, busy=job is not None and not job.done)
        _compare(bench, corpus)
        if _changeable(bench, corpus):
            rename("corpus", corpus.id, corpus.name, lambda _, name: corpora.rename(corpus.name, name, user))
            if delete("corpus", "this corpus", DELETED, lambda: corpora.delete(corpus.name, user)):
                _leave(CORPUS, DOCUMENT)
    if not _changeable(bench, corpus):
        st.caption(f":material/lock: {THE_DEMOS if corpus.name in DEMO_CORPORA else NOT_YOURS}")
    else:
        _outdated(bench, corpus)
    draw_job(job, "reindex")


def _reindex(bench: Workbench, corpus: Corpus, *, busy: bool) -> None:
    label = "Index it another way"
    with popover(label, icon=":material/content_cut:", key="reindex", disabled=busy):
        st.markdown(
            "Makes another corpus of the same documents, in other chunks or with a context for each chunk. Ask both, "
            "and compare."
        )
        sizes = size_sliders(bench, f"again-{corpus.id}", (corpus.chunk_tokens, corpus.overlap_tokens))

        def forecast(model: str) -> ContextForecast:
            return context_forecast(bench.corpora, corpus.name, *sizes, model)

        mark = (corpus.id, corpus.version, sizes)
        contexts = contexts_choice(bench, f"again-{corpus.id}", mark, forecast)
        new, key = ("with contexts", "contexts") if contexts else ("recut", "name")
        name = st.text_input(
            "Name of the new corpus", f"{corpus.name}, {new}"[:80], key=f"reindex-{key}-{corpus.id}"
        )
        if st.button("Index again", key="reindex-go", type="primary", on_click=fold, args=("reindex",)):
            st.session_state[REINDEX_JOB] = bench.corpora.reindex(
                corpus.name, name, *sizes, by=session.user(bench), contexts=contexts
            )
            scroll_to("reindex")
            st.rerun()


def _compare(bench: Workbench, corpus: Corpus) -> None:
    """Draw a way to Compare with this index and another one of the same documents, where there is one."""
    ready = bench.corpora.catalogue.ready
    others = {
        other.id: other.name
        for other in bench.corpora.catalogue.corpora()
        if other.id != corpus.id
        and other.documents == corpus.documents
        and set(ready(other.id)) == set(ready(corpus.id))
    }
    if not others:
        return
    with st.popover("Compare", icon=":material/compare:", key="compare-indexes"):
        other = st.selectbox(
            "With another index of the same documents",
            others,
            format_func=lambda key: named(others[key]),
            key=f"other-{corpus.id}",
        )
        st.page_link(
            "pages/compare.py",
            label="Ask both the same question",
            icon=":material/compare:",
            query_params={address.INDEXES: f"{corpus.id}.{other}"},
        )


# Documents that an earlier version of the app has read

READ_AGAIN_JOB = "read-again-job"
LISTED_OUTDATED = 8
"""Names that are listed; the table of documents marks all."""
FILES_ARE_NOT_KEPT = (
    "This version reads tables, PDFs and other files better. The app does not keep the files, so choose them again: "
    "each replaces its older document. Earlier runs keep what they cite."
)


def _outdated(bench: Workbench, corpus: Corpus) -> None:
    """Draw how many documents were read by an earlier version, and a button that reads all their files again."""
    job: IndexJob | None = st.session_state.get(READ_AGAIN_JOB)
    if corpus.outdated:
        _offer_reading_again(bench, corpus, busy=job is not None and not job.done)
    with errors_shown():
        draw_job(job, "read-again")


def _offer_reading_again(bench: Workbench, corpus: Corpus, *, busy: bool) -> None:
    few = counted(corpus.outdated, "document")
    with st.container(border=True, gap="small", key="outdated"):
        st.markdown(f":material/update: An earlier version read {few} of this corpus: index again.")
        st.caption(FILES_ARE_NOT_KEPT)
        files = st.file_uploader(
            "The files",
            accept_multiple_files=True,
            key=f"read-again-{corpus.id}-{corpus.version}",
            max_upload_size=bench.settings.max_upload_mb,
        )
        documents = bench.corpora.catalogue.documents(corpus.id)
        outdated = [entry.name for entry in documents if entry.outdated]
        st.dataframe(
            {"Read by an earlier version": outdated},
            hide_index=True,
            height=36 * (min(len(outdated), LISTED_OUTDATED) + 1),
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
            st.session_state[READ_AGAIN_JOB] = bench.corpora.index(
                [(file.name, file.getvalue()) for file in files],
                corpus.name,
                corpus.chunk_tokens,
                corpus.overlap_tokens,
                by=session.user(bench),
                contexts=own_contexts(bench) if corpus.contextual else None,
            )
            scroll_to("read-again")
            st.rerun()
