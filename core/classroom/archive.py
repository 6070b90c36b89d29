"""A class as a ZIP archive: a report of each run and comparison, data sets as folders, tables, and a page that leads to
all of them and opens from a disk."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from core.cards.texts import visible
from core.charts.csv_text import csv_text
from core.classroom.handing_in import HandIn, Kind
from core.classroom.overview import Overview, Person, RunLine
from core.errors import LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_lines import QUERIES
from core.evaluation.datasets import files_of
from core.jobs import WatchedJob
from core.report import stored_comparison, stored_report
from core.report.page import Back, page
from core.report.site import INDEX, Link
from core.strategies import strategies
from core.wording import counted, shortened

FOLDER = "class"
"""The folder in the archive."""
OVERVIEW, VOTES = "overview.csv", "votes.csv"
MOST_REPORTS = 1_000
"""Reports that one archive has; the table lists all runs."""
KINDS: dict[Kind, str] = {"run": "run", "comparison": "comparison", "dataset": "data set"}
DELETED = "deleted since"
COLUMNS = (
    *(
        "kind",
        "who",
        "joined",
        "runs",
        "votes right",
        "questions revealed",
        "title",
        "strategy",
        "state",
        "asked",
    ),
    *("calls", "tokens sent", "tokens written", "seconds", "US dollars", "handed in", "note", "file"),
)
"""Of the table: a row for each member, run, and other thing that was handed in. Times are UTC."""


@dataclass(frozen=True)
class Item:
    """A run, or something else that was handed in; texts are raw."""

    who: str
    kind: Kind
    target: str
    title: str
    """Empty: it was deleted since."""
    line: RunLine | None = None
    """Of a run of the class."""
    hand_in: HandIn | None = None
    file: str = ""
    """Its place in the folder; empty: it is not in the archive."""
    problem: str = ""
    """Why it is not."""


class ClassArchive(WatchedJob[IO[bytes], tuple[int, int]]):
    """An archive being made in a file without a name, which is gone with the job; its progress is how many reports are
    done, and how many there are."""

    def __init__(self, overview: Overview, *, every_run: bool) -> None:
        """Begin in the background: with what was handed in, and with the other runs of the class if `every_run`."""
        super().__init__(asyncio.to_thread(self._make, overview, every_run), (0, 1))

    def _make(self, overview: Overview, every_run: bool) -> IO[bytes]:
        out = TemporaryFile()  # noqa: SIM115  # whoever has the result reads it, and it is closed with that
        write_archive(overview, out, every_run=every_run, tell=self._note)
        return out

    def _note(self, done: int, count: int) -> None:
        if self.stopping:
            raise CancelledError
        self.tell((done, count))


def write_archive(
    overview: Overview, out: IO[bytes], *, every_run: bool, tell: Callable[[int, int], None]
) -> None:
    """Write a class as an archive, one report after the other. Blocks.

    Args:
        out: Takes the bytes.
        every_run: True if the runs that were not handed in have reports, too.
        tell: Called with the number of reports that are done and of all; may raise, which ends the work.
    """
    people, items = overview.people(), _items(overview)
    chosen = [item for item in items if item.hand_in or every_run][:MOST_REPORTS]
    made: dict[tuple[Kind, str], Item] = {}
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for place, item in enumerate(chosen):
            tell(place, len(chosen))
            made[item.kind, item.target] = _add(overview, archive, item)
        items = [made.get((item.kind, item.target), item) for item in items]
        revealed = sum(shown for _, shown in overview.questions())
        archive.writestr(f"{FOLDER}/{OVERVIEW}", csv_text(COLUMNS, _rows(people, revealed, items)))
        archive.writestr(f"{FOLDER}/{VOTES}", csv_text(_VOTES, _votes(overview)))
        archive.writestr(f"{FOLDER}/{INDEX}", _index(overview.classroom.name, people, list(made.values())))
        tell(len(chosen), len(chosen))


def _items(overview: Overview) -> list[Item]:
    """What was handed in, the first one first, then the other runs of the class, the newest first."""
    names = {person.member: person.name for person in overview.people()}
    lines = {line.run.id: line for line in overview.runs()}
    handed_in = [
        Item(
            names.get(one.member, ""),
            one.kind,
            one.target,
            one.title,
            lines.pop(one.target, None) if one.kind == "run" else None,
            one,
        )
        for one in overview.hand_ins()
    ]
    others = [
        Item(names.get(line.run.owner, ""), "run", key, line.run.title, line) for key, line in lines.items()
    ]
    return handed_in + others


def _add(overview: Overview, archive: ZipFile, item: Item) -> Item:
    """Write the report, or the folder, of one thing; returns it with its file, or the reason why it has none."""
    # Ids are of our own making, but for those that came with a database of somebody else.
    name = f"{item.kind}-{re.sub(r'[^A-Za-z0-9]+', '-', item.target)[:40]}"
    if not item.title:
        return replace(item, problem=DELETED)
    try:
        texts = dict(_files(overview, item, name))
    except LoupeError as error:
        return replace(item, problem=str(error))
    for file, text in texts.items():
        archive.writestr(f"{FOLDER}/{file}", text.encode("utf-8", "replace"))
    return replace(item, file=f"{name}/{QUERIES}" if item.kind == "dataset" else next(iter(texts)))


def _files(overview: Overview, item: Item, name: str) -> Iterator[tuple[str, str]]:
    """The files of one thing: names in the folder, and texts."""
    bench, back = overview.bench, Back(INDEX, overview.classroom.name)
    if item.kind == "run":
        yield f"{name}.html", stored_report(bench.store.events(item.target), bench.store, back)
    elif item.kind == "comparison":
        comparison = bench.comparisons.get(item.target)
        yield f"{name}.html", stored_comparison(comparison, bench.store, back)
    else:
        for file, text in files_of(data_sets_of(bench).open(item.target)).items():
            yield f"{name}/{file}", text


def _rows(people: Iterable[Person], revealed: int, items: Iterable[Item]) -> Iterator[Mapping[str, str]]:
    for person in people:
        yield {
            "kind": "member",
            "who": visible(person.name),
            "joined": _time(person.joined),
            "runs": f"{person.runs}",
            "votes right": f"{person.right}",
            "questions revealed": f"{revealed}",
        }
    for item in items:
        row = {"kind": KINDS[item.kind], "who": visible(item.who), "title": visible(item.title) or DELETED}
        if line := item.line:
            run, spent = line.run, line.spent
            row |= {
                "strategy": run.strategy,
                "state": run.state,
                "asked": _time(run.created),
                "calls": f"{spent.calls}",
                "tokens sent": f"{spent.sent}",
                "tokens written": f"{spent.written}",
                "seconds": f"{run.seconds:.3f}",
                "US dollars": "" if spent.dollars is None else f"{spent.dollars:.6f}",
            }
        if item.hand_in:
            row |= {"handed in": _time(item.hand_in.created), "note": visible(item.hand_in.note)}
        yield row | {"file": item.file}


_VOTES = ("number", "question", "about", "option", "text", "votes", "right", "revealed")
"""Columns of the table of votes, which names nobody."""


def _votes(overview: Overview) -> Iterator[Mapping[str, str]]:
    votes = overview.votes()
    for place, (question, revealed) in enumerate(overview.questions()):
        for option in question.options:
            yield {
                "number": f"{place + 1}",
                "question": visible(question.text),
                "about": visible(question.about),
                "option": option.key,
                "text": visible(option.text),
                "votes": f"{votes[place][option.key] if place in votes else 0}",
                "right": "yes" if option.right else "no",
                "revealed": "yes" if revealed else "no",
            }


def _index(name: str, people: list[Person], items: list[Item]) -> str:
    """The page that leads to all files."""
    known = strategies()
    tables = [
        Link(OVERVIEW, "Who asked what", "Every member, run and hand-in as a table.", remark="CSV"),
        Link(VOTES, "Votes", "Every question with the votes of the class, without names.", remark="CSV"),
    ]
    present = [item for item in items if item.file]
    parts_of_it = [
        ("Handed in", [_link(item) for item in present if item.hand_in]),
        ("Other runs of the class", [_link(item) for item in present if not item.hand_in]),
        ("Tables", tables),
    ]
    return page(
        "class_index.html",
        name,
        {key: strategy.colour for key, strategy in known.items()},
        name=name,
        about=f"{counted(len(people), 'member')}. Made on {_time(datetime.now(UTC))} UTC.",
        parts_of_it=parts_of_it,
        missing=[
            (item.who, ": ".join(filter(None, (KINDS[item.kind], shortened(item.title, 200), item.problem))))
            for item in items
            if not item.file
        ],
    )


def _link(item: Item) -> Link:
    note = item.hand_in.note if item.hand_in else ""
    title = f"{item.who}: {shortened(item.title, 200)}"
    strategy = item.line.run.strategy if item.line else ""
    when = item.hand_in.created if item.hand_in else item.line.run.created if item.line else None
    remark = " · ".join((KINDS[item.kind], *((f"{_time(when)} UTC",) if when else ())))
    return Link(item.file, title, note, strategy if strategy in strategies() else "", remark)


def _time(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}"
