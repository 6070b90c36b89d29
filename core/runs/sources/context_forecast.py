"""The probable cost of contexts for chunks, judged by some of the documents and by what the model wrote before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from core.corpora.entries import chunk_sizes
from core.corpora.gathering import ImportItem, file_items
from core.corpora.sources import DocumentSource, expand
from core.corpora.splitting import Splitter
from core.errors import DocumentError
from core.models.embeddings import Embedder
from core.runs.sources.context_writing import PROMPT, WORKERS, calls_for
from core.runs.sources.corpora import CorpusService
from core.skills.base import builtin_prompt
from core.wording import counted, duration, rounded

SAMPLED = 200
"""Documents that are cut to see what all of them will take."""
ALL = 1_000_000
WRITTEN = 60
"""Tokens that a context has with its number, where no calls of the model are known."""


@dataclass(frozen=True)
class ContextForecast:
    """The probable cost of contexts. Replies that are kept from before are not taken off."""

    documents: int
    chunks: int
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float | None
    """None: this model has written none yet."""
    price: float | None
    """US dollars; None: its prices are not known."""
    exact: bool
    """True if all documents were read for it, and not some of them."""


@dataclass
class _Sums:
    documents: int = 0
    chunks: int = 0
    calls: int = 0
    tokens: int = 0
    size: float = 0.0


def context_forecast(
    corpora: CorpusService,
    what: str | Sequence[DocumentSource],
    chunk_tokens: int | None = None,
    overlap_tokens: int | None = None,
    model: str = "",
    most: int = SAMPLED,
) -> ContextForecast:
    """The probable cost of contexts for a corpus that is indexed again, or for files. Blocks while it reads and cuts
    some of the documents, or all if they are few.

    Args:
        what: Name of the corpus, or the files.
        chunk_tokens: Chunk size; None: the usual size.
        overlap_tokens: Overlap of chunks; None: the usual overlap.
        model: Name of the chat model; empty: the server's.
        most: Documents to read; more are judged by these.

    Raises:
        InputError: There is no such corpus or file, or a size is unfit.
        ServiceError, StoreError: Chroma or the database fails.
    """
    from core.corpora.reindexing import rebuilt_items

    embedder, settings = corpora.backends.embedder, corpora.settings
    model = model or settings.chat_model
    if isinstance(what, str):
        entry = corpora.catalogue.corpus(what)
        items = rebuilt_items(corpora.catalogue.documents(entry.id), corpora.chunk_store(entry))
    else:
        items = file_items(expand(what), settings.max_upload_mb)
    sizes = chunk_sizes(embedder.max_tokens, chunk_tokens, overlap_tokens)
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *sizes)
    some = items[:: max(1, -(-len(items) // most))]
    sums = _Sums()
    for item in some:
        _add(sums, item, splitter, embedder)
    whole = sum(item.size for item in items)
    scale = whole / sums.size if sums.size and len(some) < len(items) else 1.0
    calls = round(sums.calls * scale)
    prompt = len(embedder.tokenizer.encode(builtin_prompt(PROMPT), add_special_tokens=False).ids)
    past = corpora.context_ledger.past(model)
    chunks = round(sums.chunks * scale)
    sent = round(sums.tokens * scale) + calls * prompt
    written = round(chunks * ((past.tokens_out if past else None) or WRITTEN))
    prices = settings.model_prices.get(model)
    return ContextForecast(
        documents=round(sums.documents * scale),
        chunks=chunks,
        calls=calls,
        tokens_in=sent,
        tokens_out=written,
        seconds=past.seconds * calls / min(WORKERS, max(1, calls)) if past else None,
        price=(sent * prices[0] + written * prices[1]) / 1e6 if prices else None,
        exact=len(some) == len(items),
    )


def _add(sums: _Sums, item: ImportItem, splitter: Splitter, embedder: Embedder) -> None:
    try:
        documents = item.read({}, threading.Event()) or []
    except DocumentError:
        return
    finally:
        sums.size += item.size
    for document in documents:
        passages = list(splitter.split(document))
        calls = list(calls_for(passages, embedder.tokenizer))
        sums.documents += 1
        sums.calls += len(calls)
        sums.chunks += len(passages) if calls else 0
        sums.tokens += sum(call.tokens for call in calls)


def forecast_sentence(forecast: ContextForecast) -> str:
    """A forecast in sentences."""
    if not forecast.calls:
        return (
            "No context is needed: every document is a single chunk, so it has no surroundings to describe."
        )
    about = "" if forecast.exact else "about "
    seconds = f", in about {duration(forecast.seconds)}" if forecast.seconds is not None else ""
    sent, written = rounded(forecast.tokens_in), rounded(forecast.tokens_out)
    return (
        f"Contexts for {about}{counted(forecast.chunks, 'chunk')} of "
        f"{about}{counted(forecast.documents, 'document')}: {about}{counted(forecast.calls, 'model call')}{seconds}, "
        f"which send about {sent:,} tokens and write about {written:,}.{_price(forecast.price)}"
    )


def _price(dollars: float | None) -> str:
    if dollars is None:
        return ""
    amount = f"about ${dollars:,.2f}" if dollars >= 0.01 else "less than one cent"
    return f" At the prices set for this model: {amount}."
