"""What writing contexts for the chunks of documents will take."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.corpora.gathering import Item
from core.corpora.splitting import Splitter, chunk_sizes
from core.errors import DocumentError
from core.runs.sources.context_writing import PROMPT, WORKERS, calls_for
from core.skills.base import builtin_prompt
from core.wording import counted, duration

if TYPE_CHECKING:
    from core.corpora.contexts import ContextLedger
    from core.models.embeddings import Embedder
    from core.settings import Settings

SAMPLED = 200
"""Documents that are cut to see what all of them will take."""
ALL = 1_000_000
WRITTEN = 60
"""Tokens that a context has with its number, where no calls of the model are known."""


@dataclass(frozen=True)
class ContextForecast:
    """What contexts will take. Replies that are kept from before are not taken off."""

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
    """Whether all documents were read for it, and not some of them."""


@dataclass
class _Sums:
    documents: int = 0
    chunks: int = 0
    calls: int = 0
    tokens: int = 0
    size: float = 0.0


def forecast(
    items: Sequence[Item],
    sizes: tuple[int | None, int | None],
    embedder: Embedder,
    ledger: ContextLedger,
    settings: Settings,
    model: str,
    most: int = SAMPLED,
) -> ContextForecast:
    """Read some of the documents, or all if they are few, and cut them as they will be. Blocks meanwhile.

    Args:
        items: What would be indexed.
        sizes: Size and overlap of chunks; None: the usual ones.
        embedder: The model whose tokens are counted.
        ledger: Says how earlier calls were.
        settings: Has the prices.
        model: Name of the chat model; empty: not known.
        most: Items to read.

    Raises:
        InputError: A size is unfit.
        StoreError: The ledger cannot be read.
    """
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *chunk_sizes(embedder.max_tokens, *sizes))
    some = items[:: max(1, -(-len(items) // most))]
    sums = _Sums()
    for item in some:
        _add(sums, item, splitter, embedder)
    whole = sum(item.size for item in items)
    scale = whole / sums.size if sums.size and len(some) < len(items) else 1.0
    calls = round(sums.calls * scale)
    prompt = len(embedder.tokenizer.encode(builtin_prompt(PROMPT), add_special_tokens=False).ids)
    past = ledger.past(model)
    written = (past.tokens_out if past else None) or WRITTEN
    chunks = round(sums.chunks * scale)
    sent, told = round(sums.tokens * scale) + calls * prompt, round(chunks * written)
    prices = settings.model_prices.get(model)
    return ContextForecast(
        documents=round(sums.documents * scale),
        chunks=chunks,
        calls=calls,
        tokens_in=sent,
        tokens_out=told,
        seconds=past.seconds * calls / min(WORKERS, max(1, calls)) if past else None,
        price=(sent * prices[0] + told * prices[1]) / 1e6 if prices else None,
        exact=len(some) == len(items),
    )


def _add(sums: _Sums, item: Item, splitter: Splitter, embedder: Embedder) -> None:
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


def said_forecast(told: ContextForecast) -> str:
    """A forecast in sentences."""
    if not told.calls:
        return "No context is needed: every document is one chunk, which nothing stands around."
    about = "" if told.exact else "about "
    seconds = f", in about {duration(told.seconds)}" if told.seconds is not None else ""
    sent, written = _rounded(told.tokens_in), _rounded(told.tokens_out)
    return (
        f"Contexts for {about}{counted(told.chunks, 'chunk')} of {about}{counted(told.documents, 'document')}: "
        f"{about}{counted(told.calls, 'model call')}{seconds}, which send about {sent:,} tokens and write about "
        f"{written:,}.{_price(told.price)}"
    )


def _price(dollars: float | None) -> str:
    if dollars is None:
        return ""
    said = f"about ${dollars:,.2f}" if dollars >= 0.01 else "less than one cent"
    return f" At the prices set for this model: {said}."


def _rounded(tokens: int) -> int:
    return int(float(f"{tokens:.2g}"))
