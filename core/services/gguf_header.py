"""Reads the header of a GGUF file: which model it is, what memory it takes, whether it is whole.

Read by hand, since the reader of the package `gguf` makes an array of every token's text: six seconds for a vocabulary
of 49,000, where this takes a thirtieth of one. The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from core.errors import ServiceError
from core.wording import file_size

Value = str | int | float | bool | tuple[int | float | bool, ...]

MOST_HEADER_BYTES = 256 * 2**20
"""Largest header that is read; that of a vocabulary of 256,000 tokens has 15 MB."""
_STEP = 2**20
_MOST_KEYS, _MOST_TENSORS, _MOST_LISTED = 10_000, 500_000, 4_096
_STRING, _ARRAY = 8, 9
_NUMBERS = dict(enumerate(("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?"))) | {10: "<Q", 11: "<q", 12: "<d"}
"""GGUF type -> format of `struct`."""
_VERSIONS = (2, 3)
_ENCODERS = re.compile(r"(^|-)(bert|neo-bert|eurobert|t5encoder)(-|$)|embed")
"""Architectures that make vectors; they write no text."""
_PARTS = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_SAMPLES, _SAMPLE_BYTES = 16, 2**16


class NotWhole(Exception):
    """The file ends before its header does."""


class NoModel(Exception):
    """The file is not in this format, or in a version of it that is not read."""


@dataclass(frozen=True)
class Header:
    """A model file, as its header describes it."""

    fields: Mapping[str, Value]
    """Key -> value, without vocabularies."""
    tensors: int
    """Number of tensors in this file; 0: there is only a vocabulary."""
    end: int
    """Bytes that this file has at least, if nothing of it is missing."""
    bytes: int
    """Size of the model, all of its parts together."""
    fingerprint: str
    """Hash of size, header and samples of the weights, 64 hexadecimal digits."""
    parameters: int = 0
    """Number of weights, all parts together; that of a model in several parts is estimated from its first one."""

    @property
    def architecture(self) -> str:
        """How llama.cpp calls it, e.g. `llama`; empty: it is not said."""
        return str(self.fields.get("general.architecture", ""))

    @property
    def title(self) -> str:
        """The model's own name, foreign text; empty: none."""
        return str(self.fields.get("general.name", ""))[:80]

    @property
    def quantisation(self) -> str:
        """How the weights are written, e.g. `Q4_K_M`; empty: it is not said."""
        import gguf

        kind = self.fields.get("general.file_type")
        try:
            return gguf.LlamaFileType(kind).name.removeprefix("MOSTLY_") if isinstance(kind, int) else ""
        except ValueError:
            return ""

    @property
    def trained_context(self) -> int:
        """Longest text in tokens that it was trained on; 0: it is not said."""
        return self._number("context_length")

    @property
    def cache_bytes_per_token(self) -> int:
        """Memory that each token of context takes: a key and a value of 16-bit numbers in every layer.

        An upper bound for models that keep less, such as those with sliding windows or compressed keys.
        """
        layers, width = self._number("block_count"), self._number("embedding_length")
        heads = self._listed("attention.head_count")
        of_values = self._listed("attention.head_count_kv") or heads
        most = max(heads, default=0)
        head = width // most if most else 0
        key = self._number("attention.key_length") or head
        value = self._number("attention.value_length") or head
        every = sum(of_values) if len(of_values) > 1 else layers * sum(of_values)
        return 2 * every * (key + value)

    def _number(self, key: str) -> int:
        value = self.fields.get(f"{self.architecture}.{key}", 0)
        return max(0, int(value)) if isinstance(value, int | float) else 0

    def _listed(self, key: str) -> tuple[int, ...]:
        value = self.fields.get(f"{self.architecture}.{key}", ())
        if isinstance(value, tuple):
            return tuple(max(0, int(number)) for number in value)
        return (max(0, int(value)),) if isinstance(value, int | float) else ()

    @property
    def unfit(self) -> str:
        """Why it cannot chat, as the end of a sentence that begins with the file's name; empty: it can."""
        kind = str(self.fields.get("general.type", "model"))
        pooling = self._number("pooling_type")
        if kind == "adapter" or "adapter.type" in self.fields:
            return "is an adapter (LoRA), which only works together with the model that it was made for."
        if kind == "mmproj" or self.architecture == "clip":
            return "is the part of a model that reads pictures. Choose the file of the model itself."
        if kind == "imatrix" or not self.tensors:
            return "holds no weights of a model."
        if pooling == 4:
            return "is a reranker: it scores passages and writes no text. Choose a chat model."
        if pooling or _ENCODERS.search(self.architecture):
            return "is an embedding model: it makes vectors and writes no text. Choose a chat model."
        if not self.fields.get("tokenizer.chat_template"):
            return (
                "is no chat model: it has no chat template. Choose one whose name says “Instruct” or “Chat”."
            )
        return ""


