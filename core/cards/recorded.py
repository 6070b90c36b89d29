"""The sources of a run's replies: its model, a recording, or another method; raw text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from core.cards.parts import Mark
from core.cards.texts import named
from core.runs.record import Call, Record, Step
from core.runs.run_notes import replaced_sentence
from core.skills.base import OWN
from core.trace.artefacts import Ranking
from core.trace.events import ReplyMissing, ReplyUnusable
from core.wording import counted

ICON = "album"
NEW = "new_label"
REPLACED = "swap_horiz"
"""Icon of what another method did."""
PACE = "those of the pace at which the recording was played, no measurement"
"""The meaning of a played call's seconds."""


def recordings(record: Record) -> tuple[str, ...]:
    """The names of the recordings that a run has to do with."""
    names = [record.recording, *(name for call in record.calls for name in (call.recorded, call.kept))]
    return tuple(dict.fromkeys(filter(None, names)))


def origin(record: Record) -> str:
    """Where the replies of a run come from, as far as a recording played or kept some, and what other methods did
    since the model's could not be used, in a few sentences; empty: its model gave all of them."""
    return " ".join(filter(None, (_from_recordings(record), replaced_sentence(record))))


def _from_recordings(record: Record) -> str:
    """Where the replies come from, in one or two sentences; empty: the run has nothing to do with a recording."""
    names = recordings(record)
    if not names:
        return ""
    what = f"{'recordings' if len(names) > 1 else 'recording'} {' and '.join(f'“{name}”' for name in names)}"
    calls = [call for step in record.steps for call in step.calls if call.state != "failed"]
    played = [call for call in calls if call.recorded]
    asked_calls = [call for call in calls if not call.recorded and not call.builtin]
    new = [step for step in record.steps if step.missing]
    if not played and not asked_calls:
        if new:
            return f"The {what} {'do' if len(names) > 1 else 'does'} not cover this run{_by_builtin(record, new)}."
        return f"Plays the {what}." if record.under_way else f"No reply of the {what} was needed."
    took_over = record.who is not None and record.who is not record.started and record.who.builtin
    if not asked_calls and not new and not took_over:
        quoted = " and ".join(f"“{name}”" for name in names)
        return f"Recorded replies of {_models(played)} ({quoted})."
    parts = _calls_in_words(what, played, asked_calls)
    if new:
        parts.append(f"{counted(len(new), 'step was', 'steps were')} new{_by_builtin(record, new)}")
    if took_over:
        parts.append("then the built-in model went on by its own methods")
    return "; ".join(parts) + "."


def _calls_in_words(what: str, played: Sequence[Call], asked: Sequence[Call]) -> list[str]:
    """Return the calls that were played from the recordings, `what` in words, and those that a model was asked."""
    kept_count = sum(bool(call.kept) for call in asked)
    if not played:
        return [f"Replies of {_models(asked)}, {_where_kept(kept_count, len(asked))}{what}"]
    replies = f"{counted(len(played), 'reply', 'replies')} from the {what} of {_models(played)}"
    new = f"{counted(len(asked), 'was', 'were')} new: asked of {_models(asked)}{_now_kept(kept_count, len(asked))}"
    return [replies, new] if asked else [replies]


def _models(calls: Sequence[Call]) -> str:
    return " and ".join(dict.fromkeys(named(call.model) for call in calls))


def _where_kept(count: int, total: int) -> str:
    if not count:
        return "not kept in the "
    return "kept in the " if count == total else f"{count} of {total} kept in the "


def _now_kept(count: int, total: int) -> str:
    some = "" if count == total else f"{count} of them "
    return f", {some}now kept in it" if count else ""


def _by_builtin(record: Record, new: Collection[Step]) -> str:
    stopped = [step for step in new if _undone(step, record)]
    if not new or len(stopped) == len(new):
        return f", so the run {'waits' if record.state == 'paused' else 'ended'}" if new else ""
    return f", so {_stand_in(new)} {'goes on' if record.under_way else 'answered'}"


