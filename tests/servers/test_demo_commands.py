"""The corpora that come with the app, at the command line: listed from the start, made ready when they are asked."""

from __future__ import annotations

from pathlib import Path

from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS
from tests.commands import core_here, parsed, scripted_endpoint
from tests.homes import Homes
from tests.scripted import ScriptedServer

KOREAN = DEMO_CORPORA[1]


def test_a_new_home_lists_them_and_nothing_is_started_for_it(tmp_path: Path) -> None:
    assert parsed(core_here(tmp_path, "corpora", "--json")) == {
        "corpora": [],
        "at_first_use": list(DEMO_CORPORA),
    }
    assert "made at its first use" in core_here(tmp_path, "corpora").stdout
    assert not (tmp_path / "chroma").exists()


def test_one_is_made_ready_when_it_is_asked(homes: Homes, scripted: ScriptedServer) -> None:
    home, words = homes.new(), ("--strategy", "plain", "--corpus", KOREAN, "--json")
    done = parsed(core_here(home, "ask", "페리 회사", *words, **scripted_endpoint(scripted)))
    assert done["outcome"] == "finished"
    assert done["context"]
    listed = parsed(core_here(home, "corpora", "--json"))
    (korean,) = listed["corpora"]
    assert (korean["name"], korean["questions"] > 0) == (KOREAN, True)
    assert DEMO_CORPUS in listed["at_first_use"]


def test_a_graph_is_built_of_one_that_was_not_there(homes: Homes, scripted: ScriptedServer) -> None:
    home, words = homes.new(), ("--corpus", KOREAN, "--graph", "Of an island", "--limit", "1", "--json")
    done = parsed(core_here(home, "graph", "build", *words, **scripted_endpoint(scripted)))
    assert done["chunks"] + len(done["failed"]) == 1
