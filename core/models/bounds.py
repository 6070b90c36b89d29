"""How much of an endpoint's reply this app takes. Anyone may type an endpoint, so none is trusted to come to an end.

The limits are far above what a model writes, and low enough that reading it up to them holds up nobody else.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.strict_json import MOST_DEPTH, is_deep

MB = 2**20
REPLY_BYTES = 32 * MB
"""Of a streamed reply on the wire: some 100,000 tokens, each in an event of its own."""
EVENT_BYTES = MB
"""Of one event of a stream, or of a reply that comes whole."""
EVENT_VALUES = 50_000
"""Lists, objects and commas in one event: many small values take much longer to read than a long text."""
TEXT_CHARACTERS = MB
"""Of the text that a model writes in one reply."""
LIST_BYTES = MB
"""Of a list of models, or of the scores of a reranker."""
VECTORS_BYTES = 8 * MB
"""Of the vectors of one request."""
ERROR_BYTES = 64 * 2**10
"""Of the body of an error: what is longer is cut off, since only its first words are shown."""
ERROR_SECONDS = 10.0
"""For the body of an error: what comes later is cut off."""
PIECE_BYTES = 64
"""What each piece of a reply counts besides its length: a byte alone costs as much work."""
WAITS = 2
"""Times the longest silence within which something must come that counts: headers as a whole, or an event with data."""
REPLIES = 10
"""Times the longest silence that a whole reply may take."""


class OutOfBounds(Exception):
    """An endpoint sent more than is taken, or too slowly; the call is over."""

    def __init__(self, message: str, advice: str) -> None:
        """
        Args:
            message: What the endpoint did: the end of a sentence that its name begins, without a full stop.
            advice: What to do about it, a sentence.
        """
        super().__init__(message)
        self.message, self.advice = message, advice


@dataclass(frozen=True)
class Bounds:
    """The limits of one exchange with an endpoint."""

    size: int
    """Bytes of the reply."""
    silence: float
    """Longest time without a byte, in seconds."""
    seconds: float
    """Longest time for the whole exchange."""
    setting: str = ""
    """Name of the setting that `silence` comes from; empty: none that could be raised."""

    @classmethod
    def of_reply(cls, silence: float) -> Bounds:
        """Those of a streamed reply of a chat model that may be silent for so many seconds."""
        return cls(REPLY_BYTES, silence, REPLIES * silence, "MODEL_TIMEOUT_SECONDS")

    def too_large(self) -> OutOfBounds:
        """For a reply of more than `size` bytes."""
        return OutOfBounds(
            f"sent more than {self.size // MB} MB in one reply, so the app hung up",
            "Check the address, or choose another endpoint.",
        )

    def too_slow(self) -> OutOfBounds:
        """For a reply that is not over after `seconds`."""
        return OutOfBounds(
            f"did not come to an end within {self.seconds:g} s, so the app hung up", self._later
        )

    @property
    def wait(self) -> float:
        """Longest time without anything that counts, in seconds."""
        return min(self.seconds, WAITS * self.silence)

    def idle(self) -> OutOfBounds:
        """For a reply that goes on without saying anything."""
        return OutOfBounds(
            f"kept the connection busy for {self.wait:g} s without saying anything, so the app hung up",
            self._later,
        )

    @property
    def _later(self) -> str:
        more = f", raise {self.setting}," if self.setting else ""
        return f"Try again{more} or choose another endpoint."


def compressed() -> OutOfBounds:
    """For a reply that comes packed although it was asked not to."""
    return OutOfBounds(
        "sent its reply compressed, which is not taken, since a small one may unfold without end",
        "Switch compression off at the server, or at the proxy in front of it.",
    )


def check_event(event: bytes) -> None:
    """Refuse an event of a stream, or a reply that comes whole, that cannot be read without holding up others.

    Raises:
        OutOfBounds: It cannot.
    """
    advice = "Check the address, or choose another endpoint."
    if len(event) > EVENT_BYTES:
        raise OutOfBounds(
            f"sent more than {EVENT_BYTES // MB} MB in one piece of its reply, so the app hung up", advice
        )
    brackets = event.count(b"[") + event.count(b"{")
    if brackets + event.count(b",") > EVENT_VALUES:
        raise OutOfBounds(
            f"sent more than {EVENT_VALUES:,} values in one piece of its reply, so the app hung up", advice
        )
    if brackets > MOST_DEPTH and is_deep(event.decode("utf-8", "replace")):
        raise OutOfBounds(f"sent JSON that is nested more than {MOST_DEPTH} deep", advice)
