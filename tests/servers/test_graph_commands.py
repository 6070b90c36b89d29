"""`python -m core graph` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import core_here, parsed
from tests.graphs import Place

MOVIES = Path(__file__).parents[2] / "data" / "graphs" / "movies" / "movies.cypher"


@pytest.fixture
def home(place: Place) -> Path:
    """A home whose graph server is in use already, so that not every command has to start one."""
    return place.home


def test_import_query_list_delete(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.tsv"
    file.write_text("Ada\tknew\tBabbage\tAda knew him.\tc1\nAda\tborn in\tLondon\n", encoding="utf-8")
    imported = parsed(core_here(home, "graph", "import", str(file), "--graph", "people", "--json"))
    assert (imported["name"], imported["nodes"], imported["edges"]) == ("people", 3, 2)
    assert core_here(home, "graph", "import", str(MOVIES), "--graph", "movies").returncode == 0
    query = "MATCH (:Entity {id: 'ada'})-[r]->(b) RETURN r.rel AS rel, b.name ORDER BY rel"
    answer = parsed(core_here(home, "graph", "query", query, "--graph", "people", "--json"))
    assert answer.keys() == {"columns", "rows", "truncated", "seconds"}
    assert answer["columns"] == ["rel", "b.name"]
    assert answer["rows"] == [["born in", "London"], ["knew", "Babbage"]]
    count = core_here(home, "graph", "query", "MATCH (m:Movie) RETURN count(m) AS n", "--graph", "movies")
    assert "38" in count.stdout.split()
    listed = json.loads(core_here(home, "graph", "list", "--json").stdout)["graphs"]
    assert [
        (graph["name"], graph["native"], graph["ready"])
        for graph in listed
        if graph["name"] in ("movies", "people")
    ] == [
        ("movies", True, True),
        ("people", False, True),
    ]
    for name in ("movies", "people"):
        assert core_here(home, "graph", "delete", "--graph", name).returncode == 0
        assert f" {name}\n" not in core_here(home, "graph", "list").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("query", "RETURN 1", "--graph", "nope"), "There is no graph named “nope”"),
        (("query", "CREATE (:X)", "--graph", "nope"), "There is no graph named “nope”"),
        (("delete", "--graph", "nope"), "There is no graph named “nope”"),
        (("import", "/nowhere.tsv", "--graph", "x"), "cannot be read: No such file"),
        (("import", str(MOVIES.parent), "--graph", "x"), "cannot be read"),
        (("import", __file__, "--graph", "x"), "must end in .tsv, .jsonl or .cypher"),
        (("import", str(MOVIES), "--graph", " "), "1 to 80 characters"),
        (("query", "RETURN 1"), "--graph"),
    ],
)
def test_errors_are_one_clear_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = core_here(tmp_path, "graph", *words)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    assert done.stdout == ""
    assert not (tmp_path / "arcadedb").exists()  # no server was started for it


def test_a_write_is_refused(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.tsv"
    file.write_text("a\tb\tc\n", encoding="utf-8")
    core_here(home, "graph", "import", str(file), "--graph", "one")
    done = core_here(home, "graph", "query", "MATCH (n) DETACH DELETE n", "--graph", "one", "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Only reading is allowed, and DETACH is not reading." in done.stderr
