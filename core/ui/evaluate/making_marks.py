"""Finding the passages that may answer a question, and grading them by a click or a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeGuard

import streamlit as st

from core.cards.matching import matches
from core.cards.passages import PassageCard, passage_card
from core.corpora.entries import Corpus
from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.making import DEPTH, Documents, Pool, PooledDocument, document_mark, pool
from core.evaluation.set_store import GRADES, MadeQuestion, Mark
from core.jobs import run_blocking
from core.runs.workbench import Workbench
from core.ui.evaluate.cached_results import BY_DATABASE
from core.ui.evaluate.jobs import note_errors
from core.ui.fixes.overtaken import LatestWins, keeper, session_snapshot
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal
from core.ui.shell.widgets import errors_shown

SEARCH_SECONDS = 60
_WORDS = {0: "No", 1: "Partly", 2: "Fully"}


def search_words(question: MadeQuestion) -> str:
    """Draw a field, and return its words to search for; empty: the question itself is searched for."""
    words = st.text_input(
        "Search with other words (optional)",
        key=f"made-search-{question.id}",
        icon=":material/search:",
        placeholder="Default: the question",
    )
    return words.strip()


def draw_marking(
    bench: Workbench,
    sets: DataSets,
    data_set: str,
    corpus: Corpus,
    question: MadeQuestion,
    documents: Documents,
    words: str,
) -> None:
    """Draw the candidates for one question, and its marks; `words` are searched for instead of it."""
    query = (words or question.text)[: bench.settings.max_question_chars]
    result = _candidates(bench, corpus, query) if query else Pool(())
    marks = documents.present(question.marks)
    data = marking_data(result.candidates, marks, question=question.id, query=query, fresh=not question.text)
    data["empty"] = (
        "Nothing was found. Try other words."
        if query
        else "Write a question: passages that may answer it appear here."
    )
    key = f"marking-{question.id}"
    order = keeper()
    drawing("marking")(
        data=data, key=key, on_grades_change=lambda: _save(order, sets, data_set, question, documents, key)
    )
    if result.note:
        st.caption(f":material/info: {literal(result.note)}")
    if data["cards"]:
        st.caption(
            f":material/lightbulb: **Does it hold the evidence?** Click, or press Tab until a passage is framed, then "
            f"0, 1 or 2; ↓ and ↑ move, Enter shows everything. The mark is kept for the whole document. The first "
            f"{DEPTH} results of all retrievers are pooled, so none is favoured. Unmarked counts as no evidence. "
            "*Fully* counts twice as much as *partly* in nDCG; recall counts both alike."
        )
    for mark in question.marks:
        if documents.now(mark) is None:
            st.caption(
                f":material/unknown_document: “{literal(mark.title, 80)}” was marked, but is not in the corpus any "
                "more. The mark is kept, and counts again when the document is added again."
            )


def _candidates(bench: Workbench, corpus: Corpus, query: str) -> Pool:
    with errors_shown():
        return _pool(bench, corpus.name, query, corpus.id, corpus.version)
    return Pool(())


@st.cache_resource(max_entries=200, show_spinner=False, hash_funcs=BY_DATABASE)
def _pool(bench: Workbench, corpus: str, query: str, id_: str, version: int) -> Pool:
    """The candidates in a corpus, searched once for each of its versions."""
    return run_blocking(pool(bench.corpora, corpus, query), SEARCH_SECONDS)


def _save(
    order: LatestWins, sets: DataSets, data_set: str, question: MadeQuestion, documents: Documents, key: str
) -> None:
    """Save the grades; the browser sends all that were given on this page, each with its time."""
    with order.callback():
        sent = session_snapshot()[key].get("grades")
        marks = documents.present(question.marks)
        for document, grading in sent.items() if isinstance(sent, Mapping) else ():
            entry = documents.ready.get(document) if isinstance(document, str) else None
            fields = grading if isinstance(grading, Mapping) else {}
            grade, at = fields.get("grade"), fields.get("at")
            if entry is None or not _number(grade) or grade not in GRADES or not _number(at):
                continue
            old = [marks[entry.id].document] if entry.id in marks else []
            write = partial(sets.questions.mark, data_set, question.id, document_mark(entry, int(grade)), old)
            with note_errors():
                order.keep((question.id, entry.id), at, write)


def _number(value: object) -> TypeGuard[float]:
    """True if it is a number; True and False are none."""
    return type(value) in (int, float)


def marking_data(
    candidates: Sequence[PooledDocument], marks: Mapping[str, Mark], *, question: str, query: str, fresh: bool
) -> dict[str, Any]:
    """Cards as plain values, for the page; all text is raw and must not be interpreted.

    Documents that are marked, by their ids in the corpus, and were not found come after those that were. A folded card
    begins with the sentence that shares most with the words of the search. A `fresh` question is still to be written.
    """
    near = matches(query, [passage for pooled in candidates for passage in pooled.passages])
    cards = []
    for pooled in candidates:
        grade = marks[pooled.document].grade if pooled.document in marks else 0
        ranks = " · ".join(f"{retriever} {rank}" for retriever, rank in pooled.ranks)
        parts = [passage_card(item, 0, None, "", match=near.get(item.chunk)) for item in pooled.passages]
        cards.append(_card(pooled.document, pooled.title, ranks, grade, parts))
    ids, missed = {card["document"] for card in cards}, "Marked before; not among what was found now."
    cards += [_card(key, mark.title, missed, mark.grade) for key, mark in marks.items() if key not in ids]
    grades = [{"grade": grade, "word": _WORDS[grade]} for grade in GRADES]
    return {"question": question, "fresh": fresh, "grades": grades, "cards": cards}


def _card(
    document: str, title: str, ranks: str, grade: int, passages: Sequence[PassageCard] = ()
) -> dict[str, Any]:
    parts = [{"where": card.where, "pieces": list(map(asdict, card.pieces))} for card in passages]
    first, *more = parts or [{"where": "", "pieces": []}]
    return {"document": document, "title": title, "found": ranks, "grade": grade, **first, "more": more}


def state_of(question: MadeQuestion, documents: Iterable[str]) -> str:
    """Return what a question with these marked documents of the corpus lacks, in a word or two."""
    if not question.text:
        return "○ no question"
    missing = ["gold documents"] * (not list(documents)) + ["answer"] * (not question.answers)
    return f"◐ no {', no '.join(missing)}" if missing else "✓ complete"
