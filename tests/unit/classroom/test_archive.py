"""The archive of a class: reports, data sets, tables and an index that opens from a disk, whatever members wrote."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import PurePosixPath

from core.classroom.archive import COLUMNS, archive
from core.classroom.handing_in import MAX_NOTE, Kind, hand_ins
from core.classroom.overview import Overview
from core.classroom.store import Classroom
from core.evaluation.datasets import read_files
from core.report.site import pack, pages
from core.runs.workbench import Workbench
from tests.hostile import EVIL
from tests.unit.classroom.a_class import (
    BEN,
    MIA,
    TEACHER,
    THE_TEACHER,
    a_class,
    comparison,
    data_set_of,
    join,
    question,
    run,
)
from tests.unit.report import reading

BAD = [
    '=HYPERLINK("http://evil.example","x")',
    "+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "../../../etc/passwd",
    "..\\..\\x.exe",
    "<script>alert(1)</script>",
    "\u202egnp.exe",
    "👩‍🚀 서울",
    EVIL,
]
"""A text as a hostile member may write it."""


def hand_in(bench: Workbench, classroom: Classroom, member: str, kind: Kind, key: str, note: str = "") -> str:
    hand_ins(bench.settings.database).hand_in(classroom.id, member, kind, key, note)
    return key


def packed(bench: Workbench, classroom: Classroom, *, every_run: bool = False) -> dict[str, str]:
    """Name -> text of all files of the archive."""
    overview = Overview(bench, classroom, THE_TEACHER)
    data = pack(list(pages([], archive(overview, every_run=every_run))), lambda _: None)
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        names = packed.namelist()
        assert len(set(names)) == len(names)
        assert all(
            re.fullmatch(r"rag-loupe/[A-Za-z0-9-]+(/[a-z]+)?\.(html|csv|jsonl|tsv)", name) for name in names
        )
        return {name.removeprefix("rag-loupe/"): packed.read(name).decode() for name in names}


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_all_that_was_handed_in_is_there_and_every_link_leads_to_it(bench: Workbench) -> None:
    classroom = a_class(bench, name="Class 1")
    join(bench, classroom, MIA, "Mia")
    join(bench, classroom, BEN)
    mine = hand_in(bench, classroom, MIA, "run", run(bench, MIA, "rag-fusion"), "My best one.")
    pair = hand_in(bench, classroom, MIA, "comparison", comparison(bench, MIA))
    wrens = hand_in(bench, classroom, BEN, "dataset", data_set_of(bench, BEN))
    other = run(bench, BEN)
    files = packed(bench, classroom)
    expected = {f"run-{mine}.html", f"comparison-{pair}.html", "overview.csv", "index.html"}
    folder = {f"dataset-{wrens}/{name}" for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")}
    assert set(files) == expected | folder
    dataset = read_files("x", {PurePosixPath(name).name: files[name].encode() for name in folder})
    assert dataset.questions[0].answers == ("nine grams",)
    runs = {f"run-{key}.html" for key in (other, *bench.comparisons.get(pair).runs)}
    assert set(files) | runs == set(packed(bench, classroom, every_run=True))
    for every_run in (False, True):
        files = packed(bench, classroom, every_run=every_run)
        pages = {name: text for name, text in files.items() if name.endswith(".html")}
        others = dict.fromkeys(set(files) - set(pages), pages["index.html"])
        assert list(reading.loose_ends(pages | others)) == []
        linked = set(reading.links(reading.reading(pages["index.html"])))
        assert linked >= set(pages) - {"index.html"} | {"overview.csv"}
    assert "My best one." in reading.reading(files["index.html"]).text


def test_the_table_says_who_asked_what_and_what_it_cost(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA, "Mia")
    hand_in(bench, classroom, MIA, "run", run(bench, MIA, "rag-fusion", "Mine?"), "Look.")
    files = packed(bench, classroom)
    (mine,) = rows(files["overview.csv"])
    assert tuple(mine) == COLUMNS
    assert {key: mine[key] for key in ("kind", "who", "title", "strategy", "state", "note")} == {
        "kind": "run",
        "who": "Mia",
        "title": "Mine?",
        "strategy": "rag-fusion",
        "state": "finished",
        "note": "Look.",
    }
    assert (mine["calls"], mine["tokens sent"], mine["tokens written"], mine["US dollars"]) == (
        "2",
        "642",
        "174",
        "0.000990",
    )
    assert mine["file"] in files


def test_nobody_is_named_by_the_id_of_a_browser(bench: Workbench) -> None:
    classroom = a_class(bench, question())
    join(bench, classroom, MIA, "Mia")
    hand_in(bench, classroom, MIA, "run", run(bench, MIA))
    files = packed(bench, classroom, every_run=True)
    assert not [
        name for name, text in files.items() if MIA in text or TEACHER in text or classroom.key in text
    ]


def test_hostile_names_questions_and_notes_do_nothing(bench: Workbench) -> None:
    classroom = a_class(bench, *(question(bad, about=bad) for bad in BAD[:-1]), name="=../../<b>x\u202e")
    for number, bad in enumerate(BAD):
        member = f"{number:032x}"
        join(bench, classroom, member, bad[:28])
        note = (bad * MAX_NOTE)[:MAX_NOTE]
        hand_in(bench, classroom, member, "run", run(bench, member, "plain", bad * 9), note)
        hand_in(bench, classroom, member, "comparison", comparison(bench, member, bad))
    files = packed(bench, classroom, every_run=True)
    pages = {name: text for name, text in files.items() if name.endswith(".html")}
    others = dict.fromkeys(set(files) - set(pages), pages["index.html"])
    assert list(reading.loose_ends(pages | others)) == []
    for text in files.values():
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)
    assert not [one for name in pages for one in reading.reading(pages[name]).elements if one[0] == "img"]
    cells = [cell for row in csv.reader(io.StringIO(files["overview.csv"], newline="")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    titles = {row["title"] for row in rows(files["overview.csv"])}
    assert "'" + BAD[0] in titles
    assert len([row for row in rows(files["overview.csv"]) if len(row["note"]) > 0.8 * MAX_NOTE]) == len(BAD)


def test_what_is_gone_or_cannot_be_read_is_said_and_costs_nothing_else(bench: Workbench) -> None:
    classroom = a_class(bench)
    join(bench, classroom, MIA, "Mia")
    gone = hand_in(bench, classroom, MIA, "run", run(bench, MIA), "It was here.")
    pair = hand_in(bench, classroom, MIA, "comparison", comparison(bench, MIA))
    left = hand_in(bench, classroom, MIA, "run", run(bench, MIA, question="Still here?"))
    bench.store.delete(gone)
    bench.store.delete(bench.comparisons.get(pair).runs[0])
    files = packed(bench, classroom)
    assert {f"run-{left}.html", f"comparison-{pair}.html"} < set(files)
    assert f"run-{gone}.html" not in files
    notes = {row["note"]: row for row in rows(files["overview.csv"])}
    assert (notes["It was here."]["title"], notes["It was here."]["file"]) == ("deleted since", "")


def test_an_empty_class_has_an_archive(bench: Workbench) -> None:
    assert set(packed(bench, a_class(bench), every_run=True)) == {"index.html", "overview.csv"}
