"""How documents are searched: the default of their language and embeddings, until somebody chooses otherwise."""

from __future__ import annotations

import streamlit as st

from core.corpora.entries import Corpus
from core.models.chat_models import ChatModel
from core.retrieval.defaults import FALLBACK, Default
from core.retrieval.kinds import RETRIEVERS
from core.runs.recordings import recorded_default
from core.runs.workbench import Workbench
from core.ui.forms.recorded import corpus_mark, known_runs
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import fill

RETRIEVER_HELP = (
    "Dense compares meanings by embeddings; keyword counts shared words (BM25); hybrid merges both, with weights "
    "where that finds more; linked goes on from there, to documents whose titles the passages mention and, where a "
    "graph was built from the documents, to those that mention the same entities."
)

_FILLED_IN = "retrievers-filled-in"
"""Key of a widget -> the default that was filled in last."""
_FIRST = "retrievers-first"
"""Key of a widget -> the first default that there was a reason for; another one than that is said."""


def default_here(bench: Workbench, strategy: str, corpus: Corpus | None, chat: ChatModel) -> Default:
    """Return the default for a question about a corpus, through the strategy of this key: as a recording that plays
    searched it, else as was measured. `corpus` is None where the documents are not there yet."""
    if corpus is None:
        return Default(FALLBACK)
    if chat.play and (mark := corpus_mark(bench, corpus.name)):
        recording = chat.play.recording
        runs = known_runs(bench, recording)
        if default := recorded_default(recording.name, runs, strategy, mark=mark):
            return default
    return bench.corpora.defaults.of(corpus)


def retriever_choice(key: str, usual: Default, *, draw: bool = True) -> str:
    """Draw the choice, whose help says why the default is what it is; returns the kind of retriever.

    What somebody chose stays; the default, `usual`, may be another one at the next call. `draw` as for `params_form`.
    """
    follow(key, usual)
    if draw:
        with st.container(gap="xxsmall"):  # one place of a grid
            st.segmented_control(
                "Retriever",
                list(RETRIEVERS),
                format_func=lambda name: RETRIEVERS[name],
                required=True,
                key=key,
                help="\n\n".join(filter(None, (literal(usual.why), RETRIEVER_HELP))),
                persist_state="session",
            )
            first = st.session_state.setdefault(_FIRST, {}).setdefault(key, usual) if usual.why else usual
            if first.retriever != usual.retriever == st.session_state.get(key):
                st.caption(f"{RETRIEVERS[usual.retriever]} is the default for these documents.")
    return str(st.session_state.get(key) or usual.retriever)


def follow(key: str, usual: Default) -> None:
    """Choose the default before the widget is drawn, unless another value stands there than the last default."""
    filled_in: dict[str, str] = st.session_state.setdefault(_FILLED_IN, {})
    if st.session_state.get(key) in (None, filled_in.get(key)):
        # A drawing may be broken off at any value of the session: what was filled in is noted without one, so that
        # there is never one without the other, and no default is taken for a choice, nor a choice for a default.
        fill(key, usual.retriever)
        filled_in[key] = usual.retriever


def fill_retriever(bench: Workbench, strategy: str, corpus: str, retriever: str) -> None:
    """Fill in the retriever of a run; where that is the default of its documents, it counts as no choice.

    Called before the widget is drawn, with the key of the run's strategy and the name of its documents, empty where
    they are gone. A retriever that cannot be chosen today stays as it was.
    """
    if retriever not in RETRIEVERS:
        return
    clear("retriever")
    if documents := bench.corpora.offered().get(corpus):
        follow("retriever", default_here(bench, strategy, documents, session.chat(bench)))
    st.session_state["retriever"] = retriever


def clear(key: str) -> None:
    """Choose nothing; called before the widget is drawn."""
    st.session_state.pop(key, None)
    st.session_state.get(_FILLED_IN, {}).pop(key, None)
