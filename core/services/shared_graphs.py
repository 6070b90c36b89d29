"""The graph database as a server for several app processes: `python -m core.services.shared_graphs`.

It is the local one (see `arcadedb.py`), at fixed ports and with a password that the operator sets, so that graphs are
the same in every process and outlive all of them. It has no TLS: let only the app processes reach it.
"""

from __future__ import annotations

import os
import signal
import threading

from core.errors import InputError, LoupeError
from core.services.arcadedb import start
from core.settings import get_settings, make_home

HTTP_PORT, BOLT_PORT = 2480, 7687
SHORTEST = 8
"""Characters of a password that ArcadeDB takes."""


def main(host: str = "0.0.0.0", http_port: int = HTTP_PORT, bolt_port: int = BOLT_PORT) -> None:  # noqa: S104
    """Serve the graphs of `RAG_LOUPE_HOME` until the process is told to end.

    Raises:
        InputError: No password of eight characters or more is set in NEO4J_PASSWORD.
    """
    settings = get_settings()
    secret = settings.neo4j_password.get_secret_value()
    if len(secret) < SHORTEST:
        raise InputError(f"Set NEO4J_PASSWORD to a password of {SHORTEST} characters or more.")
    make_home(settings.rag_loupe_home)
    (settings.rag_loupe_home / "logs").mkdir(mode=0o700, exist_ok=True)
    ended = threading.Event()
    server = start(
        settings.rag_loupe_home, secret, host, http_port, bolt_port, os.environ.get("GRAPHS_HEAP", "1g")
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    server.stop()


if __name__ == "__main__":
    try:
        main()
    except LoupeError as error:
        raise SystemExit(str(error)) from None
