"""Uploaded ZIP archives: their files, one level deep, unpacked one at a time and within limits."""

from __future__ import annotations

import stat
import struct
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from core.corpora.documents import clean, is_control
from core.corpora.loaders import check_size
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.package import UNZIP_ERRORS
from core.errors import DocumentError

MAX_FILES = 5000
MAX_UNPACKED_MB = 1000
_MAX_RATIO = 200
"""Ordinary text packs 3 to 10 times, very regular tables 50 times; bombs 1000 times."""
_SMALL = 2**20
"""Bytes. Any ratio is harmless below this size: a page of blanks packs a hundredfold."""
_MAX_DIRECTORY = 4 * 2**20
_PORTION = 2**16
_PACKED = ".zip .7z .rar .tar .gz .tgz .bz2 .xz .zst .jar .war .apk .cab .iso"
"""Endings of archives."""


@dataclass
class Archive:
    """An archive whose members are read later, one by one."""

    name: str
    content: bytes | Path
    unpacked: dict[int, int] = field(default_factory=dict)
    """Position in the directory -> bytes really unpacked."""

    @cached_property
    def opened(self) -> ZipFile:
        """The archive, opened at its first use and closed when nothing refers to it any more."""
        return ZipFile(self.file())

    def file(self) -> BinaryIO:
        """Return the archive's bytes, as a file."""
        return BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")


@dataclass(frozen=True)
class Member:
    """A file of an archive, or why it is refused."""

    name: str
    """The archive's name and the way to it, for display: never a path."""
    archive: Archive
    index: int
    reason: str = ""

    @property
    def size(self) -> int:
        """Size in bytes, as the archive's directory says; 0 for a member that is refused."""
        return 0 if self.reason else self.archive.opened.infolist()[self.index].file_size

    def read(self, max_mb: int) -> bytes:
        """Return its bytes, counted while they are unpacked: the sizes in the directory may lie.

        Raises:
            DocumentError: It is refused, too large or damaged.
        """
        if self.reason:
            raise DocumentError(self.reason)
        before = sum(size for index, size in self.archive.unpacked.items() if index != self.index)
        data = bytearray()
        try:
            member = self.archive.opened.infolist()[self.index]
            check_size(self.name, member.file_size, max_mb)
            with self.archive.opened.open(member) as packed:
                while portion := packed.read(_PORTION):
                    data += portion
                    self.archive.unpacked[self.index] = len(data)
                    check_size(self.name, len(data), max_mb)
                    if before + len(data) > MAX_UNPACKED_MB * 2**20:
                        raise DocumentError(
                            f"“{self.name}” is left out: its archive unpacks to more than {MAX_UNPACKED_MB} MB."
                        )
        except (IndexError, *UNZIP_ERRORS):
            raise DocumentError(f"“{self.name}” is damaged: it cannot be unpacked.") from None
        except OSError as error:
            raise DocumentError(f"“{self.archive.name}” cannot be opened: {error.strerror}.") from error
        return bytes(data)


def members(name: str, content: bytes | Path) -> list[Member]:
    """Return the files of an archive, in its order, without folders and hidden files.

    The list includes members that cannot be read, and archives without any files: reading them raises the reason.
    """
    archive = Archive(name, content)
    try:
        with archive.file() as file:
            if _directory_size(file) > _MAX_DIRECTORY:
                return [_too_many(archive)]
            with ZipFile(file) as opened:
                listed = opened.infolist()
    except UNZIP_ERRORS:
        return [
            Member(name, archive, -1, f"“{name}” is damaged or not a ZIP archive: it cannot be unpacked.")
        ]
    except OSError as error:
        return [Member(name, archive, -1, f"“{name}” cannot be opened: {error.strerror}.")]
    if len(listed) > MAX_FILES:
        return [_too_many(archive)]
    files = list(_files(archive, listed))
    return files or [Member(name, archive, -1, f"“{name}” holds no files.")]


def _too_many(archive: Archive) -> Member:
    reason = f"“{archive.name}” holds more than {MAX_FILES:,} files. Split it, or index its folder instead."
    return Member(archive.name, archive, -1, reason)


