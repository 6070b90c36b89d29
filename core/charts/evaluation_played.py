"""What of an evaluation its model did not reply: what a recording gave, and what other methods did; raw text."""

from __future__ import annotations

from core.evaluation.plan import Evaluation, Outcomes
from core.wording import counted


def replaced_sentence(outcomes: Outcomes) -> str:
    """How often another method took the model's place, since its replies could not be used; empty: never."""
    done = outcomes.done.values()
    if not (times := sum(one.replaced for one in done)):
        return ""
    pairs = sum(bool(one.replaced) for one in done)
    return (
        f"In {pairs:,} of {counted(len(done), 'run')} some of the model's replies could not be used, and another "
        f"method did the task: {counted(times, 'time')} in all. What came of these runs is not the model's work alone."
    )


def played_sentence(evaluation: Evaluation, outcomes: Outcomes) -> str:
    """How many calls were played from which recording, who gave the others, and what of costs and seconds; empty: no
    recording replied."""
    playing, done = evaluation.spec.playing, outcomes.done.values()
    if playing is None:
        return ""
    calls, played = sum(one.calls for one in done), sum(one.played for one in done)
    stood_in = sum(one.stood_in for one in done)
    others = [
        f"the built-in model did {stood_in:,}" if stood_in else "",
        f"{sent:,} went to the model “{evaluation.spec.model}”"
        if (sent := calls - played - stood_in)
        else "",
    ]
    said = (
        f"With the recording “{playing.name}” of the model “{playing.model}”: {played:,} of "
        f"{counted(calls, 'call')} {'was' if played == 1 else 'were'} played"
        f"{''.join(f', {one}' for one in others if one)}."
    )
    if not played:
        return said
    return (
        f"{said} What was played costs nothing now, and comes at a chosen pace: the seconds of such runs are no "
        "measurement and are left out."
    )