def read_header(path: Path) -> Header:
    """The header of a file; read again only when the file has changed.

    Raises:
        ServiceError: It is gone, cannot be read, is no GGUF file, or is not whole; one sentence.
    """
    try:
        file = path.stat()
        return _read(path, file.st_size, file.st_mtime_ns)
    except FileNotFoundError:
        raise ServiceError(
            f"The file {path.name} is no longer there. Put it back, or choose another model."
        ) from None
    except OSError as error:
        raise ServiceError(
            f"The file {path.name} cannot be read ({error.strerror}). Check that it is yours to read."
        ) from None
    except NotWhole as error:
        raise ServiceError(f"The file {path.name} is not whole: {error} Copy or download it again.") from None
    except NoModel as error:
        raise ServiceError(f"The file {path.name} cannot be used: {error}") from None


@lru_cache(maxsize=256)
def _read(path: Path, size: int, changed: int) -> Header:
    with path.open("rb") as file:
        cursor = _Cursor(file)
        if cursor.take(4) != b"GGUF":
            raise NoModel("it is not in the format GGUF. Look for the model's file that ends in .gguf.")
        version = cursor.number("<I")
        if version not in _VERSIONS:
            raise NoModel("it is in a version of the format GGUF that is not read. Look for a newer file.")
        tensors, keys = cursor.number("<Q"), cursor.number("<Q")
        if tensors > _MOST_TENSORS or keys > _MOST_KEYS:
            raise NoModel("its header is damaged. Copy or download it again.")
        fields: dict[str, Value] = {}
        for _ in range(keys):
            key = cursor.text()
            value = cursor.value(cursor.number("<I"))
            if value is not None:
                fields[key] = value
        alignment = fields.get("general.alignment", 32)
        weights, end = _tensors(
            cursor, tensors, alignment if isinstance(alignment, int) and alignment > 0 else 32
        )
        if size < end:
            raise NotWhole(f"{file_size(size)} of {file_size(end)} are there.")
        whole = size + _other_parts(path, fields)
        fingerprint = _fingerprint(file, cursor.read, size, whole)
        header = Header(fields, tensors, end, whole, fingerprint, weights * whole // size)
    try:
        _ = header.unfit, header.trained_context, header.cache_bytes_per_token
    except (ValueError, OverflowError):  # a number that is none, or infinite
        raise NoModel("its header is damaged. Copy or download it again.") from None
    return header


def _tensors(cursor: _Cursor, tensors: int, alignment: int) -> tuple[int, int]:
    """How many weights the tensors hold, and where the last one ends, in bytes from the beginning of the file."""
    import gguf

    weights = last = 0
    for _ in range(tensors):
        cursor.text()
        dimensions = cursor.number("<I")
        if dimensions > 8:
            raise NoModel("its header is damaged. Copy or download it again.")
        count = 1
        for _ in range(dimensions):
            count *= cursor.number("<Q")
        kind, offset = cursor.number("<I"), cursor.number("<Q")
        try:
            block, block_bytes = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType(kind)]
        except (ValueError, KeyError):  # newer than this list: llama.cpp decides
            block, block_bytes = 1, 0
        weights += count
        last = max(last, offset + count // block * block_bytes)
    return weights, -(-cursor.place // alignment) * alignment + last if tensors else cursor.place


def _other_parts(path: Path, fields: Mapping[str, Value]) -> int:
    """Size in bytes of the other files of a model that was split into several."""
    count = fields.get("split.count", 1)
    if not isinstance(count, int) or count < 2:
        return 0
    named = _PARTS.search(path.name)
    if named is None:
        raise NoModel(f"it is one of {count} parts, and its name no longer says which. Name it as it was.")
    stem, size = path.name[: named.start()], 0
    for number in range(1, count + 1):
        part = path.with_name(f"{stem}-{number:05}-of-{count:05}.gguf")
        if number == int(named[1]):
            continue
        if not part.is_file():
            raise NotWhole(f"{part.name}, another part of the model, is missing.")
        size += part.stat().st_size
    return size


def is_later_part(name: str) -> bool:
    """True if a file is the second part or a later one of a model in several files; the first stands for them all."""
    named = _PARTS.search(name)
    return named is not None and int(named[1]) > 1


def _fingerprint(file: BinaryIO, header: bytes | bytearray, size: int, whole: int) -> str:
    """A hash that takes milliseconds, where one of all weights takes seconds."""
    digest = hashlib.sha256(b"%d %d " % (size, whole))
    digest.update(header)
    for number in range(_SAMPLES):
        file.seek(max(0, size - _SAMPLE_BYTES) * number // (_SAMPLES - 1))
        digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()


class _Cursor:
    """A place in a file that is read as far as needed. Not mapped: a mapped file that shrinks ends the process."""

    def __init__(self, file: BinaryIO) -> None:
        self.place = 0
        self.read = bytearray()
        self._file = file

    def need(self, count: int) -> int:
        """Have that many bytes from here on; where they begin. The place moves behind them."""
        begin, end = self.place, self.place + count
        if end > MOST_HEADER_BYTES:
            raise NoModel("its header is damaged. Copy or download it again.")
        while len(self.read) < end:
            more = self._file.read(_STEP)
            if not more:
                raise NotWhole("it ends within its header.")
            self.read += more
        self.place = end
        return begin

    def take(self, count: int) -> bytes:
        begin = self.need(count)
        return bytes(self.read[begin : self.place])

    def number(self, form: str) -> int:
        begin = self.need(struct.calcsize(form))
        return int(struct.unpack_from(form, self.read, begin)[0])

    def text(self) -> str:
        return self.take(self.number("<Q")).decode("utf-8", "replace")

    def value(self, kind: int) -> Value | None:
        """A value; None for lists of texts and for long ones, which are vocabularies."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array(self.number("<I"), self.number("<Q"))
        if kind not in _NUMBERS:
            raise NoModel("its header is damaged. Copy or download it again.")
        begin = self.need(struct.calcsize(_NUMBERS[kind]))
        number: int | float | bool = struct.unpack_from(_NUMBERS[kind], self.read, begin)[0]
        return number

    def _pass_texts(self, count: int) -> None:
        length = struct.Struct("<Q").unpack_from
        read, place = self.read, self.place
        for _ in range(count):
            if place + 8 > len(read):  # asked for only then: a vocabulary has half a million texts
                self.place = place
                self.need(8)
            place += 8 + length(read, place)[0]
        self.place = place
        self.need(0)

    def _array(self, kind: int, count: int) -> Value | None:
        if kind == _STRING:
            self._pass_texts(count)
            return None
        if kind not in _NUMBERS:
            raise NoModel("its header is damaged. Copy or download it again.")
        form = _NUMBERS[kind]
        begin = self.need(count * struct.calcsize(form))
        if count > _MOST_LISTED:
            return None
        return struct.unpack_from(f"<{count}{form[1]}", self.read, begin)
