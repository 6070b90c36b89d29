"""A class as a hand-out: a report of each run and comparison, data sets as files, and a table of all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath

from markupsafe import escape

from core.cards.texts import visible
from core.charts.csv_text import csv_text
from core.classroom.handing_in import HandIn, Kind
from core.classroom.overview import Overview, RunLine
from core.errors import LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import FILES, files_of
from core.report import stored_comparison, stored_report
from core.report.page import Back
from core.report.site import Link, Report
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.wording import shortened

TABLE = "overview.csv"
MOST_THINGS = 500
"""Runs and other things of which a hand-out has reports; the table lists all."""
KINDS: dict[Kind, str] = {"run": "run", "comparison": "comparison", "dataset": "data set"}
DELETED = "deleted since"
COLUMNS = (
    *("kind", "who", "title", "strategy", "state", "asked", "calls", "tokens sent", "tokens written"),
    *("seconds", "US dollars", "handed in", "note", "file"),
)
"""Of the table: a row for each run, and for what else was handed in. Times are UTC."""


def archive(overview: Overview, *, every_run: bool) -> list[Report]:
    """The table, and what was handed in, the first one first; if `every_run`, then the other runs of the class, the
    newest first. What was deleted since is in the table only."""
    names = overview.names()
    lines = {("run", line.run.id): line for line in overview.runs()}
    hand_ins = {(one.kind, one.target): one for one in overview.hand_ins()}
    runs = [line.run for key, line in lines.items() if key not in hand_ins]
    others = [HandIn(run.owner, "run", run.id, "", run.created, run.title) for run in runs]
    reports: list[Report] = []
    rows: list[Mapping[str, str]] = []
    for place, one in enumerate([*hand_ins.values(), *others]):
        who, line = visible(names.get(one.member, "")), lines.get((one.kind, one.target))
        row = {"kind": KINDS[one.kind], "who": who, "title": visible(one.title) or DELETED} | _costs(line)
        if place < len(hand_ins):
            row |= {"handed in": _time(one.created), "note": visible(one.note)}
        if one.title and place < MOST_THINGS and (every_run or place < len(hand_ins)):
            files = _reports(overview.bench, one, who, line)
            reports += files
            row["file"] = files[0].link.file
        rows.append(row)
    table = Link(TABLE, "Who asked what", "Every run with its cost, and what was handed in.", remark="CSV")
    return [Report(table, lambda _: csv_text(COLUMNS, rows)), *reports]


def _reports(bench: Workbench, one: HandIn, who: str, line: RunLine | None) -> list[Report]:
    """The report of one thing, or the files of a data set."""
    # Ids are of our own making, but for those that came with a database of somebody else.
    name = f"{one.kind}-{re.sub(r'[^A-Za-z0-9]+', '-', one.target)[:40]}"
    files = [f"{name}/{file}" for file in FILES] if one.kind == "dataset" else [f"{name}.html"]
    title, remark = f"{who}: {shortened(one.title, 200)}", f"{KINDS[one.kind]} · {_time(one.created)} UTC"
    strategy = line.run.strategy if line and line.run.strategy in strategies() else ""
    return [
        Report(
            Link(file, title, one.note, strategy, remark),
            partial(_text, bench, one, PurePosixPath(file).name),
        )
        for file in files
    ]


def _text(bench: Workbench, one: HandIn, file: str, back: Back) -> str:
    """The text of a file; where the thing cannot be read, the reason."""
    try:
        if one.kind == "run":
            return stored_report(bench.store.events(one.target), bench.store, back)
        if one.kind == "comparison":
            return stored_comparison(bench.comparisons.get(one.target), bench.store, back)
        return files_of(data_sets_of(bench).open(one.target))[file]
    except LoupeError as error:
        return escape(str(error))


def _costs(line: RunLine | None) -> dict[str, str]:
    if line is None:
        return {}
    run, totals = line.run, line.totals
    return {
        "strategy": run.strategy,
        "state": run.state,
        "asked": _time(run.created),
        "calls": f"{totals.calls}",
        "tokens sent": f"{totals.tokens_in}",
        "tokens written": f"{totals.tokens_out}",
        "seconds": f"{run.seconds:.3f}",
        "US dollars": "" if line.dollars is None else f"{line.dollars:.6f}",
    }


def _time(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}"