def _stand_in(steps: Iterable[Step]) -> str:
    """Name who did the steps that a recording lacks: the built-in model, or a built-in method that asks no model."""
    asked = any(call.builtin for step in steps for call in step.calls)
    return "the built-in model" if asked else "a built-in method"


def _undone(step: Step, record: Record) -> bool:
    """True if a step has no result: it failed, or the run is paused before or at it."""
    return step.state == "failed" or (record.state == "paused" and step.state != "finished")


def _reasons(replies: Sequence[ReplyMissing | ReplyUnusable]) -> str:
    return " ".join(dict.fromkeys(reply.reason for reply in replies))


def step_mark(step: Step, record: Record) -> Mark | None:
    """The mark of a step: recorded, new, kept, or done by another method; None: nothing is to be said."""
    played = [call for call in step.calls if call.recorded]
    kept_calls = [call for call in step.calls if call.kept]
    asked_calls = [
        call for call in step.calls if not call.recorded and not call.builtin and call.state != "failed"
    ]
    beside = (
        f" {counted(len(played), 'reply', 'replies')} of this step came from the recording." if played else ""
    )
    if step.missing:
        reasons = _reasons(step.missing)
        if _undone(step, record):
            return Mark(
                NEW, "new", f"{reasons} Nobody {'did it' if step.state == 'failed' else 'has done it yet'}."
            )
        who = _stand_in([step])
        return Mark(NEW, f"new: {who.split(maxsplit=1)[1]}", f"{reasons} {who.capitalize()} did it.{beside}")
    if step.unusable:
        return Mark(REPLACED, "other method", _reasons(step.unusable) + beside)
    if kept_calls:
        beside = beside or " The step is in it from now on."
        return Mark(
            ICON,
            "kept",
            f"Asked of {_models(kept_calls)}, and kept in the recording “{kept_calls[0].kept}”.{beside}",
        )
    if asked_calls and recordings(record):
        text = "partly recorded" if played else "new: asked now"
        return Mark(
            NEW, text, f"The recording has no reply for this, so {_models(asked_calls)} was asked.{beside}"
        )
    if played:
        name = played[0].recorded
        return Mark(
            ICON, "recorded", f"From the recording “{name}” of {_models(played)}. Its seconds are {PACE}."
        )
    searches = [artefact for artefact in step.artefacts if isinstance(artefact, Ranking)]
    if searches and all(search.recorded for search in searches):
        name = searches[0].recorded
        return Mark(ICON, "as recorded", f"What this search found when the recording “{name}” was made.")
    return None


def together(marks: Sequence[Mark]) -> Mark | None:
    """One mark for several steps that are shown as one; None: none of them has any."""
    if not marks:
        return None
    if len({mark.text for mark in marks}) == 1:
        return marks[0]
    return Mark(NEW, "partly recorded", " ".join(dict.fromkeys(mark.help for mark in marks)))


def answer_mark(record: Record) -> Mark | None:
    """The mark of the step that wrote the final answer."""
    step = next((step for step, artefact in record.artefacts if artefact is record.answer), None)
    return step_mark(step, record) if step else None


def call_mark(call: Call) -> str:
    """The source of the reply, in a word or two; empty: the model of the run, as usual."""
    if call.recorded:
        return "recorded"
    return "kept" if call.kept else ""


def call_source(call: Call) -> str:
    """The same in words, to follow on who was asked; may be empty."""
    if call.recorded:
        return f". Played from the recording “{call.recorded}”: its seconds are {PACE}"
    return f". Kept in the recording “{call.kept}”" if call.kept else ""


def tiny_wrote(record: Record) -> bool:
    """True if the words of the final answer are those of the built-in model."""
    answer = record.answer
    if answer is None or answer.method not in OWN:
        return False
    step = next(step for step, artefact in record.artefacts if artefact is answer)
    calls = [call for call in step.calls if call.skill == answer.skill]
    return calls[-1].builtin if calls else bool(record.started and record.started.builtin)


def news(record: Record) -> tuple[tuple[Step, str], ...]:
    """The steps that asked what the recording does not hold, and why it does not, in sentences."""
    return tuple((step, _reasons(step.missing)) for step in record.steps if step.missing)