def _files(archive: Archive, listed: list[ZipInfo]) -> Iterator[Member]:
    announced = 0
    seen: set[str] = set()
    for index, (info, path) in enumerate(zip(listed, _paths(listed), strict=True)):
        parts = PurePosixPath(path.replace("\\", "/")).parts
        if path.endswith("/") or not parts or any(_is_hidden(part) for part in parts):
            continue
        shown = f"{archive.name}/{'/'.join(part for part in parts if part != '/')}"[:400]
        announced += info.file_size
        reason = _refusal(shown, parts, info)
        if not reason and shown in seen:
            reason = f"“{shown}” occurs more than once in its archive; the first one is taken."
        if not reason and announced > MAX_UNPACKED_MB * 2**20:
            reason = f"“{shown}” is left out: its archive unpacks to more than {MAX_UNPACKED_MB} MB."
        seen.add(shown)
        yield Member(shown, archive, index, reason)


def _is_hidden(part: str) -> bool:
    return (part.startswith(".") and part not in {".", ".."}) or part == "__MACOSX"


def _refusal(shown: str, parts: tuple[str, ...], info: ZipInfo) -> str:
    """Return the reason why a member is not unpacked; empty if it is unpacked."""
    if parts[0] == "/" or ".." in parts or ":" in parts[0]:
        return f"“{shown}” is refused: its path leads out of its archive."
    if PurePosixPath(parts[-1]).suffix.lower() in _PACKED.split():
        return (
            f"“{shown}” is an archive within an archive, which is not unpacked. Unpack it and add its files."
        )
    if info.flag_bits & 1:
        return f"“{shown}” is protected by a password. Unpack its archive and add its files."
    # Other methods of packing unpack a few bytes to gigabytes before zipfile counts them.
    if info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        return f"“{shown}” is packed in an unusual way. Unpack its archive and add its files."
    if stat.S_ISLNK(info.external_attr >> 16):
        return f"“{shown}” is a link, which is not followed."
    if info.file_size > _SMALL and info.file_size > _MAX_RATIO * max(info.compress_size, 1):
        ratio = info.file_size // max(info.compress_size, 1)
        return f"“{shown}” unpacks to {ratio:,} times its size, as only attacks do, and is refused."
    return ""


def _paths(listed: list[ZipInfo]) -> list[str]:
    """Return the members' paths as text for display.

    Old archives do not say in which encoding their names are; zipfile then reads them as IBM's first code page.
    """
    unmarked = [info.orig_filename for info in listed if not info.flag_bits & 0x800]
    table: dict[str, str] = {}
    if any(not path.isascii() for path in unmarked):
        with suppress(UnicodeError, DocumentError):
            # All names together, since a single name is too short for guessing its encoding.
            text = decode("", "\n".join(unmarked).encode("cp437"))
            if len(text.split("\n")) == len(unmarked):
                table = dict(zip(unmarked, text.split("\n"), strict=True))
    paths = (table.get(info.orig_filename, info.filename) for info in listed)
    return [
        "".join(" " if is_control(char) else char for char in unicodedata.normalize("NFC", clean(path)))
        for path in paths
    ]


def _directory_size(file: BinaryIO) -> int:
    """Return the bytes of the archive's directory as it announces them, which zipfile would read at once; 0: none."""
    size = file.seek(0, 2)
    start = max(0, size - 2**16 - 22)
    file.seek(start)
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    announced = int(struct.unpack_from("<L", tail, end + 12)[0]) if 0 <= end <= len(tail) - 22 else 0
    large = start + end - 20 - 56
    if end >= 20 and tail[end - 20 : end - 16] == b"PK\x06\x07" and large >= 0:
        file.seek(large)
        record = file.read(56)
        if record.startswith(b"PK\x06\x06") and len(record) == 56:
            announced = max(
                int(struct.unpack_from("<Q", record, 40)[0]), announced if announced < 2**32 - 1 else 0
            )
    file.seek(0)
    return announced
