"""What a run cost: calls, rounds, tokens, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.runs.record import Call, Record, Step


@dataclass(frozen=True)
class Totals:
    """What a run cost; what its parent paid is left out."""

    calls: int
    """Model calls sent, failed ones included, and those whose replies were played."""
    played: int
    """Calls whose replies were played from a recording: nobody was asked, and their seconds are those of the pace."""
    replaced: int
    """Uses of skills that another method did, since the model's replies could not be used."""
    rounds: int
    """Model calls that had to wait for one another: the longest chain."""
    tokens_in: int
    tokens_out: int
    tokens_known: bool
    """Whether every finished call came with a count from its endpoint, and none was cut off by a stop."""
    seconds: float
    model_seconds: float
    """Time during which at least one model call was under way."""


def totals_of(run: Record) -> Totals:
    """The costs of a run as far as its events go."""
    calls = [call for call in run.calls if not call.inherited]
    since = run.fork.at if run.fork else 0.0
    usages = [call.usage for call in calls if call.state == "finished"]
    return Totals(
        calls=len(calls),
        played=sum(bool(call.recorded) for call in calls),
        replaced=sum(len(step.unusable) for step in run.steps if not step.inherited),
        rounds=_rounds(run.executions),
        tokens_in=sum(usage.input or 0 for usage in usages),
        tokens_out=sum(usage.output or 0 for usage in usages),
        tokens_known=all(usage.input is not None for usage in usages)
        and all(call.state != "stopped" for call in calls),
        seconds=run.seconds - since,
        model_seconds=_covered([(call.start, _end(call, run.seconds)) for call in calls]),
    )


def _end(call: Call, now: float) -> float:
    return now if call.end is None else call.end


def _rounds(steps: Sequence[Step]) -> int:
    """Steps of one layer run at once and layers wait for each other, so the longest chain of calls is the sum
    over layers of the longest chain inside a step."""
    longest: dict[int, int] = {}
    for step in steps:
        own = [call for call in step.calls if not call.inherited]
        longest[step.layer] = max(longest.get(step.layer, 0), _chain(own))
    return sum(longest.values())


def _chain(calls: Sequence[Call]) -> int:
    """Largest number of calls of one step that came strictly one after another."""
    count, free_from = 0, -1.0
    for call in sorted(calls, key=lambda call: _end(call, float("inf"))):
        if call.start >= free_from:
            count += 1
            free_from = _end(call, float("inf"))
    return count


def _covered(spans: Sequence[tuple[float, float]]) -> float:
    """Length of the union of time spans."""
    total, reached = 0.0, 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
