"""With which retriever a question is searched where nobody chose: as a recording that plays did, else as
`core.retrieval.defaults` has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from core.jobs import run_blocking
from core.models.recordings.items import KeptRun
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.defaults import Default
from core.retrieval.recorded import mark_of
from core.retrieval.retriever import RETRIEVERS, RetrieverKind

if TYPE_CHECKING:
    from core.runs.request import RunRequest
    from core.runs.workbench import Workbench


def recorded_default(
    name: str, runs: Iterable[KeptRun], strategy: str, *, mark: str = "", questions: Collection[str] = ()
) -> Default | None:
    """The retriever with which most of a recording's runs of a strategy searched, with the sentence that says so.

    Args:
        name: Of the recording.
        runs: How questions were asked while it was made.
        strategy: Key of the strategy.
        mark: Documents that are searched, see `core.retrieval.recorded.mark_of`; empty: whichever.
        questions: That are asked; none: whichever.

    Returns:
        None: it holds no such run.
    """
    known = Counter(
        run.retriever
        for run in runs
        if run.strategy == strategy
        and run.retriever in RETRIEVERS
        and (not mark or run.mark == mark)
        and (not questions or run.question in questions)
    )
    if not known:
        return None
    (most, _), *_ = known.most_common(1)
    kind: RetrieverKind = next(one for one in RETRIEVERS if one == most)
    return Default(kind, why=f"The recording “{name}” was made with {kind} search of these documents.")


def default_of_run(bench: Workbench, request: RunRequest) -> Default:
    """The default for a question about a corpus that is there; languages that are not known are told now. Blocks.

    Raises:
        InputError: There is no such corpus.
        ServiceError, StoreError: Chroma or the database fails.
    """
    corpus = bench.corpora.catalogue.corpus(request.corpus or "")
    if play := request.chat.play:
        runs = bench.recordings.store.runs(play.recording.id)
        mark = mark_of(SearchableCorpus(corpus, bench.corpora.catalogue, ""))
        if found := recorded_default(play.recording.name, runs, request.strategy, mark=mark):
            return found
    return run_blocking(bench.corpora.defaults.found(corpus))
