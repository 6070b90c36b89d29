"""A real local service that is quick: a plain HTTP server, which can be told to misbehave."""

from __future__ import annotations

import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from core.services.service import Service, Serving

TINY = Service("tiny", "tiny service", "tests.unit.services.tiny_service", "/health")


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()


def serve(home: Path) -> Serving:
    with (home / "starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    print("noise " * 50_000, flush=True)  # more than a pipe holds
    fault = os.environ.get("TINY_FAULT")
    if fault == "crash":
        raise RuntimeError("broken on purpose")
    if fault == "slow":
        time.sleep(4)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return Serving(f"http://127.0.0.1:{server.server_port}", "a-secret-of-tiny", server)
