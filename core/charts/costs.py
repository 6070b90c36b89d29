"""What the tokens of a run cost, where prices are known."""

from __future__ import annotations

from collections.abc import Mapping

from core.runs.record import Record

Prices = Mapping[str, tuple[float, float]]
"""Model name -> US dollars per million tokens sent and written."""


def cost(record: Record, prices: Prices) -> float | None:
    """US dollars for the calls of a run, those that its parent paid left out.

    Returns:
        None where a price or a number of tokens is not known; the built-in model costs nothing, nor does a reply that
        was played from a recording.
    """
    if record.started is None:
        return None
    total = 0.0
    for call in record.calls:
        if call.inherited or call.builtin or call.recorded:
            continue
        sent, written = call.usage.input, call.usage.output
        if call.model not in prices or sent is None or written is None:
            return None
        price_sent, price_written = prices[call.model]
        total += (sent * price_sent + written * price_written) / 1e6
    return total
