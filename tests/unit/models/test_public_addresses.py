"""Endpoints typed in the browser that must be public: no request leaves for any other address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import openai
import pytest
from pydantic import SecretStr

from core.errors import InputError, ModelError
from core.models import public_addresses
from core.models.call_failures import explain
from core.models.chat_models import EndpointModel
from core.models.endpoint import ChatEndpoint, from_browser, probe, typed_endpoints
from core.models.host import ModelHost
from core.models.public_addresses import to_public_address
from core.models.wire import stream
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.events import Message
from core.users import NotAllowed, User
from tests.cases import cases
from tests.unit.models.plain_endpoint import PlainEndpoint

PUBLIC = "93.184.216.34"
ME, TEACHER = User("a" * 32), User("b" * 32, teacher=True)
ASKED = [Message(role="user", content="Say OK.")]


@pytest.fixture
def endpoint() -> Iterator[PlainEndpoint]:
    server = PlainEndpoint()
    yield server
    server.stop()


def names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """What the resolver says, one after the other; the last is repeated."""
    left = list(answers)

    async def resolve(_: str) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    monkeypatch.setattr(public_addresses, "resolve_name", resolve)


def typed(url: str, model: str = "second", key: str = "right") -> ChatEndpoint:
    return ChatEndpoint(url, SecretStr(key), model, public=True)


@cases(
    ("setting", "password", "by", "expected"),
    [
        ("", "", ME, "any"),
        ("", "", TEACHER, "any"),
        ("", "right", ME, "public"),
        ("", "right", TEACHER, "any"),
        ("any", "right", ME, "any"),
        ("none", "right", ME, "none"),
        ("none", "right", TEACHER, "any"),
        ("none", "", TEACHER, "none"),  # without a password everybody is the teacher
        ("public", "", TEACHER, "public"),
    ],
)
def test_what_may_be_typed(setting: str, password: str, by: User, expected: str) -> None:
    settings = Settings.model_validate({"browser_endpoints": setting, "teacher_password": password})
    assert typed_endpoints(settings, by) == expected
    plain = ChatEndpoint("http://localhost/v1", SecretStr(""), "m")
    if expected == "none":
        with pytest.raises(NotAllowed, match="only the teacher"):
            from_browser(settings, plain, by)
    else:
        assert from_browser(settings, plain, by).public is (expected == "public")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]", "inner.lan", "host"]
)
@pytest.mark.parametrize("model", ["second", ""])
async def test_this_machine_is_not_asked_under_any_name(
    endpoint: PlainEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, model: str
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    url = endpoint.url.replace("127.0.0.1", host)
    with pytest.raises(InputError, match="on the public internet"):
        await EndpointModel(typed(url, model)).open(ModelHost(Settings(), Supervisor(tmp_path)))
    with pytest.raises(ModelError, match="cannot be reached"):
        await probe(typed(url))
    with pytest.raises(openai.APIConnectionError):
        async for _ in stream(typed(url), 5.0, ASKED, {}):
            pass
    assert endpoint.paths == []


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "[fe80::1]", "[fd00::1]"]
)
async def test_inner_networks_are_not_asked(tmp_path: Path, address: str) -> None:
    with pytest.raises(InputError, match="on the public internet"):
        await EndpointModel(typed(f"http://{address}:8000/v1")).open(
            ModelHost(Settings(), Supervisor(tmp_path))
        )


async def test_a_name_that_leads_elsewhere_later_leads_nowhere(
    endpoint: PlainEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(monkeypatch, [PUBLIC], ["127.0.0.1"])
    url = endpoint.url.replace("127.0.0.1", "rebound.example.com")
    found = await EndpointModel(typed(url)).open(ModelHost(Settings(), Supervisor(tmp_path)))
    assert found.public
    with pytest.raises(openai.APIConnectionError):
        async for _ in stream(found, 5.0, ASKED, {}):
            pass
    names(monkeypatch, [PUBLIC, "127.0.0.1"])
    with pytest.raises(InputError):
        await EndpointModel(typed(url)).open(ModelHost(Settings(), Supervisor(tmp_path)))
    assert endpoint.paths == []


async def test_the_connection_goes_to_the_address_that_was_checked(
    endpoint: PlainEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plain endpoint stands for the public server: what counts as public is what it listens on, and that alone."""
    names(monkeypatch, ["127.0.0.1"])
    monkeypatch.setattr(public_addresses, "is_public", lambda address: address == "127.0.0.1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    port = endpoint.url.rpartition(":")[2].removesuffix("/v1")
    found = await EndpointModel(typed(f"http://api.example.com:{port}", "")).open(
        ModelHost(Settings(), Supervisor(tmp_path))
    )
    assert found.model == "first"
    await probe(found)
    with pytest.raises(ModelError, match="does not know the model"):
        await probe(typed(found.base_url, "third"))
    async for _ in stream(found, 5.0, ASKED, {}):
        pass
    assert endpoint.paths == ["/v1/models", *["/v1/chat/completions"] * 3]
    assert set(endpoint.hosts) == {f"api.example.com:{port}"}


async def test_a_certificate_is_that_of_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, [PUBLIC])
    request = httpx.Request("POST", "https://api.example.com:8443/v1/chat/completions")
    await to_public_address(request)
    assert str(request.url) == f"https://{PUBLIC}:8443/v1/chat/completions"
    assert request.extensions["sni_hostname"] == "api.example.com"
    assert request.headers["host"] == "api.example.com:8443"


async def test_a_server_that_forwards_is_not_followed(
    endpoint: PlainEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(monkeypatch, ["127.0.0.1"])
    monkeypatch.setattr(public_addresses, "is_public", lambda address: address == "127.0.0.1")
    endpoint.fault = "forward"
    url = endpoint.url.replace("127.0.0.1", "api.example.com")
    with pytest.raises(ModelError, match="does not answer like"):
        await probe(typed(url))
    with pytest.raises(openai.APIStatusError):
        async for _ in stream(typed(url), 5.0, ASKED, {}):
            pass
    assert endpoint.paths == ["/v1/chat/completions"] * 2


async def test_what_a_run_says_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, ["10.0.0.1"])
    with pytest.raises(openai.APIConnectionError) as caught:
        async for _ in stream(typed("http://api.example.com/v1"), 5.0, ASKED, {}):
            pass
    failure = explain(caught.value, typed("http://api.example.com/v1"), 5.0)
    assert (failure.kind, failure.message) == (
        "unreachable",
        "The endpoint http://api.example.com/v1 cannot be reached.",
    )
