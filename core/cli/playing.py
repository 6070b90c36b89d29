"""Options that say how capable the model is, and which recording plays, or keeps what is replied."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from core.errors import InputError
from core.jobs import run_blocking
from core.models.capability import CAPABILITIES
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, ConfiguredModel, Missing, RecordedModel
from core.runs.record import Record
from core.runs.request import COMMAND_LINE
from core.runs.sources.sources import Sources
from core.trace.events import Event, ModelFinished

MISSING: tuple[Missing, ...] = ("fail", "builtin", "endpoint")
"""Who may give a reply that a recording lacks; a command does not ask."""
MODEL_SECONDS = 60.0
"""How long an endpoint may take to say which model it has."""


def add_playing(parser: argparse.ArgumentParser) -> None:
    """Declare them."""
    parser.add_argument(
        "--capable",
        choices=CAPABILITIES,
        help="how capable the model is: what a small or tiny one fails at, other methods do (default: as its size "
        "suggests, where that is known)",
    )
    parser.add_argument(
        "--record",
        metavar="NAME",
        help="keep the endpoint's replies in the recording of this name, and play what it holds already",
    )
    parser.add_argument(
        "--recording", metavar="NAME", help="play this recording in place of a model; see `recordings list`"
    )
    parser.add_argument(
        "--missing",
        choices=MISSING,
        help="with --recording, or --go-on of a run that plays one: who gives the replies that it lacks "
        "(default: fail, nobody does)",
    )


def chat_of(arguments: argparse.Namespace, sources: Sources) -> ChatModel:
    """The model that answers, as the options say.

    Raises:
        InputError: The options contradict each other, there is no such recording, or no endpoint whose replies could
            be kept; or they say how capable a model is of which that is known.
        ModelError: The endpoint does not say which model it has.
    """
    chat = ConfiguredModel(declared=arguments.capable)
    if arguments.capable and (arguments.record or arguments.recording or chat.is_builtin(sources.settings)):
        raise InputError(
            "--capable says how capable the model of an endpoint or a model file is; the built-in model and recordings "
            "are known. Leave it out."
        )
    if arguments.record and arguments.recording:
        raise InputError("--record keeps and --recording plays: choose one of them.")
    if arguments.missing and not arguments.recording:
        raise InputError("--missing says what to do with --recording NAME. Add it, or leave --missing out.")
    if arguments.record:
        if chat.is_builtin(sources.settings):
            raise InputError(
                "Only the replies of an endpoint are kept: set OPENAI_BASE_URL and CHAT_MODEL. "
                "Everybody has the built-in model anyway."
            )
        recording = sources.recordings.to_keep(arguments.record, _model(sources, chat), COMMAND_LINE)
        return RecordedModel(recording, "endpoint", keeps=True)
    if arguments.recording:
        recording = sources.recordings.find(arguments.recording, [COMMAND_LINE])
        missing: Missing = arguments.missing or "fail"
        keeps = missing == "endpoint" and recording.owner == COMMAND_LINE
        if keeps and not chat.is_builtin(sources.settings):
            keeps = recording.model == _model(sources, chat)
        return RecordedModel(recording, missing, keeps=keeps)
    return chat


def chat_going_on(arguments: argparse.Namespace, sources: Sources, run: Record) -> ChatModel:
    """The model that goes on with a run: where nothing else is chosen, the recording that it plays.

    Raises:
        InputError: That is gone; and as `chat_of`.
        ModelError: As `chat_of`.
    """
    who = run.who
    if who is None or not who.recording or arguments.record or arguments.recording:
        return chat_of(arguments, sources)
    missing = arguments.missing or who.missing
    recording = sources.recordings.store.named(who.recording, [COMMAND_LINE])
    if recording is not None:
        same = vars(arguments) | {"recording": recording.id, "missing": missing}
        return chat_of(argparse.Namespace(**same), sources)
    if arguments.missing in ("builtin", "endpoint"):
        return BUILTIN if arguments.missing == "builtin" else CONFIGURED
    raise InputError(
        f"The recording “{who.recording}” that this run plays is gone. "
        "Say who goes on: --recording NAME, or without one --missing builtin or --missing endpoint."
    )


def unkept_sentence(events: Sequence[Event]) -> str:
    """A sentence on the replies of a run that were to be kept and are not; empty: all of them are."""
    replies = (event for event in events if isinstance(event, ModelFinished))
    count = sum(not (reply.kept or reply.recorded) for reply in replies)
    if not count:
        return ""
    return (
        f"{count} {'reply was' if count == 1 else 'replies were'} not kept: the recording is full (MAX_RECORDING_MB) "
        "or has been deleted."
    )


def _model(sources: Sources, chat: ChatModel) -> str:
    opening = chat.open(sources.backends.models)
    return run_blocking(opening, timeout=MODEL_SECONDS).model
