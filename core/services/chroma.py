"""The local vector database: Chroma's own server on `home/chroma`."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

from core.services.service import Service, Serving, listening_ports


def serve(home: Path) -> Serving:
    """Serve the indexes of `home` on a free port, from a thread: the server does not hold Python's lock."""
    # A file rather than arguments, because with those Chroma writes 3 kB of traces per request.
    config = home / "services" / "chroma.config.json"
    settings = {
        "port": 0,
        "listen_address": "127.0.0.1",
        "persist_path": str(home / "chroma"),
        "allow_reset": False,
    }
    config.write_text(json.dumps(settings))
    thread = threading.Thread(target=_run, args=(config,), name="chroma", daemon=True)
    thread.start()
    return Serving(f"http://127.0.0.1:{_own_port()}", None, thread)


def has_vectors(home: Path) -> bool:
    """True if the local vector database has ever held anything; asking starts none."""
    return (home / "chroma").exists()


def _run(config: Path) -> None:
    import chromadb_rust_bindings

    try:
        chromadb_rust_bindings.cli(["chroma", "run", str(config)])
    finally:
        os._exit(1)  # a server that returned is broken, and this process is nothing without it


def _own_port() -> int:
    """The port on which this process listens, as soon as it does."""
    while not (ports := listening_ports()):
        time.sleep(0.02)
    return ports[0]


LOCAL_CHROMA = Service("chroma", "local vector database", "core.services.chroma", "/api/v2/heartbeat")
