"""What the sidebar is told of the local databases."""

from __future__ import annotations

from pathlib import Path

from core.runs.backends import Backends
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chroma import LOCAL_CHROMA
from core.settings import Settings


def test_local_databases_that_fail_are_told() -> None:
    home = Path("unused")
    backends = Backends(Settings(_env_file=None, rag_loupe_home=home))
    assert backends.problems() == []
    for service in (LOCAL_CHROMA, LOCAL_GRAPHS):
        backends.supervisor._slot(service).error = f"The {service.title} is broken."
    assert backends.problems() == [
        "The local vector database is broken.",
        "The local graph database is broken.",
    ]
    backends.supervisor._slot(LOCAL_GRAPHS).starting = True
    assert backends.starting() == ["local graph database"]
    configured = Backends(
        Settings(_env_file=None, rag_loupe_home=home, neo4j_uri="bolt://neo4j:7687", chroma_url="http://c:1")
    )
    configured.supervisor._slot(LOCAL_GRAPHS).error = "never looked at"
    assert (configured.problems(), configured.starting()) == ([], [])
