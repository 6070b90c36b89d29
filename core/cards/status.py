"""A run in short: what it did, what it is doing now, and what it cost, with how each number is counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.cards.kinds import KINDS
from core.cards.models import who_answered
from core.cards.recorded import PACE, origin, recordings
from core.models.timing import Speed
from core.retrieval.caches import work_under_way
from core.runs.record import Call, Record
from core.trace.artefacts import Ranking
from core.wording import counted, duration, rounded


def gist(record: Record) -> str:
    """A line on what a run has done so far, as the most telling of its artefacts says; raw text, empty at first."""
    present = {artefact.kind for _, artefact in record.artefacts}
    gists = sorted(
        (kind.gist for kind in KINDS.values() if kind.gist and kind.key in present),
        key=lambda gist: gist.order,
    )
    text = next((text for gist in gists if (text := gist.says(record))), "")
    reranked = text and any(ranking.reranked for ranking in record.find(Ranking))
    return f"{text}, hits reranked" if reranked else text


def retries(record: Record) -> list[str]:
    """The calls that failed and were sent again, those alike as one, each in a sentence; raw text.

    A reply that came without its form is none: the step that asked again says what became of it. An error that ended
    the run is not said again.
    """
    waits: dict[tuple[str, str], list[float]] = defaultdict(list)
    for call in record.calls:
        if call.retry and call.state == "failed":
            error = "" if call.error in record.error else f" ({call.error})"
            waits[call.retry.reason, error].append(call.retry.wait)
    return [
        f"{reason}: tried again {f'{len(some)} times, ' if some[1:] else ''}after {_range(some)} s{error}"
        for (reason, error), some in waits.items()
    ]


def _range(waits: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys(f"{wait:.1f}" for wait in (min(waits), max(waits))))


def stopped_before(record: Record, titles: Mapping[str, str]) -> str:
    """The steps that a paused run waits for, with the names of nodes on screen; raw text."""
    names = dict.fromkeys(titles.get(node, node) for node in record.next)
    at_once = f" ({len(record.next)} at once)" if len(record.next) > 1 else ""
    if record.lacking:
        return f"Waits at {' and '.join(f'“{name}”' for name in names)}: the recording does not cover it"
    return f"Stopped before {' and '.join(f'“{name}”' for name in names)}{at_once}"


def costs_line(record: Record) -> str:
    """The cost of a run so far in one line: seconds, calls, rounds and tokens, and the models that answered; raw text.

    Of a fork, what it did itself: seconds and calls before the change are its parent's.
    """
    totals = record.totals
    took = (
        f"{totals.seconds:.0f} s"
        if record.live
        else f"{totals.seconds:.{1 if totals.seconds > 0.9 else 2}f} s"
    )
    if record.state == "finished":
        took = f"Done in {took}{' from the change on' if record.fork else ''}"
    if not totals.calls:
        took += " without a model call" if record.state == "finished" else ""
        return " · ".join(filter(None, (took, origin(record))))
    tokens = counted(totals.tokens_in + totals.tokens_out, "token")
    failed = sum(call.state == "failed" and not call.inherited for call in record.calls)
    return " · ".join(
        (
            took,
            counted(totals.calls, "model call") + (f", {failed} failed" if failed else ""),
            counted(totals.rounds, "round"),
            tokens if totals.tokens_known else f"≥ {tokens}",
            *filter(None, ("" if recordings(record) else who_answered(record), origin(record))),
        )
    )


def queue_line(record: Record) -> str:
    """The place of a run that waits for the model; raw text, empty: it does not wait, or has a call under way."""
    if record.ahead is None or any(call.state == "running" for call in record.calls):
        return ""
    before = f"{counted(record.ahead, 'call')} before yours" if record.ahead else "yours is the next call"
    return f"the model is busy, {before}"


BYTES_PER_TOKEN = 4.0
"""Of a prompt, until the model has counted one."""


def work_line(record: Record, speed: Speed) -> str:
    """The work of a model of this machine: reading prompts, with their tokens and the time that takes, or writing; raw
    text, empty: no call is under way.

    When a reply begins that is not shown as it comes, nobody knows: probably when the prompt should have been read.
    """
    calls = [call for call in record.calls if call.state == "running" and not call.recorded]
    if not calls or record.draft:
        return "writing" if calls else ""
    known = [call for call in record.calls if call.usage.input]
    rate = sum(call.usage.input or 0 for call in known) / max(1, sum(map(_bytes, known)))
    tokens = sum(map(_bytes, calls)) * (rate or 1 / BYTES_PER_TOKEN)
    seconds = tokens / speed.reading
    if record.seconds - min(call.start for call in calls) > seconds:
        return "probably writing"
    return f"reading about {rounded(tokens):,} tokens takes about {duration(seconds)}"


def _bytes(call: Call) -> int:
    return sum(len(message.content.encode()) for message in call.messages)


def status_line(record: Record, titles: Mapping[str, str], attempts: int, speed: Speed | None = None) -> str:
    """The steps under way; raw text. `titles` are the names of nodes on screen, `attempts` the tries per model call in
    all, and `speed` is that of the model that answers, where it is one of this machine."""
    running = [step for step in record.steps if step.state == "running"]
    for step in running:
        last = max(step.calls, key=lambda call: call.start, default=None)
        if last is not None and last.state == "failed" and (retry := last.retry):
            what = f"waiting {retry.wait:.0f} s: {retry.reason}, try {retry.attempt} of {attempts}"
            return f"{titles.get(step.node, step.node)}: {what}"
    if not running:
        return "Getting ready" if not record.steps else "Going on"
    names = dict.fromkeys(titles.get(step.node, step.node) for step in running)
    several = f" ({len(running)} at once)" if len(running) > 1 else ""
    waits = work_under_way(record.started.corpus) if record.started else ""
    waits = waits or queue_line(record)
    took = record.seconds - min(step.start for step in running)
    works = waits or (work_line(record, speed) if speed else "")
    clock = f", {took:.0f} s{' so far' if works else ''}" if took >= 1 else ""
    return f"{', '.join(names)}{several}{f': {works}' if works else ''}{clock}"


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
