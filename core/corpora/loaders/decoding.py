"""Bytes of a text file to text, whatever its encoding; and plain text, which needs nothing else."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from core.corpora.documents import Document, TextBuilder
from core.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_SAMPLE = 100_000
"""Number of bytes from which an encoding is guessed; a guess from a whole large file takes minutes."""
_MOST_NULLS = 0.1
"""Share of bytes; of Latin text in UTF-16 half are NULs."""
_ENOUGH = 64
"""Bytes that are UTF-8 by chance in no other encoding."""
_WESTERN = re.compile(
    r"[àáâãäåæçèéêëìíîïñòóôõöøœùúûüÿßÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØŒÙÚÛÜ‘’“”„«»–—…•€£§°·´¿¡©®™\xa0]"
)
_FAMILIAR = re.compile(r"[ \n0-9A-Za-z.,\u3001\u3002\uff0c]")
_USUAL = re.compile(
    "[\t\n\r\\x20-\u024f\u0370-\u06ff\u0900-\u0e7f\u2010-\u203a\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]"
)
_NO_TEXT = re.compile("[\0-\x08\x0e-\x1a\x7f\ue000-\uf8ff\ufffe\uffff]")


def decode(name: str, data: bytes, declared: str | None = None) -> str:
    """Return the text of a file: by its byte order mark, as UTF-8, as it declares, else by the likeliest encoding.

    An encoding that it declares is ignored if the bytes contradict it.

    Raises:
        DocumentError: No encoding fits: it is not text.
    """
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    if b"\0" in data and encoding in {"utf-8", "utf-8-sig"}:
        data = without_stray_nulls(data)
        if b"\0" in data[:_SAMPLE]:
            encoding = _wide_without_mark(name, data[:_SAMPLE])
    elif encoding == "utf-8" and b"\x1b$" in data[:_SAMPLE]:
        encoding = "iso2022_jp"  # bytes of ASCII, which UTF-8 would take as they are
    for candidate in (encoding, declared):
        text = _decoded(data, candidate) if candidate else None
        if text is not None:
            return text
    return data.decode(_guess(name, data[:_SAMPLE]), "replace")


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


def without_stray_nulls(data: bytes) -> bytes:
    """Return a text in UTF-8 without the few NULs that machines leave in their logs; any other bytes as they are."""
    rest = data.replace(b"\0", b"")
    text = _decoded(rest, "utf-8") if len(data) - len(rest) <= _MOST_NULLS * len(data) else None
    if text is None or len(rest) == len(data):
        return data
    # A few ideographs in UTF-16 can be bytes of ASCII, many can't: then as many marks as letters.
    sample = text[:_SAMPLE]
    usual = len(_FAMILIAR.findall(sample)) + sum(not char.isascii() and char.isalpha() for char in sample)
    likely = len(rest) >= _ENOUGH or rest.startswith((b"{", b"[")) or usual >= 0.7 * len(sample)
    return rest if likely and not _NO_TEXT.search(sample) else data


def _wide_without_mark(name: str, sample: bytes) -> str:
    # Read with the wrong width or byte order, text turns into controls and characters of no living script, or
    # its blanks, letters and full stops turn into ideographs.
    scores = {}
    for encoding in _WIDE:
        text = _decoded(sample[: len(sample) // 4 * 4], encoding) or ""
        if text and not _NO_TEXT.search(text):
            scores[encoding] = (len(_USUAL.findall(text)) + len(_FAMILIAR.findall(text))) / len(text)
    best = max(scores, key=lambda encoding: scores[encoding], default="")
    if not best or scores[best] < 0.5:
        raise DocumentError(f"“{name}” is not a text file: it holds binary data.")
    return best


def _guess(name: str, sample: bytes) -> str:
    # A cut through a character at the sample's end would make every strict reading fail.
    sample = sample[: sample.rfind(b"\n") + 1 or None] if len(sample) == _SAMPLE else sample
    for encoding, fits in (
        ("cp932", _japanese),
        ("euc_jp", _japanese),
        ("euc_kr", _korean),
        ("cp1255", _hebrew),
        ("cp1252", _western),
    ):
        text = _decoded(sample, encoding)
        if text is not None and fits([char for char in text if not char.isascii()], text):
            return encoding
    best = from_bytes(sample).best()
    if best is None:
        raise DocumentError(f"“{name}” is not text in any known encoding. Save it as UTF-8.")
    return best.encoding


def _japanese(foreign: list[str], _: str) -> bool:
    kana = sum("\u3041" <= char <= "\u30fe" for char in foreign)
    narrow = sum("\uff61" <= char <= "\uff9f" for char in foreign)
    return kana >= 0.2 * len(foreign) and narrow <= 0.05 * len(foreign)


def _korean(foreign: list[str], _: str) -> bool:
    syllables = sum("\uac00" <= char <= "\ud7a3" for char in foreign)
    return syllables >= 0.8 * len(foreign)


def _hebrew(foreign: list[str], text: str) -> bool:
    hebrew = sum("\u05d0" <= char <= "\u05ea" for char in foreign)
    return hebrew >= 0.9 * len(foreign) and hebrew >= 0.5 * sum(char.isalpha() for char in text)


def _western(foreign: list[str], text: str) -> bool:
    # Single-byte encodings of other alphabets read as Western letters too, but then nearly all letters are foreign.
    letters = sum(char.isalpha() for char in text)
    usual = all(_WESTERN.match(char) for char in foreign)
    return usual and sum(char.isalpha() for char in foreign) <= 0.35 * letters


def load_text(name: str, data: bytes) -> list[Document]:
    """Return a text file as it stands."""
    builder = TextBuilder()
    builder.block(decode(name, data))
    return [builder.build(name, data)]
