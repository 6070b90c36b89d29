"""Bytes of a text file to text, whatever its encoding."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

from core.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 100_000
"""Bytes that are looked at to guess an encoding; a guess over a whole large file takes minutes."""


def decode(name: str, data: bytes) -> str:
    """The text of a file: by its byte order mark, as UTF-8, else by the likeliest encoding.

    Raises:
        DocumentError: No encoding fits: it is not text.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    if b"\0" in data[:_SAMPLE] and encoding in {"utf-8", "utf-8-sig"}:
        encoding = _utf16_without_mark(name, data[:_SAMPLE])
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        best = from_bytes(data[:_SAMPLE]).best()
        if best is None:
            raise DocumentError(f"“{name}” is not text in any known encoding. Save it as UTF-8.") from None
        return data.decode(best.encoding, "replace")


def _utf16_without_mark(name: str, sample: bytes) -> str:
    # Western text in UTF-16 has a zero in nearly every second byte; binary data has zeros on both sides.
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.3 * len(sample) / 2 and even < 0.05 * odd:
        return "utf-16-le"
    if even > 0.3 * len(sample) / 2 and odd < 0.05 * even:
        return "utf-16-be"
    raise DocumentError(f"“{name}” is not a text file: it holds binary data.")
