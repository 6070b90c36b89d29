"""The languages of a corpus are told once for each version of it; a file that cannot be used is no fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.corpora.corpus_languages import KnownLanguages


def test_they_are_kept_for_one_version(tmp_path: Path) -> None:
    file = tmp_path / "languages.json"
    KnownLanguages(file).note("c1", 3, {"German": 0.7, "English": 0.25})
    KnownLanguages(file).note("c2", 1, {})
    known = KnownLanguages(file)
    assert known.of("c1", 3) == {"German": 0.7, "English": 0.25}
    assert known.of("c1", 4) is None
    assert known.of("c2", 1) == {}
    assert known.of("c3", 1) is None
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"c1": 1}',
        '{"c1": {"version": 3}}',
        '{"c1": {"version": 3, "languages": ["French"]}}',
        "\udcff",
    ],
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, text: str) -> None:
    file = tmp_path / "languages.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    known = KnownLanguages(file)
    assert known.of("c1", 3) is None
    known.note("c1", 3, {"French": 1.0})
    assert known.of("c1", 3) == {"French": 1.0}


def test_a_folder_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    known = KnownLanguages(tmp_path / "nowhere" / "languages.json")
    known.note("c1", 3, {"French": 1.0})
    assert known.of("c1", 3) is None
