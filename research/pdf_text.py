"""How much of what a reader sees in PDFs is found in their text: pypdf's plain text beside the app's, in one run.

    python -m research.pdf_text FOLDER [--only PART] [--lost]

The truth for `NAME.pdf` is `NAME.txt`, its paragraphs parted by empty lines: the text that the PDF was made from. Where
there is none, it is what Poppler's `pdftotext` makes of the PDF, which is independent but not always right; such files
are marked with ~, and summed up apart. Files that both refuse are left out.

Two shares are measured. Words: of the truth's words, each as often as it stands there, whatever the form of their
letters. Quotes: of its runs of eight words within a paragraph, those that stand in the text letter by letter, with
white space of any kind between the words, as an answer is quoted.
"""

from __future__ import annotations

import argparse
import logging
import re
import subprocess
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pypdf
from pypdf.errors import PyPdfError

from core.corpora.loaders.pdf import load_pdf
from core.errors import DocumentError
from research.reference_text import recall, words

RUN = 8
"""Words of a quote."""
_STEP = 3
"""Words from the start of a quote to the start of the next."""
_WORSE = 0.005
"""Difference of shares from which on a file is listed as worse."""

logging.getLogger("pypdf").setLevel(logging.CRITICAL)


@dataclass(frozen=True)
class Reading:
    """How one reader fared with one file."""

    words: float
    quotes: float
    seconds: float
    """Of processor time."""
    lost: tuple[str, ...] = ()
    """Quotes that were not found."""


def old_text(data: bytes) -> str:
    """The text that pypdf extracts, page by page."""
    reader = pypdf.PdfReader(BytesIO(data))
    if reader.is_encrypted:
        reader.decrypt("")
    return "\n\n".join(page.extract_text() for page in reader.pages)


def new_text(data: bytes) -> str:
    """The text that the app reads."""
    return load_pdf("file.pdf", data)[0].text


def truth(path: Path) -> tuple[list[str], bool]:
    """The paragraphs that a reader sees, and whether they are the text that the PDF was made from."""
    source = path.with_suffix(".txt")
    if source.exists():
        return _paragraphs(source.read_text(encoding="utf-8")), True
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", str(path), "-"], capture_output=True, check=False)
    return _paragraphs(done.stdout.decode("utf-8", "replace").replace("\f", "\n\n")), False


def quotes(paragraphs: Sequence[str]) -> Iterator[str]:
    """Runs of eight words; a shorter paragraph is one."""
    for paragraph in paragraphs:
        parts = paragraph.split()
        for start in range(0, max(1, len(parts) - RUN + 1), _STEP):
            yield " ".join(parts[start : start + RUN])


def read(text_of: Callable[[bytes], str], data: bytes, paragraphs: Sequence[str]) -> Reading | None:
    """Measure one reader with one file; None if it refuses it."""
    started = time.process_time()
    try:
        text = text_of(data)
    except (DocumentError, PyPdfError, LookupError, RecursionError, TypeError, ValueError):
        return None
    seconds = time.process_time() - started
    flat = unicodedata.normalize("NFC", " ".join(text.split()))
    wanted = [unicodedata.normalize("NFC", quote) for quote in quotes(paragraphs)]
    lost = tuple(quote for quote in wanted if quote not in flat)
    share = 1 - len(lost) / len(wanted) if wanted else 1.0
    return Reading(recall(words("\n".join(paragraphs)), words(text)), share, seconds, lost)


def main() -> None:
    """Measure all files of a folder and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only files whose name has this in it")
    parser.add_argument("--lost", action="store_true", help="print the quotes that only pypdf finds")
    arguments = parser.parse_args()
    found: dict[bool, list[tuple[str, Reading, Reading]]] = {True: [], False: []}
    print(f"{'file':60}  words: old   new  quotes: old   new  seconds: old   new")
    for path in sorted(arguments.folder.rglob("*.pdf")):
        if arguments.only not in path.name:
            continue
        data, (paragraphs, made) = path.read_bytes(), truth(path)
        old, new = read(old_text, data, paragraphs), read(new_text, data, paragraphs)
        none = Reading(0, 0, 0)
        if paragraphs and (old or new):
            name = path.name if made else f"~{path.name}"
            found[made].append((name, old or none, new or none))
            print(_row(*found[made][-1]))
            if arguments.lost and old and new:
                print(*(f"    {quote}" for quote in new.lost if quote not in old.lost), sep="\n")
    for made, rows in found.items():
        if rows:
            title = f"{len(rows)} files {'made from known text' if made else 'read by Poppler'}, mean"
            print(_row(title, _mean([old for _, old, _ in rows]), _mean([new for _, _, new in rows])))
    worse = [
        name
        for rows in found.values()
        for name, old, new in rows
        if new.words < old.words - _WORSE or new.quotes < old.quotes - _WORSE
    ]
    print("Worse:", ", ".join(worse) or "none")


def _row(name: str, old: Reading, new: Reading) -> str:
    return (
        f"{name[:60]:60}  {old.words:10.3f} {new.words:.3f}  {old.quotes:11.3f} {new.quotes:.3f}"
        f"  {old.seconds:12.2f} {new.seconds:5.2f}"
    )


def _mean(readings: Sequence[Reading]) -> Reading:
    count = len(readings)
    return Reading(
        sum(reading.words for reading in readings) / count,
        sum(reading.quotes for reading in readings) / count,
        sum(reading.seconds for reading in readings) / count,
    )


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


if __name__ == "__main__":
    main()
