"""Written documents become files of the formats that their names ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools.demo_world.letters import word
from tools.demo_world.package import parts
from tools.demo_world.pages import pdf
from tools.demo_world.slides import slides
from tools.demo_world.written import Block, Unwritable, read_written

WRITTEN, DOCUMENTS = "written", "documents"
MAKERS: dict[str, Callable[[tuple[Block, ...]], bytes]] = {".pdf": pdf, ".docx": word, ".pptx": slides}
"""Ending of a document -> what makes it."""
MOST_MB = 6
"""Most that the world may weigh."""


def written_files(world: Path) -> dict[Path, Path]:
    """Each document that is made -> the text that it is made from: `written/x.pdf.md` gives `documents/x.pdf`.

    Raises:
        Unwritable: A name does not say which format.
    """
    found = {}
    for file in sorted((world / WRITTEN).glob("*.md")):
        target = world / DOCUMENTS / file.stem
        if target.suffix not in MAKERS:
            raise Unwritable(f"{file.name} does not say its format, as {file.stem}.pdf.md would.")
        found[target] = file
    return found


def made(file: Path) -> bytes:
    """The document that a written text gives.

    Raises:
        Unwritable: A line of it is not understood; the file is named.
    """
    try:
        return MAKERS[Path(file.stem).suffix](read_written(file.read_text(encoding="utf-8")))
    except Unwritable as error:
        raise Unwritable(f"{file.name}: {error}") from None


def same(one: bytes, other: bytes) -> bool:
    """Whether two made files are the same, however their parts are packed."""
    return one == other or (one[:2] == other[:2] == b"PK" and parts(one) == parts(other))


def make_documents(world: Path) -> list[Path]:
    """Write each document that is not there as its text gives it; those that were written."""
    changed = []
    for target, file in written_files(world).items():
        data = made(file)
        if not target.exists() or not same(target.read_bytes(), data):
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)
            changed.append(target)
    return changed


def weight(world: Path) -> float:
    """Megabytes of all its files."""
    return sum(file.stat().st_size for file in world.rglob("*") if file.is_file()) / 1e6
