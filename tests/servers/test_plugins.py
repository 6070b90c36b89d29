"""A package that is installed beside the app adds to it everywhere; what is broken in one is named and left out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import CORPUS
from tests.commands import WAIT_SECONDS, environment_of, scripted_endpoint
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.plugins import EXAMPLE, install
from tests.scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
LEFT_OUT = "The strategy 'broken' of the package 'broken' is left out: ModuleNotFoundError: No module named 'nowhere'."


@pytest.fixture(scope="module")
def seen(
    homes: Homes, scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The printed JSON of `places_of_a_plugin`, with the example package and a broken one installed."""
    folder = tmp_path_factory.mktemp("plugins")
    site = install(EXAMPLE, folder / "site")
    broken = folder / "broken"
    broken.mkdir()
    (broken / "broken.py").write_text("import nowhere\n", encoding="utf-8")
    point = '[project.entry-points."rag_loupe.strategies"]\nbroken = "broken:STRATEGY"\n'
    about = f'[project]\nname = "broken"\nversion = "1.0"\n{point}'
    (broken / "pyproject.toml").write_text(about, encoding="utf-8")
    install(broken, site)
    script = str(Path(__file__).parent / "places_of_a_plugin.py")
    words = ["--strategy", "long-words", "--corpus", CORPUS, "--retriever", "keyword", "--json"]
    dataset = small_data_set(folder / "small", questions=4)
    done = subprocess.run(
        [sys.executable, script, str(dataset), "ask", "Who directed A Dangerous Age?", *words],
        cwd=ROOT,
        env=environment_of(homes.indexed())
        | scripted_endpoint(scripted_server)
        | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(site)))},
        capture_output=True,
        text=True,
        timeout=4 * WAIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_its_strategy_is_listed_asked_and_evaluated_on_the_command_line(seen: dict[str, Any]) -> None:
    assert seen["listed"][-1] == "long-words"
    assert seen["asked"]["outcome"] == "finished"
    assert [item["kind"] for item in seen["asked"]["artefacts"]][:2] == ["word_choice", "ranking"]
    assert seen["evaluated"]["long-words"]["params"]["letters"] == 5


def test_its_loader_and_its_retriever_read_and_search(seen: dict[str, Any]) -> None:
    assert (seen["indexed"]["documents"], seen["indexed"]["skipped"]) == (1, [])
    (ranking,) = [item for item in seen["searched"]["artefacts"] if item["kind"] == "ranking"]
    assert (ranking["retriever"], ranking["score_name"]) == ("first-words", "words of the query")
    assert ranking["hits"][0]["passage"]["title"] == "The ferry"


def test_its_strategy_and_its_kind_are_on_the_pages_and_in_reports(seen: dict[str, Any]) -> None:
    assert "Search with the long words of the question alone" in seen["playground"]["offered"]["Long words"]
    assert "Choice of words" in seen["playground"]["run"]
    assert "Long words" in seen["compare"]["strategies"]
    assert "Long words" in seen["evaluate"]["strategies"]
    assert 'data-kind="word_choice"' in seen["report"]


def test_what_is_broken_is_named_and_left_out(seen: dict[str, Any]) -> None:
    assert "broken" not in seen["listed"]
    assert LEFT_OUT in seen["complaints"]
    assert [warning.replace("\\", "") for warning in seen["warnings"]] == [LEFT_OUT]
