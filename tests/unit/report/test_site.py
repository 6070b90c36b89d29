"""The site's texts, and what happens where it cannot be written."""

from __future__ import annotations

from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from core.errors import InputError
from core.report.site import INDEX, gallery_reports, pack, pages, to_html, write
from core.strategies import strategies
from core.strategies.families import path
from tests.unit.report.reading import links, loose_ends, reading

MOST_BYTES = 20_000_000


def test_formulas_become_mathml_and_html_stays_text() -> None:
    made = to_html("One $k$ of *many* <b>x</b>.\n\n$$\n\\frac{1}{k + 1}\n$$\n")
    assert made.count("<math") == 2
    assert 'display="block"' in made
    assert "<mfrac>" in made
    assert "<em>many</em>" in made
    assert "&lt;b&gt;" in made


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The whole site, by the names of its files."""
    return {page.file: page.make() for page in pages()}


def test_the_whole_site_leads_everywhere_and_asks_for_nothing(made: dict[str, str]) -> None:
    assert list(loose_ends(made)) == []
    found, ahead = set(), {INDEX}
    while ahead:
        found |= ahead
        ahead = {link for file in ahead for link in links(reading(made[file]))} - found
    assert found == made.keys()
    keys = [one.key for one in path(strategies().values())]
    assert {*(f"{key}.html" for key in keys), *(f"tour-{key}.html" for key in strategies())} < made.keys()
    assert sum(len(text.encode()) for text in made.values()) < MOST_BYTES


def test_no_formula_is_left_as_its_source(made: dict[str, str]) -> None:
    for file, text in made.items():
        if not file.startswith(("run-", "tour-")):
            assert "$$" not in text.split("<script")[0], file


def test_a_part_of_the_site_leads_to_what_was_chosen_alone() -> None:
    every = [
        page for page in pages(["indexing", "hyde"], gallery_reports()[:1]) if page.file != "tour-hyde.html"
    ]
    assert [page.file for page in every] == ["indexing.html", "hyde.html", "run-recorded-glow.html", INDEX]
    made = {page.file: page.make() for page in pages(["indexing", "hyde"], gallery_reports()[:1])}
    assert list(loose_ends(made)) == []
    assert set(links(reading(made[INDEX]))) == {"indexing.html", "hyde.html", "run-recorded-glow.html"}
    assert set(links(reading(made["hyde.html"]))) == {INDEX, "tour-hyde.html", "indexing.html"}


def test_packing_ends_where_it_is_told_to() -> None:
    def stop(done: int) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        pack([page for page in pages([], []) for _ in range(2)], stop)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"taken.*Choose another folder"):
        write(taken, lambda title, done, of: None)
    assert taken.read_text(encoding="utf-8") == "mine"


def test_what_else_lies_in_the_folder_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    few = [page for page in pages() if page.file == "index.html"]
    monkeypatch.setattr("core.report.site.pages", lambda: iter(few))
    told: list[tuple[str, int, int]] = []
    sizes = write(tmp_path, lambda title, done, of: told.append((title, done, of)))
    assert told == [("Overview", 1, 1)]
    assert sizes == [(tmp_path / "index.html").stat().st_size]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["index.html", "notes.txt"]
