"""What a run cost, as numbers with how each is counted."""

from __future__ import annotations

from dataclasses import dataclass

from core.cards.recorded import PACE
from core.runs.record import Record


@dataclass(frozen=True)
class Figure:
    """One number; our own text."""

    label: str
    value: str
    help: str
    """How it comes about."""


def totals_view(record: Record) -> tuple[Figure, ...]:
    """Calls, rounds, tokens, seconds."""
    totals = record.totals
    begun = "change" if record.fork else "question"
    unsure = "" if totals.tokens_known else "≥ "
    gap = (
        "" if totals.tokens_known else " For some calls it did not say, or they were cut off before it could."
    )
    then = " when they were recorded" if totals.played else ""
    pace = f" Seconds of replies that were played are {PACE}." if totals.played else ""
    sent = totals.calls - totals.played
    return (
        Figure(
            "Calls",
            str(totals.calls),
            "Calls sent to the chat model, failed tries included."
            if not totals.played
            else f"Replies that the strategy needed: {totals.played} played from a recording, {sent} calls sent to a "
            "model, failed tries included.",
        ),
        Figure(
            "Rounds",
            str(totals.rounds),
            "The longest chain of calls that had to wait for one another. With a call of latency L, "
            "the run cannot be faster than rounds × L.",
        ),
        Figure(
            "Tokens",
            f"{unsure}{totals.tokens_in + totals.tokens_out:,}",
            f"As the endpoint counted them{then}: {totals.tokens_in:,} read and {totals.tokens_out:,} written.{gap}",
        ),
        Figure(
            "Seconds",
            f"{totals.seconds:.0f}" if record.live else f"{totals.seconds:.2f}",
            f"From the {begun} to {'now' if record.live else 'the last event'}. For {totals.model_seconds:.2f} s at "
            f"least one model call was under way; the rest is searching and our own work.{pace}",
        ),
    )
