"""Replies of models that fall into blanks."""

from __future__ import annotations

from core.models.receiver import Receiver
from core.models.wire import Piece
from core.trace.events import Token
from core.trace.tracer import ListTracer


def test_a_run_of_blanks_has_an_end_and_what_was_shown_stays_its_beginning() -> None:
    tracer = ListTracer()
    receiver = Receiver("call", tracer)
    for text in ("Mara", *["  \t\n "] * 3_000, "Quill", "  ", "[1]"):
        receiver.take(Piece(text, "", None))
        receiver.show()
    receiver.take(Piece("", "stop", None))
    receiver.end()
    assert receiver.text == "Mara" + "  \t\n " * 40 + "Quill  [1]"
    shown = "".join(event.text for event in tracer.events if isinstance(event, Token))
    assert shown == receiver.text
