"""A real local service that is quick: a plain HTTP server, which can be told to misbehave, and leaves soon."""

from __future__ import annotations

import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from core.services.service import Service, Serving

TINY = Service("tiny", "tiny service", "tests.unit.services.tiny_service", "/health")
POLL_SECONDS = 0.1
GRACE_SECONDS = 0.4
GO_ON = "go on"
"""File in the home folder that a slow service waits for before it serves."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()


def serve(home: Path) -> Serving:
    child = sys.modules["__main__"]  # `core.services.child`
    for name in ("POLL_SECONDS", "GRACE_SECONDS"):
        assert hasattr(child, name)
        setattr(child, name, globals()[name])
    with (home / "starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    print("noise " * 50_000, flush=True)  # more than a pipe holds
    fault = os.environ.get("TINY_FAULT")
    if fault == "crash":
        raise RuntimeError("broken on purpose")
    while fault == "slow" and not (home / GO_ON).exists():
        time.sleep(0.02)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return Serving(f"http://127.0.0.1:{server.server_port}", "a-secret-of-tiny", server)
