"""A table is written one way, whatever its document: each row can be understood alone, and is read back."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage
from io import BytesIO

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Inches

from core.corpora.rows import Grid, Reach, looks_named, row_cells, table_blocks, table_text
from core.corpora.splitting import Splitter
from core.models.embeddings import builtin_tokenizer
from tests.cases import cases
from tests.unit.corpora.test_loaders import archive, read
from tests.unit.work import little_work

DEPTHS = [["", "Jan", "Feb"], ["Northgate", "11", "13"], ["", "21", "23"]]
DEPTHS_TEXT = "| Jan | Feb\nNorthgate | Jan: 11 | Feb: 13\n| Jan: 21 | Feb: 23"
SPANNED = [[("Name", 2, 1), ("Built", 1, 1)], [("Orrin", 1, 1), ("Vale", 1, 1), ("1911", 1, 1)]]
SPANNED_TEXT = "Name | | Built\nOrrin | Vale | Built: 1911"
STATIONS = [
    [("Station", 1, 1), ("Month", 1, 1), ("Depth", 1, 1)],
    [("Northgate", 1, 2), ("Jan", 1, 1), ("11", 1, 1)],
    [("Feb", 1, 1), ("13", 1, 1)],
]
STATIONS_TEXT = (
    "Station | Month | Depth\nStation: Northgate | Month: Jan | Depth: 11\n"
    "Station: Northgate | Month: Feb | Depth: 13"
)
Cells = Sequence[Sequence[tuple[str, int, int]]]


def plain(rows: Sequence[Sequence[str]]) -> Cells:
    return [[(cell, 1, 1) for cell in row] for row in rows]


def html(rows: Cells) -> bytes:
    lines = (
        "".join(f'<td colspan="{columns}" rowspan="{down}">{text}</td>' for text, columns, down in row)
        for row in rows
    )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>".encode()


def mail(rows: Cells) -> bytes:
    message = EmailMessage()
    message["Date"] = "Fri, 16 Dec 2022 17:04:16 -0500"
    message.set_content(html(rows).decode(), subtype="html")
    return bytes(message)


def word(rows: Cells) -> bytes:
    document = docx.Document()
    table = document.add_table(rows=len(rows), cols=_width(rows))
    for (row, column), (text, columns, down) in _placed(rows).items():
        table.cell(row, column).merge(table.cell(row + down - 1, column + columns - 1)).text = text
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def slide(rows: Cells) -> bytes:
    presentation = pptx.Presentation()
    shapes = presentation.slides.add_slide(presentation.slide_layouts[6]).shapes
    table = shapes.add_table(len(rows), _width(rows), *[Inches(1)] * 4).table
    for (row, column), (text, columns, down) in _placed(rows).items():
        table.cell(row, column).text = text
        if columns * down > 1:
            table.cell(row, column).merge(table.cell(row + down - 1, column + columns - 1))
    file = BytesIO()
    presentation.save(file)
    return file.getvalue()


def odt(rows: Cells) -> bytes:
    placed, width = _placed(rows), _width(rows)
    lines = []
    for row in range(len(rows)):
        cells = [
            f'<table:table-cell table:number-columns-spanned="{placed[row, column][1]}" '
            f'table:number-rows-spanned="{placed[row, column][2]}"><text:p>{placed[row, column][0]}</text:p>'
            "</table:table-cell>"
            if (row, column) in placed
            else "<table:covered-table-cell/>"
            for column in range(width)
        ]
        lines.append(f"<table:table-row>{''.join(cells)}</table:table-row>")
    xml = (
        '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>'
        f"<table:table>{''.join(lines)}</table:table></office:text></office:body></office:document-content>"
    )
    return archive(mimetype=b"application/vnd.oasis.opendocument.text", **{"content.xml": xml.encode()})


def _placed(rows: Cells) -> dict[tuple[int, int], tuple[str, int, int]]:
    """Each cell by the row and the column in which it begins."""
    placed, taken = dict[tuple[int, int], tuple[str, int, int]](), set[tuple[int, int]]()
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            placed[row, column] = cell
            taken |= {(row + y, column + x) for y in range(cell[2]) for x in range(cell[1])}
    return placed


def _width(rows: Cells) -> int:
    return sum(columns for _, columns, _ in rows[0])


MAKERS = {"t.html": html, "t.eml": mail, "t.docx": word, "t.pptx": slide, "t.odt": odt}


@pytest.mark.parametrize(
    ("rows", "text"),
    [(plain(DEPTHS), DEPTHS_TEXT), (SPANNED, SPANNED_TEXT), (STATIONS, STATIONS_TEXT)],
    ids=["blank corner", "over two columns", "over two rows"],
)
@pytest.mark.parametrize("name", MAKERS)
def test_cells_stay_in_their_columns(name: str, rows: Cells, text: str) -> None:
    assert read(name, MAKERS[name](rows)).text.split("\n\n")[-1] == text


@pytest.mark.parametrize("name", ["t.md", "t.csv", "t.tsv", "t.xlsx"])
def test_a_blank_corner_in_tables_without_merged_cells(name: str) -> None:
    if name.endswith("xlsx"):
        book, file = openpyxl.Workbook(), BytesIO()
        for row in DEPTHS:
            book.active.append(row)
        book.save(file)
        data = file.getvalue()
    elif name.endswith("md"):
        lines = ["| " + " | ".join(row) + " |" for row in DEPTHS]
        data = "\n".join([lines[0], "|---|--:|:-:|", *lines[1:]]).encode()
    else:
        data = "\n".join(("," if name == "t.csv" else "\t").join(row) for row in DEPTHS).encode()
    assert read(name, data).text.split("\n\n")[-1] == DEPTHS_TEXT


def test_markdown_keeps_what_is_no_table() -> None:
    source = (
        "# Fees\n\nBoat | Fee\n--- | ---\n`a\\|b` | 1\nC |\nAfter it.\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n\n"
        "a | b\n\n| a |\n|---|---|\n\n## End\n"
    )
    document = read("t.md", source.encode())
    assert document.text.split("\n\n") == [
        "# Fees",
        "Boat | Fee\nBoat: `a|b` | Fee: 1\nBoat: C |",
        "After it.",
        "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```",
        "a | b",
        "| a |\n|---|---|",
        "## End",
    ]
    assert all(
        document.text[place:].startswith(("# " + text, "## " + text)) for place, text in document.headings
    )


def test_a_header_of_two_rows() -> None:
    page = (
        "<table><caption>Depths</caption><tr><th rowspan=2>Station</th><th colspan=2>Depth</th></tr><tr><th>Jan</th>"
        "<th>Feb</th></tr><tr><td>South<b>gate</b></td><td>1</td><td>2</td></tr><tr><td>Weir</td><td colspan=2>closed"
        "</td></tr><tr><td colspan=3>East</td></tr><tr><td>Skerry</td><td></td><td>6</td></tr></table>"
    )
    assert read("t.html", page.encode()).text.split("\n\n") == [
        "Depths",
        "Station | Depth |\nStation | Jan | Feb\nStation: Southgate | Depth Jan: 1 | Depth Feb: 2\n"
        "Station: Weir | Depth Jan: closed | Depth Feb: closed",
        "East",
        "Station: Skerry | | Depth Feb: 6",
    ]
    rows = [["Station", "Depth", ""], ["", "Jan", "Feb"], ["Skerry", "5", "6"]]
    assert table_text(rows, True).endswith("Station: Skerry | Depth Jan: 5 | Depth Feb: 6")


@cases(
    ("rows", "named"),
    [
        ([["Ship", "Built", "Port"], ["Tern", "1930", "Skerry"]], True),
        ([["Bird", "Grams"], ["Wren", "9"], ["Owl", "300"], ["Crow", "500"]], True),
        ([["Name", "Orrin"], ["Born", "1900"], ["Trade", "pilot"]], False),  # properties of one thing
        ([["Tern", "1930", "Skerry"], ["Sole", "1931", "Skerry"]], False),
        ([["Fees", "Fees"], ["Boat", "Fee"]], False),
        ([["", "2022", "2023"], ["Crew", "4", "5"]], True),
        ([["Ship", "Built"]], False),
    ],
)
def test_whether_a_first_row_names_the_columns(rows: list[list[str]], named: bool) -> None:
    assert looks_named(rows) is named


def test_marks_of_a_page_say_what_the_first_row_is() -> None:
    infobox = "<table><tr><th>Born<td>1900<tr><th>Died<td>1950<tr><th>Age<td>50</table>"
    assert read("t.html", infobox.encode()).text == "Born | 1900\nDied | 1950\nAge | 50"
    said = "<table><thead><tr><td>Word<td>Meaning</thead><tr><td>Quay<td>A wall</table>"
    assert read("t.html", said.encode()).text == "Word | Meaning\nWord: Quay | Meaning: A wall"


def test_bars_and_line_ends_in_cells_part_nothing() -> None:
    (text,) = table_blocks([["Command", "Use"], ["a | b", "one\ntwo"], ["c|d", "x: y"]])
    assert text.split("\n")[1:] == ["Command: a|b | Use: one two", "Command: c|d | Use: x: y"]
    assert row_cells(text.split("\n")[2]) == [("Command", "c|d"), ("Use", "x: y")]


def test_a_wide_row_says_in_each_line_which_row_it_is() -> None:
    names = ["id", "name", *(f"column {number}" for number in range(40))]
    rows = [names, *([str(row), f"Dunlin {row}", *["a value of some length"] * 40] for row in range(3))]
    (text,) = table_blocks(rows)
    lines = text.split("\n")[1:]
    assert len(lines) > 6
    assert all(len(line) <= 500 for line in lines)
    assert all(
        any(line.startswith(f"id: {row} | name: Dunlin {row} | ") for row in range(3)) for line in lines
    )
    cells = [cell for line in lines for cell in row_cells(line) if cell[0].startswith("column")]
    assert len(cells) == 3 * 40


@cases(
    ("line", "cells"),
    [
        ("Ship: Tern | | Port: Skerry", [("Ship", "Tern"), ("Port", "Skerry")]),
        ("| Jan: 21 |", [("Jan", "21")]),
        ("Northgate | Depth: m: 11", [("", "Northgate"), ("Depth", "m: 11")]),
        ("Ship | Built", []),
        ("Tern | 1930", []),
        ("Note: a text with no bar", []),
        ("The choice is a|b: neither", []),
    ],
)
def test_rows_are_read_back(line: str, cells: list[tuple[str, str]]) -> None:
    assert row_cells(line) == cells


@pytest.mark.parametrize(("chunk", "overlap"), [(64, 0), (120, 50), (0, 0), (300, 50)])
def test_no_chunk_begins_within_a_row(chunk: int, overlap: int) -> None:
    rows = "".join(
        f"| Boat {one} | Built of oak. Lost in fog. Sold by its owner. | {one} crowns |\n"
        for one in range(60)
    )
    document = read(
        "t.md", f"# Fees\n\nA few words.\n\n| Boat | Story | Fee |\n|---|---|---|\n{rows}".encode()
    )
    chunks = list(Splitter(builtin_tokenizer(), 240, chunk, overlap).split(document))
    of_table = [one.text for one in chunks if "crowns" in one.text]
    assert len(of_table) > 5
    assert all(
        "Fee: " in text and text.startswith(("Boat: ", "Boat |", "A few", "# Fees")) for text in of_table
    )


def test_cells_that_reach_far_cost_little() -> None:
    grid = Grid()
    with little_work():
        for _ in range(3000):
            grid.add([("x" * 250, 65_000, 65_000), ("y" * 2000, 900, 2)])
    assert max(map(len, grid.rows)) <= 1000
    assert sum(map(len, grid.rows)) < 3_000_000
    # A long text is not repeated.
    assert not any(isinstance(cell, Reach) and len(cell) > 300 for row in grid.rows for cell in row)
