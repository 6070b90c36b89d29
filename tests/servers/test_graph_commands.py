"""`python -m core graph` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.knowledge.store.demo_graphs import demo_names
from tests.commands import core_here, parsed, scripted_endpoint
from tests.graphs import Place
from tests.homes import Homes
from tests.scripted import ScriptedServer

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


def test_a_new_home_lists_what_comes_with_the_app(tmp_path: Path) -> None:
    """Nothing is started for it."""
    shown = core_here(tmp_path, "graph", "list").stdout
    assert "made at its first use" in shown
    assert all(name in shown for name in demo_names())
    assert parsed(core_here(tmp_path, "graph", "list", "--json")) == {
        "graphs": [],
        "at_first_use": list(demo_names()),
    }


def test_a_graph_that_comes_with_the_app_is_made_by_the_first_query(homes: Homes) -> None:
    home, name = homes.new(), demo_names()[2]
    count = parsed(core_here(home, "graph", "query", "MATCH (n) RETURN count(n)", "--graph", name, "--json"))
    assert count["rows"] == [[171]]
    listed = parsed(core_here(home, "graph", "list", "--json"))
    assert ([graph["name"] for graph in listed["graphs"]], name in listed["at_first_use"]) == ([name], False)


def test_a_graph_alone_is_asked_and_that_is_said(home: Path, scripted: ScriptedServer) -> None:
    done = core_here(
        home, "ask", "Who acted in The Matrix?", "--strategy", "agentic", "--graph", demo_names()[2],
        **scripted_endpoint(scripted),
    )  # fmt: skip
    assert f"Graph: {demo_names()[2]} · Documents: none\n" in done.stdout
    assert "with --graph: nothing but the graph" in " ".join(core_here(home, "ask", "--help").stdout.split())


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
