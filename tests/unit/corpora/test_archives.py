"""An uploaded archive stands for its files; what is hostile in it is left out with a reason, within bounds."""

from __future__ import annotations

import struct
import tracemalloc
import warnings
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from core.corpora import archives
from core.corpora.sources import SourceFile, expand
from core.errors import DocumentError
from tests.cases import cases


def packed(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that occur twice
        for name, data in members:
            archive.writestr(name, data, compress_type=method)
    return file.getvalue()


def contents(files: list[SourceFile], max_mb: int = 25) -> dict[str, bytes | str]:
    """Name -> bytes, or the reason why there are none."""
    found: dict[str, bytes | str] = {}
    for file in files:
        try:
            found[file.name] = file.read(max_mb)
        except DocumentError as error:
            found[f"{file.name}#{len(found)}"] = str(error)
    return found


def upload(data: bytes, max_mb: int = 25) -> dict[str, bytes | str]:
    return contents(expand([("notes.zip", data)]), max_mb)


def test_an_archive_stands_for_its_files(tmp_path: Path) -> None:
    data = packed(
        ("b.txt", b"b"),
        ("folder/", b""),
        ("folder/a.md", b"# a"),
        ("__MACOSX/folder/._a.md", b"x"),
        (".DS_Store", b"x"),
    )
    assert upload(data) == {"notes.zip/b.txt": b"b", "notes.zip/folder/a.md": b"# a"}
    (tmp_path / "inner").mkdir()
    path = tmp_path / "inner" / "disk.ZIP"
    path.write_bytes(data)
    assert contents(expand([path])) == {"disk.ZIP/b.txt": b"b", "disk.ZIP/folder/a.md": b"# a"}
    assert list(contents(expand([tmp_path]))) == ["inner/disk.ZIP/b.txt", "inner/disk.ZIP/folder/a.md"]


def test_a_data_set_in_an_archive() -> None:
    line = b'{"id": "a", "text": "one"}'
    data = packed(("set/corpus.jsonl", line), ("set/queries.jsonl", b"{}"), ("other/notes.txt", b"n"))
    assert list(upload(data)) == ["notes.zip/set/corpus.jsonl", "notes.zip/other/notes.txt"]


@cases("name", ["inner.zip", "x/INNER.ZIP", "a.tar.gz", "b.7z", "c.rar", "d.jar"])
def test_an_archive_within_is_not_unpacked(name: str) -> None:
    found = upload(packed((name, packed(("secret.txt", b"s"))), ("ok.txt", b"ok")))
    refused, taken = found.items()
    assert "archive within an archive" in str(refused[1])
    assert taken == ("notes.zip/ok.txt", b"ok")


def test_members_that_are_refused_by_name() -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    found = upload(
        packed(
            ("../../evil.txt", b"x"),
            ("/abs.txt", b"x"),
            ("C:\\windows\\x.txt", b"x"),
            ("a\\..\\..\\x.txt", b"x"),
            (link, b"/etc/passwd"),
            ("twice.txt", b"first"),
            ("twice.txt", b"second"),
        )
    )
    reasons = [value for value in found.values() if isinstance(value, str)]
    assert sum("leads out of its archive" in reason for reason in reasons) == 4
    assert sum("a link" in reason for reason in reasons) == 1
    assert sum("more than once" in reason for reason in reasons) == 1
    assert [value for value in found.values() if isinstance(value, bytes)] == [b"first"]


def test_members_that_are_encrypted_or_packed_unusually() -> None:
    data = bytearray(packed(("locked.txt", b"secret")))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (reason,) = upload(bytes(data)).values()
    assert "password" in str(reason)
    (reason,) = upload(packed(("a.txt", b"a" * 100), method=zipfile.ZIP_BZIP2)).values()
    assert "unusual" in str(reason)


def test_bombs_are_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = packed(("bomb.txt", b" " * (16 * 2**20)), ("ok.txt", b"ok"))
    opened: list[str] = []
    as_ever = zipfile.ZipFile.open

    def noted(archive: zipfile.ZipFile, member: zipfile.ZipInfo, *more: Any) -> Any:
        opened.append(member.filename)
        return as_ever(archive, member, *more)

    monkeypatch.setattr(zipfile.ZipFile, "open", noted)
    tracemalloc.start()
    reason, taken = upload(bomb).values()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "times its size" in str(reason)
    assert taken == b"ok"
    assert opened == ["ok.txt"]
    assert peak < 2**20


def test_a_directory_that_lies_about_sizes() -> None:
    data = bytearray(packed(("a.txt", b"word " * 2**18)))
    entry = data.index(b"PK\x01\x02")
    data[entry + 24 : entry + 28] = struct.pack("<L", 10)
    data[22:26] = struct.pack("<L", 10)
    (reason,) = upload(bytes(data)).values()
    assert isinstance(reason, str)
    assert "damaged" in reason


def test_limits_on_size_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = bytes(range(256)) * 2**13
    (reason,) = upload(packed(("a.bin", noise), method=zipfile.ZIP_STORED), max_mb=1).values()
    assert "at most 1 MB" in str(reason)
    monkeypatch.setattr(archives, "MAX_UNPACKED_MB", 3)
    first, second = upload(packed(("a.bin", noise), ("b.bin", noise), method=zipfile.ZIP_STORED)).values()
    assert first == noise
    assert "unpacks to more than 3 MB" in str(second)
    monkeypatch.setattr(archives, "MAX_FILES", 3)
    (reason,) = upload(packed(*((f"{number}.txt", b"x") for number in range(4)))).values()
    assert "more than 3 files" in str(reason)


def test_a_directory_too_large_to_be_read_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MAX_DIRECTORY", 1000)
    (reason,) = upload(packed(*((f"{number}.txt", b"x") for number in range(40)))).values()
    assert "Split it" in str(reason)


@cases("cut", [0, 3, 30, 60, -1, -10, -30])
def test_damaged_archives(cut: int) -> None:
    data = packed(("a.txt", b"some words"))
    (reason,) = upload(data[:cut]).values()
    assert "damaged" in str(reason)


def test_a_damaged_member_does_not_harm_the_others() -> None:
    data = bytearray(packed(("a.txt", b"aaaa"), ("b.txt", b"bbbb"), method=zipfile.ZIP_STORED))
    data[data.index(b"aaaa")] = ord("x")
    reason, taken = upload(bytes(data)).values()
    assert "damaged" in str(reason)
    assert taken == b"bbbb"


def test_an_empty_archive_is_a_reason_too() -> None:
    for data in (packed(), packed(("folder/", b"")), packed((zipfile.ZipInfo(""), b"x"))):
        (reason,) = upload(data).values()
        assert "holds no files" in str(reason)


def test_names_in_an_old_encoding_and_with_odd_characters() -> None:
    raw = "审计压缩包文件检索测试.txt".encode("gbk")
    placeholder = b"n" * len(raw)
    data = packed((placeholder.decode(), b"x")).replace(placeholder, raw)
    assert list(upload(data)) == ["notes.zip/审计压缩包文件检索测试.txt"]
    assert list(upload(packed(("a\nb\u202e.txt", b"x")))) == ["notes.zip/a b .txt"]
