"""A small OpenAI-compatible server: enough to tell a right address, key and model from wrong ones."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class PlainEndpoint:
    """Knows `models`, accepts the key "right", records every key it was sent."""

    def __init__(self) -> None:
        self.models = ["first", "second"]
        self.listed: Any = None
        """In place of the list of its models."""
        self.fault = ""
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.hosts: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        """Stop listening; twice is harmless."""
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, str, Any]:
        """Status, content type and body."""
        self.paths.append(path)
        self.keys.append(key)
        if self.fault == "forward":
            return 307, "text/html", ""
        if self.fault == "html":
            return 200, "text/html", "<html>Welcome</html>"
        if self.fault == "500":
            return 500, "application/json", {"error": {"message": "broken"}}
        if self.fault == "error":
            return 200, "application/json", {"error": f"the card burns {key.removeprefix('Bearer ')}"}
        if self.fault == "whole":
            return 200, "application/json", {"choices": [{"message": {"content": "OK."}}]}
        if key != "Bearer right":
            return 401, "application/json", {"error": {"message": f"Incorrect key: {key}"}}
        if path == "/v1/models":
            listed = {"data": [{"id": name} for name in self.models]}
            return 200, "application/json", listed if self.listed is None else json.dumps(self.listed)
        if path not in ("/v1/chat/completions", "/v1/embeddings"):
            return 404, "application/json", {"detail": "Not Found"}
        if body["model"] not in self.models:
            return 404, "application/json", {"error": {"message": f"model '{body['model']}' not found"}}
        if path == "/v1/chat/completions":
            kind = "text/plain" if self.fault == "plain" else "text/event-stream"
            return 200, kind, 'data: {"choices": []}\n\n'
        texts = [] if self.fault == "short" else body["input"]
        data = [{"object": "embedding", "index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(texts)]
        return 200, "application/json", {"object": "list", "model": "m", "data": data, "usage": {}}


def _handler(endpoint: PlainEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            endpoint.hosts.append(self.headers.get("Host", ""))
            status, kind, reply = endpoint.reply(self.path, self.headers.get("Authorization", ""), body)
            content = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if status == 307:
                self.send_header("Location", f"{endpoint.url}/forwarded")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
