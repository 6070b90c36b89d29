"""Runs whose replies were played from a recording, kept in one, or missing in it."""

from __future__ import annotations

from typing import Any

from core.trace.artefacts import Ranking
from core.trace.events import (
    ArtefactMade,
    Event,
    ModelFinished,
    ReplyMissing,
    RunFailed,
    RunPaused,
    RunResumed,
    RunStarted,
    StepStarted,
)

LESSON = "Lesson one"
REASON = f"The recording “{LESSON}” has no reply for the step “Answer”: it was recorded with other prompts."


def played(events: list[Event], missing: str = "fail", *, new: str = "", name: str = LESSON) -> list[Event]:
    """A run as if a recording had been played.

    Args:
        events: As it was asked.
        missing: Who gives what the recording lacks.
        new: Id of a call whose reply it lacks; with `builtin`, its step is done by another method.
        name: Of the recording.
    """
    made: list[Event] = []
    for event in events:
        if getattr(event, "call", "") == new and new:
            if missing == "endpoint":
                made.append(event)
            elif event.type == "model_started":
                made.append(ReplyMissing(skill=event.skill, reason=REASON, step=event.step, at=event.at))
            continue
        made.append(_played(event, missing, name))
    return [event.model_copy(update={"seq": number}) for number, event in enumerate(made)]


def _played(event: Event, missing: str, name: str) -> Event:
    told: dict[str, Any] = {"recorded": name}
    if isinstance(event, RunStarted):
        return event.model_copy(update={"recording": name, "missing": missing})
    if isinstance(event, ModelFinished):
        return event.model_copy(update=told)
    if isinstance(event, ArtefactMade) and isinstance(event.artefact, Ranking):
        return event.model_copy(update={"artefact": event.artefact.model_copy(update=told)})
    return event


def kept(events: list[Event], name: str = LESSON) -> list[Event]:
    """A run as if its replies had been kept."""
    found = [
        event.model_copy(update={"kept": name}) if isinstance(event, ModelFinished) else event
        for event in events
    ]
    return [found[0].model_copy(update={"recording": name, "missing": "endpoint"}), *found[1:]]


def cut_short(events: list[Event]) -> list[Event]:
    """A played run that ends at its answer, which the recording lacks."""
    run = played(events, new="c-answer")
    place = next(place for place, event in enumerate(run) if isinstance(event, ReplyMissing))
    last = run[place]
    error = f"{REASON} Ask as it was recorded, or choose a model that answers what is new."
    return [*run[: place + 1], RunFailed(seq=last.seq + 1, at=last.at, error=error)]


def left_to_the_built_in_model(events: list[Event]) -> list[Event]:
    """A run of another model that waits at its answer, which the recording lacks, and that the built-in model then
    gives by its own method."""
    step = next(event for event in events if isinstance(event, StepStarted) and event.node == "answer")
    place = events.index(step)
    lacks = ReplyMissing(skill="answer", reason=REASON, step=step.step, at=step.at)
    told: dict[str, Any] = {"chat_model": "", "builtin": False, "recording": LESSON, "at": step.at}
    made: list[Event] = [
        *events[:place],
        RunResumed(**told, missing="ask"),
        step,
        lacks,
        RunPaused(next=("answer",), at=step.at),
        RunResumed(**told, missing="builtin"),
        step.model_copy(update={"layer": step.layer + 1}),
        lacks,
        *(event for event in events[place + 1 :] if getattr(event, "call", "") != "c-answer"),
    ]
    return [event.model_copy(update={"seq": number}) for number, event in enumerate(made)]
