"""What is read of model files, and the sentences on those that cannot chat."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any

import gguf
import pytest

from core.errors import ServiceError
from core.services.chat import GGUF, shipped_weights
from core.services.gguf_header import is_later_part, read_header
from tests.gguf_files import write_gguf

LAYERS = {
    "llama.block_count": 4,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 8,
    "llama.attention.head_count_kv": 2,
    "llama.context_length": 2048,
}


def test_the_built_in_model_is_read_as_its_makers_wrote_it() -> None:
    header = read_header(shipped_weights())
    assert (header.architecture, header.quantisation, header.trained_context) == ("llama", "Q4_1", 8192)
    assert header.title.startswith("Smollm2 135M")
    assert header.tensors == 272
    assert header.end == header.bytes == shipped_weights().stat().st_size
    assert header.cache_bytes_per_token == 30 * 3 * (64 + 64) * 2
    assert header.unfit == ""


def test_a_header_is_read_as_the_package_reads_it(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "small.gguf", numbers=LAYERS, tensors=3)
    header, reader = read_header(path), gguf.GGUFReader(path)
    read = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    assert {name: value for name, value in read.items() if not isinstance(value, list)} == header.fields
    last = reader.tensors[-1]
    assert header.end == last.data_offset + last.n_bytes
    assert header.cache_bytes_per_token == 4 * 2 * (8 + 8) * 2


def test_layers_may_have_different_numbers_of_heads(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "mixed.gguf", "llama")
    writer.add_block_count(3)
    writer.add_head_count_kv([0, 4, 1])
    writer.add_key_length(16)
    writer.add_value_length(32)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert read_header(tmp_path / "mixed.gguf").cache_bytes_per_token == 5 * (16 + 32) * 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "adapter"}, "is an adapter (LoRA)"),
        ({"kind": "mmproj"}, "reads pictures"),
        ({"architecture": "clip"}, "reads pictures"),
        ({"tensors": 0}, "holds no weights"),
        ({"architecture": "nomic-bert"}, "is an embedding model"),
        ({"architecture": "gemma-embedding"}, "is an embedding model"),
        ({"numbers": {"llama.pooling_type": 3}}, "is an embedding model"),
        ({"numbers": {"llama.pooling_type": 4}}, "is a reranker"),
        ({"template": ""}, "has no chat template"),
        ({}, ""),
    ],
)
def test_what_cannot_chat_is_said_in_a_sentence(
    tmp_path: Path, options: dict[str, Any], sentence: str
) -> None:
    header = read_header(write_gguf(tmp_path / "one.gguf", **options))
    assert sentence in header.unfit
    assert bool(header.unfit) == bool(sentence)


WHOLE = struct.pack("<4sIQQ", b"GGUF", 3, 0, 0)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "it ends within its header"),
        (b"PK\x03\x04 a zip file", "it is not in the format GGUF"),
        (WHOLE[:10], "it ends within its header"),
        (struct.pack("<4sIQQ", b"GGUF", 1, 0, 0), "in a version"),
        (struct.pack(">4sIQQ", b"GGUF", 3, 0, 0), "in a version"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 2**60, 0), "damaged"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 0, 2**60), "damaged"),
        (struct.pack("<4sIQQQ", b"GGUF", 3, 0, 1, 2**62), "damaged"),
        (struct.pack("<4sIQQQ1sI", b"GGUF", 3, 0, 1, 1, b"a", 99), "damaged"),
        (struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"a", 9, 8, 2**50), "it ends within its header"),
        (struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"a", 9, 4, 2**60), "damaged"),
        (struct.pack("<4sIQQQ1sIIQ", b"GGUF", 3, 0, 1, 1, b"a", 9, 9, 1), "damaged"),
        (struct.pack("<4sIQQQ1sI", b"GGUF", 3, 1, 0, 1, b"a", 99), "damaged"),
    ],
)
def test_a_broken_file_is_a_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(ServiceError, match=r"^The file broken\.gguf") as raised:
        read_header(path)
    assert sentence in str(raised.value)


@pytest.mark.parametrize("field", ["pooling_type", "context_length", "block_count", "attention.head_count"])
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_a_sentence(tmp_path: Path, field: str, number: float) -> None:
    writer = gguf.GGUFWriter(tmp_path / "odd.gguf", "llama")
    writer.add_float32(f"llama.{field}", number)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    with pytest.raises(ServiceError, match=r"^The file odd\.gguf cannot be used: its header is damaged"):
        read_header(tmp_path / "odd.gguf")


def test_a_file_that_is_cut_off_says_how_much_is_there(tmp_path: Path) -> None:
    path = tmp_path / GGUF
    with shipped_weights().open("rb") as whole:
        path.write_bytes(whole.read(20_000_000))
    with pytest.raises(ServiceError, match="is not whole: 20 MB of 98 MB are there"):
        read_header(path)


def test_a_file_that_grows_is_read_again(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "coming.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(ServiceError, match="not whole"):
        read_header(path)
    path.write_bytes(whole)
    assert read_header(path).bytes == len(whole)


def test_a_file_that_vanished_is_a_sentence(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "gone.gguf")
    read_header(path)
    path.unlink()
    with pytest.raises(ServiceError, match="no longer there"):
        read_header(path)


def test_other_weights_are_another_fingerprint(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "one.gguf", tensors=2)
    content = bytearray(path.read_bytes())
    same = tmp_path / "same.gguf"
    same.write_bytes(content)
    content[-1] ^= 1
    other = tmp_path / "other.gguf"
    other.write_bytes(content)
    marks = [read_header(one).fingerprint for one in (path, same, other)]
    assert marks[0] == marks[1] != marks[2]


def test_a_model_in_several_files_is_as_large_as_all_of_them(tmp_path: Path) -> None:
    first = write_gguf(tmp_path / "large-00001-of-00002.gguf", numbers={"split.count": 2})
    with pytest.raises(
        ServiceError, match="large-00002-of-00002.gguf, another part of the model, is missing"
    ):
        read_header(first)
    second = write_gguf(tmp_path / "large-00002-of-00002.gguf", numbers={"split.count": 2}, tensors=5)
    first.touch()  # as one that was read before and is asked about again later
    assert read_header(first).bytes == first.stat().st_size + second.stat().st_size
    assert is_later_part(second.name)
    assert not is_later_part(first.name)
    renamed = write_gguf(tmp_path / "renamed.gguf", numbers={"split.count": 2})
    with pytest.raises(ServiceError, match="one of 2 parts"):
        read_header(renamed)
