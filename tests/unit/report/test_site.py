"""The site's texts, and what happens where it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.report.site import pages, to_html, write


def test_formulas_become_mathml_and_html_stays_text() -> None:
    made = to_html("One $k$ of *many* <b>x</b>.\n\n$$\n\\frac{1}{k + 1}\n$$\n")
    assert made.count("<math") == 2
    assert 'display="block"' in made
    assert "<mfrac>" in made
    assert "<em>many</em>" in made
    assert "&lt;b&gt;" in made


def test_every_lesson_has_a_page_and_no_formula_is_left_as_its_source() -> None:
    made = {page.file: page.make() for page in pages() if not page.file.startswith(("run-", "tour-"))}
    assert {"index.html", "indexing.html", "evaluation.html", "kg-rag.html"} <= made.keys()
    for file, text in made.items():
        assert "$$" not in text.split("<script")[0], file
        assert "default-src &#39;none&#39;;" in text, file


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
    assert told == [("Lessons", 1, 1)]
    assert sizes == [(tmp_path / "index.html").stat().st_size]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["index.html", "notes.txt"]
