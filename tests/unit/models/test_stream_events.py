"""The dialects of servers, as the client reads them through a real connection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import openai
import pytest
from pydantic import SecretStr

from core.models import wire
from core.models.call_failures import explain
from core.models.endpoint import ChatEndpoint
from core.models.receiver import Receiver
from core.models.structured_replies import parse
from core.skills.choose_tool import ToolRequests
from core.trace.events import ListTracer, Message, Token

pytestmark = pytest.mark.over_http

KEY = "sk-key-of-the-endpoint"
ASK = (Message(role="user", content="Why?"),)
DONE = "data: [DONE]\n\n"


class Server:
    """Sends what it is given, as it is."""

    def __init__(self) -> None:
        self.body, self.kind, self.encoding = b"", "text/event-stream", ""
        ours = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", ours.kind)
                if ours.encoding:
                    self.send_header("Content-Encoding", ours.encoding)
                self.end_headers()
                self.wfile.write(ours.body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.endpoint = ChatEndpoint(f"http://127.0.0.1:{self._http.server_port}/v1", SecretStr(KEY), "m")

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture(scope="module")
def kept_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(kept_server: Server) -> Server:
    kept_server.kind, kept_server.encoding = "text/event-stream", ""
    return kept_server


def event(answer: object, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(answer)}\n\n"


def delta(content: object, finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": {"content": content} | more, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


STOP = event(delta(None, "stop")) + DONE


async def read(server: Server, body: str | bytes, tracer: ListTracer | None = None) -> Receiver:
    server.body = body.encode() if isinstance(body, str) else body
    receiver = Receiver("call", tracer, server.endpoint.api_key)
    async for piece in wire.stream(server.endpoint, 5.0, ASK, {"max_tokens": 9}):
        receiver.take(piece)
    receiver.end()
    return receiver


@pytest.mark.parametrize(
    "body",
    [
        event(delta("Fi")) + "event: ping\ndata: {}\n\nid: 7\nretry: 3000\n\n" + event(delta("ne.")) + STOP,
        event({"type": "ping"}) + event(delta("Fine.")) + event({}, "heartbeat") + STOP,
        "data: keep-alive\n\n" + event(delta("Fine.")) + "data:\n\n" + STOP,
        event({"message": "queued"}) + event(delta("Fine.")) + STOP,
        event([]) + event({"choices": None}) + event(delta("Fine.")) + STOP,
        event(delta("Fine.")) + DONE,
        event(delta("Fine.", "")) + event(delta("", "")) + DONE,
        event(delta("Fine.")) + "data: [DONE]",
        event(delta("Fine.")) + "event: done\ndata: {}\n\n",
        event(delta("Fine.")) + event({"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}}),
        event(delta("Fine.")) + event({"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}),
        event(delta("Fine.")) + event({"choices": [{"index": 0, "finish_reason": "eos"}]}),
        event(delta("Fine.")) + event({"choices": [{"index": 0, "message": {"content": "Fine."}}]}) + DONE,
        event(delta("Fi")) + event(delta("OTHER", index=1)) + event(delta("ne.")) + STOP,
        event(delta([{"type": "text", "text": "Fi"}, {"type": "text", "text": "ne."}])) + STOP,
        event(delta({"type": "text", "text": {"value": "Fine."}})) + STOP,
        event(delta([{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, "Fine."])) + STOP,
        event(delta(None, reasoning_content="Hm.")) + event(delta("Fine.", reasoning="Hm.")) + STOP,
        event(delta(None, refusal="Fine.")) + STOP,
        (event(delta("Fine.")) + STOP).replace("\n", "\r\n"),
        "\ufeff" + event(delta("Fine.")) + STOP,
        event({"choices": [{"index": 0, "message": {"content": "Fine."}, "finish_reason": "stop"}]}) + DONE,
        json.dumps({"choices": [{"message": {"content": "Fine."}, "finish_reason": "stop"}]}),
        json.dumps({"choices": [{"message": {"content": [{"text": "Fine."}]}}]}, indent=2),
        " \n" + json.dumps({"choices": [{"text": "Fine.", "finish_reason": "stop"}]}),
    ],
)
async def test_a_whole_reply_in_any_dialect(
    server: Server, body: str, recwarn: pytest.WarningsRecorder
) -> None:
    assert (await read(server, body)).text == "Fine."
    assert not [str(one.message) for one in recwarn if "Pydantic" in str(one.message)]


async def test_a_whole_reply_keeps_its_end_its_tokens_and_its_calls(server: Server) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    calls = [call, call | {"id": "b", "function": {"name": "open", "arguments": '{"n": 1}'}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "length"}
    usage = {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
    server.kind = "application/json"
    receiver = await read(server, json.dumps({"choices": [choice], "usage": usage}))
    assert json.loads(receiver.text) == {
        "calls": [{"tool": "search", "arguments": "{}"}, {"tool": "open", "arguments": '{"n": 1}'}]
    }
    assert (receiver.finish, receiver.usage.input, receiver.usage.output) == ("length", 4, 2)


async def test_choices_of_another_index_are_not_mixed_in(server: Server) -> None:
    unmarked = {"choices": [{"delta": {"content": "c"}}]}
    both = {"choices": [delta("X", index=1)["choices"][0], delta("b")["choices"][0]]}
    body = event(delta("a")) + event(delta("Y", index=1)) + event(both) + event(unmarked) + STOP
    assert (await read(server, body)).text == "abc"


OUT = "CUDA out of memory"


@pytest.mark.parametrize(
    "body",
    [
        event({"error": OUT}),
        event({"error": {"message": OUT}}),
        event({"error": {"code": 500, "metadata": {"raw": json.dumps({"error": {"message": OUT}})}}}),
        event({"detail": OUT, "object": "error", "message": OUT}) + DONE,
        event({"detail": [{"loc": ["body"], "msg": OUT}]}),
        event({"object": "error", "message": OUT}),
        event({"type": "error", "error": {"type": "overloaded", "message": OUT}}, "error"),
        event({"errors": [{"message": OUT}]}),
        event({"choices": [], "message": OUT}) + DONE,
        event({"message": OUT, "code": 500}),
        event(delta("Half of")) + event({"error": OUT}),
        event(delta("Half of")) + event({"message": OUT}),
        f"event: error\ndata: {OUT}\n\n",
        f"data: {OUT}\n\n" + DONE,
        OUT,
        json.dumps({"error": {"message": OUT, "code": 503}}),
        json.dumps({"error": OUT}),
        json.dumps({"detail": OUT}, indent=1),
        json.dumps([{"error": {"message": OUT}}]),
    ],
)
async def test_the_words_of_an_error_are_passed_on(server: Server, body: str) -> None:
    with pytest.raises(openai.APIError) as error:
        await read(server, body)
    failure = explain(error.value, server.endpoint, 5.0)
    assert f"“{OUT}" in failure.message.replace("body: ", "")


@pytest.mark.parametrize(
    "body", ["<html>Welcome</html>", "", DONE, "data: {}\n\n", '{"a": ', "data: {\n\n", "{}"]
)
async def test_what_is_no_reply_is_none(server: Server, body: str) -> None:
    with pytest.raises(Exception) as error:  # whatever it is, it is explained
        await read(server, body)
    assert (
        "does not answer like an OpenAI-compatible endpoint"
        in explain(error.value, server.endpoint, 5.0).message
    )


async def test_a_stream_that_just_ends_is_broken(server: Server) -> None:
    with pytest.raises(Exception) as error:
        await read(server, event(delta("Half of")))
    assert explain(error.value, server.endpoint, 5.0).kind == "connection cut"


async def test_halves_of_a_character_are_put_together_and_lone_ones_replaced(server: Server) -> None:
    tracer = ListTracer()
    body = "".join(event(delta(text)) for text in ("A ", "\ud83d", "\ude00", " b\ude00", "c")) + STOP
    receiver = await read(server, body, tracer)
    assert receiver.text == "A 😀 b\ufffdc"
    shown = [one for one in tracer.events if isinstance(one, Token)]
    assert "".join(one.text for one in shown) == receiver.text
    assert all(one.model_dump_json() for one in shown)


def test_half_a_character_in_the_arguments_of_a_call_is_replaced() -> None:
    calls = json.dumps({"calls": [{"tool": "search", "arguments": json.dumps({"query": "a \ud83d"})}]})
    assert parse(calls, ToolRequests).calls[0].arguments == {"query": "a \ufffd"}


async def test_the_key_is_in_no_reply_and_no_piece_of_one(server: Server) -> None:
    tracer = ListTracer()
    pieces = ("Your key is sk-key", "-of-the-", "endpoint", ", and sk-k", " is none.")
    receiver = await read(server, "".join(map(event, map(delta, pieces))) + STOP, tracer)
    assert receiver.text == "Your key is •••, and sk-k is none."
    shown = "".join(one.text for one in tracer.events if isinstance(one, Token))
    assert shown == receiver.text
    with pytest.raises(openai.APIError) as error:
        await read(server, event({"error": f"Wrong key {KEY}"}))
    assert KEY not in explain(error.value, server.endpoint, 5.0).message
