"""A reranker behind `/v1/rerank` that counts shared words, with the shapes and faults of real ones."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Reranker:
    """Accepts the key "right", or none; records every request."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self.reset()

    def reset(self) -> None:
        """As new."""
        self.shape, self.fault, self.faulty = "", "", 99
        self.go_on = threading.Event()
        """Ends the silence of the fault “silent”."""
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []

    def close(self) -> None:
        """Stop listening; twice is harmless."""
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and body."""
        self.paths.append(path)
        self.keys.append(key)
        self.bodies.append(body)
        if self.fault == "silent":
            self.go_on.wait(60)
        elif self.fault and len(self.bodies) <= self.faulty:
            return self._failed(body)
        if key not in ("", "Bearer right"):
            return 401, {"detail": f"Invalid key {key}"}
        if path not in ("/v1/rerank", "/rerank"):
            return 404, {"detail": "Not Found"}
        if self.shape == "tei" and "texts" not in body:
            return 422, {"error": "missing field `texts`"}
        query_words = set(body["query"].lower().split())
        scored = [
            (place, float(len(query_words & set(text.lower().split()))))
            for place, text in enumerate(body.get("texts") or body["documents"])
        ]
        if self.shape == "tei":
            return 200, [{"index": place, "score": score} for place, score in _best(scored)]
        if self.shape == "data":
            return 200, {
                "data": [{"index": place, "relevance_score": score} for place, score in _best(scored)]
            }
        rows = [{"index": place, "relevance_score": score} for place, score in scored]
        return 200, {"model": body.get("model"), "results": rows}

    def _failed(self, body: dict[str, Any]) -> tuple[int, Any]:
        rows = [{"index": place, "relevance_score": 0.5} for place in range(len(body["documents"]))]
        twice = [{"index": 0, "relevance_score": 0.5}] * len(rows)
        return {
            "500": (500, {"error": {"message": "input is too large to process"}}),
            "429": (429, {"message": "slow down"}),
            "404": (404, {"error": "model not found"}),
            "400": (400, {"message": "documents is too long, said Bearer right"}),
            "forward": (307, {}),
            "html": (200, "<html>Welcome</html>"),
            "words": (200, {"results": "none"}),
            "few": (200, {"results": rows[:1]}),
            "beyond": (200, {"results": [*rows[:-1], {"index": len(rows), "relevance_score": 0.5}]}),
            "twice": (200, {"results": twice}),
            "nan": (200, '{"results": [' + ", ".join(_NAN % place for place in range(len(rows))) + "]}"),
            "huge": (200, {"results": [row | {"relevance_score": 10**400} for row in rows]}),
            "deep": (200, "[" * 100_000),
            "null": (200, {"results": [row | {"relevance_score": None} for row in rows]}),
        }[self.fault]


_NAN = '{"index": %d, "relevance_score": NaN}'


def _best(scored: list[tuple[int, float]]) -> list[tuple[int, float]]:
    return sorted(scored, key=lambda pair: -pair[1])


def _handler(reranker: Reranker) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, reply = reranker.reply(self.path, self.headers.get("Authorization", ""), body)
            content = (reply if isinstance(reply, str) else json.dumps(reply)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if status == 307:
                self.send_header("Location", f"{reranker.url}/elsewhere")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
