"""A workbench for tests: its own home, the scripted endpoint, the real Chroma, the real built-in embeddings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.runs.workbench import Workbench
from core.settings import Settings
from tests.scripted import ScriptedServer

CORPUS = "Tests"
PASSAGES = Path(__file__).parent.parent / "data" / "2wiki_demo60" / "corpus.jsonl"


def small_corpus(folder: Path, passages: int = 40) -> Path:
    """The first passages of the Wikipedia set, as a file."""
    lines = PASSAGES.read_text(encoding="utf-8").splitlines()[:passages]
    path = folder / "corpus.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert all(json.loads(line)["text"] for line in lines)
    return path


def open_bench(home: Path, server: ScriptedServer | None = None, **settings: Any) -> Workbench:
    """A workbench whose waits are short; without a server it uses the built-in model."""
    values: dict[str, Any] = {
        "retry_base_seconds": 0.01,
        "model_timeout_seconds": 5.0,
        "rag_loupe_home": home,
    }
    if server is not None:
        values |= {
            "openai_base_url": server.base_url,
            "chat_model": "scripted",
            "openai_api_key": "the-servers-key",
        }
    return Workbench(Settings(_env_file=None, **(values | settings)))


def leave(bench: Workbench) -> None:
    """Close what it opened, graphs too, and leave the services to others or to their end."""
    bench.graphs.graphs.close()
    bench.backends.supervisor.release()
