"""Sources of documents: uploaded files, files and folders on disk, and the files of archives among them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath

from core.corpora.archives import Member, members
from core.corpora.documents import clean, display_name, is_control
from core.corpora.loaders import check_size
from core.errors import DocumentError, InputError

DocumentSource = tuple[str, bytes] | Path
"""An uploaded file as name and bytes, or a file or folder on disk."""

DATASET = "corpus.jsonl"
"""A folder that holds it is a data set: its questions and judgements beside it are not documents."""


@dataclass(frozen=True)
class SourceFile:
    """One file, read when it is its turn."""

    name: str
    """Display text."""
    content: bytes | Path | Member

    @property
    def size(self) -> int:
        """Size in bytes, as far as it is known before reading."""
        if isinstance(self.content, bytes):
            return len(self.content)
        if isinstance(self.content, Member):
            return self.content.size
        try:
            return self.content.stat().st_size
        except OSError:
            return 0  # reading it raises the reason

    def read(self, max_mb: int) -> bytes:
        """Return its bytes.

        Raises:
            DocumentError: It is too large, or it cannot be read; for a member of an archive, why it is refused.
        """
        if isinstance(self.content, bytes):
            return self.content
        if isinstance(self.content, Member):
            return self.content.read(max_mb)
        try:
            check_size(self.name, self.content.stat().st_size, max_mb)
            return self.content.read_bytes()
        except OSError as error:
            raise DocumentError(f"“{self.name}” cannot be opened: {error.strerror}.") from error


def expand(sources: Iterable[DocumentSource]) -> list[SourceFile]:
    """Return the files of all sources, in order. Folders are walked in sorted order without hidden files.

    A ZIP archive stands for its files, one level deep.

    Raises:
        InputError: A path does not exist.
    """
    files: list[SourceFile] = []
    for source in sources:
        if not isinstance(source, Path):
            name, data = source
            files.extend(_unpacked(SourceFile(_shown(name), data)))
        elif source.is_dir():
            for file in _walk(source):
                files.extend(_unpacked(file))
        elif source.exists():
            files.extend(_unpacked(SourceFile(display_name(source.name), source)))
        else:
            raise InputError(f"There is no file or folder “{source}”.")
    return files


def _shown(name: str) -> str:
    """Return the name of an uploaded file, with its path inside an uploaded folder: files may share a name."""
    parts = [part for part in name.replace("\\", "/").split("/") if part.strip(" .")]
    return "/".join(display_name(part) for part in parts)[-200:] or display_name(name)


def _unpacked(file: SourceFile) -> list[SourceFile]:
    if isinstance(file.content, Member) or PurePath(file.name).suffix.lower() != ".zip":
        return [file]
    archived = members(file.name, file.content)
    sets = {member.name.rpartition("/")[0] for member in archived if PurePath(member.name).name == DATASET}
    return [
        SourceFile(member.name, member)
        for member in archived
        if member.reason
        or member.name.rpartition("/")[0] not in sets
        or PurePath(member.name).name == DATASET
    ]


def _walk(folder: Path) -> Iterator[SourceFile]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        chosen = [DATASET] if DATASET in names else sorted(names)
        for name in chosen:
            path = Path(parent, name)
            if not name.startswith(".") and path.is_file():
                # The path inside the folder distinguishes files of the same name.
                shown = clean(path.relative_to(folder).as_posix())
                yield SourceFile("".join(" " if is_control(char) else char for char in shown), path)
