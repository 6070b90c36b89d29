"""Characters that can be stored and sent."""

from __future__ import annotations


def whole_characters(text: str) -> str:
    """The text with the halves of a character that came apart put together, and a lone half replaced.

    JSON escapes may name half a character (a lone surrogate), which neither UTF-8 nor JSON can hold.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
