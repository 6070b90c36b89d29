"""Whether files of every kind are read, or refused, as they should be: a folder of files with a manifest.

    python -m research.documents --data FOLDER [--only PART]

`FOLDER/manifest.csv` names the files, says what is special about each, and how a reference parser fared. A readable
file must yield at least nine tenths of the words that the plainest use of a library finds; one that is encrypted,
hostile or without text must be refused; and none may take more than the parser's 60 seconds or 2 GB. With exit
status 1, some file is judged wrong.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import psutil

from core.corpora.documents import Document
from core.corpora.parsing import PARSERS
from core.corpora.sources import expand
from core.errors import DocumentError
from research.reference_text import recall, reference_text, words

MAX_MB = 25
SECONDS = 60
MEGABYTES = 2048
ENOUGH = 0.9
READABLE, REFUSED, EITHER = "readable", "refused", "either"

_UNREADABLE = ("ENCRYPTED", "SCAN", "BOMB", "QUINE", "oom", "huge memory")
_OWN_READER = {".odt"}
"""Kinds that the set's reference parser did not know, but we read."""


@dataclass
class Judgement:
    """How one file fared."""

    file: str
    expected: str
    documents: list[Document] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    recall: float | None = None
    seconds: float = 0.0
    peak_mb: float = 0.0

    @property
    def verdict(self) -> str:
        """What became of it."""
        return "indexed" if self.documents else "refused"

    @property
    def fault(self) -> str:
        """What is wrong about that; empty: nothing."""
        if self.seconds > SECONDS + 1 or self.peak_mb > MEGABYTES:
            return "breaks a limit"
        if self.documents and self.expected == REFUSED:
            return "should be refused"
        if not self.documents and self.expected == READABLE:
            return "should be read"
        if self.recall is not None and self.recall < ENOUGH:
            return "words are missing"
        if any(".." in PurePath(document.name).parts for document in self.documents):
            return "a path that leads out of its archive"
        if not self.documents and not self.reasons:
            return "refused without a reason"
        return ""


def judge(folder: Path, row: dict[str, str]) -> Judgement:
    """Read one file of the set as an upload is, and compare."""
    path = folder / row["file"]
    judgement = Judgement(row["file"], expectation(row))
    texts = []
    with _peak() as peak:
        started = time.monotonic()
        for file in expand([(path.name, path.read_bytes())]):
            try:
                judgement.documents += PARSERS.parse(file.name, file.read(MAX_MB), MAX_MB)
            except DocumentError as error:
                judgement.reasons.append(str(error))
            else:
                if judgement.expected == READABLE:
                    texts.append(reference_text(file.name, file.read(MAX_MB), _encoding(row)))
        judgement.seconds = time.monotonic() - started
    judgement.peak_mb = max(peak) / 2**20
    if judgement.documents and judgement.expected == READABLE:
        found = words("\n".join(f"{document.title}\n{document.text}" for document in judgement.documents))
        judgement.recall = recall(words("\n".join(texts)), found)
    return judgement


def expectation(row: dict[str, str]) -> str:
    """What should become of a file, by what the manifest says about it."""
    status, extra = row["ref_status"], json.loads(row["ref_extra"] or "{}")
    locked = extra.get("encrypted") and not extra.get("opens_with_empty_password")
    empty = status == "ok-empty" or extra.get("unpacked") == 0
    if locked or empty or any(word in row["note"] for word in _UNREADABLE):
        return REFUSED
    if "no reference parser" in status:
        return READABLE if PurePath(row["file"]).suffix in _OWN_READER else REFUSED
    # A broken file that the reference parser gives up may be read by a better one.
    return READABLE if status == "ok" else EITHER


def rows(folder: Path) -> list[dict[str, str]]:
    """The manifest."""
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(judgements: Sequence[Judgement]) -> str:
    """A line a file, and totals."""
    width = max(len(judgement.file) for judgement in judgements)
    lines = [f"{'file':{width}}  verdict  words  seconds  peak MB  reason"]
    for item in judgements:
        share = "" if item.recall is None else f"{item.recall:.3f}"
        reason = " / ".join(filter(None, [item.fault and f"WRONG: {item.fault}", *item.reasons]))
        lines.append(
            f"{item.file:{width}}  {item.verdict}  {share:>5}  {item.seconds:7.2f}  {item.peak_mb:7.0f}  {reason}"
        )
    verdicts = Counter(item.verdict for item in judgements)
    shares = [item.recall for item in judgements if item.recall is not None]
    lines.append(
        f"{len(judgements)} files: {verdicts['indexed']} indexed, {verdicts['refused']} refused, "
        f"{sum(bool(item.fault) for item in judgements)} wrong; "
        f"words found {sum(shares) / max(len(shares), 1):.3f} on average, {min(shares, default=1):.3f} at least; "
        f"{sum(item.seconds for item in judgements):.1f} s, longest {max(item.seconds for item in judgements):.1f} s, "
        f"peak {max(item.peak_mb for item in judgements):.0f} MB."
    )
    return "\n".join(lines)


def _encoding(row: dict[str, str]) -> str:
    extra = json.loads(row["ref_extra"] or "{}")
    return str(extra.get("encoding") or extra.get("encoding_guess") or "")


@contextmanager
def _peak() -> Iterator[list[int]]:
    """Bytes of memory that the parsers' processes hold at most, in a list that grows."""
    peak, done = [0], threading.Event()

    def look() -> None:
        while True:
            for child in psutil.Process().children():
                with suppress(psutil.Error):
                    peak.append(child.memory_info().rss)
            if done.wait(0.02):
                return

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def main() -> None:
    """Judge all files and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with manifest.csv")
    parser.add_argument("--only", default="", help="only files whose path has this in it")
    arguments = parser.parse_args()
    chosen = [row for row in rows(arguments.data) if arguments.only in row["file"]]
    judgements = [judge(arguments.data, row) for row in chosen]
    print(table(judgements))
    sys.exit(any(judgement.fault for judgement in judgements))


if __name__ == "__main__":
    main()
