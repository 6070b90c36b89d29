"""Which endpoint answers, and what a wrong one is told; over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import InputError, LoupeError, ModelError
from core.models.chat_models import CONFIGURED, EndpointModel
from core.models.endpoint import (
    NO_KEY,
    OPENAI_URL,
    ChatEndpoint,
    is_loopback,
    normalise_url,
    probe,
)
from core.models.host import ModelHost
from core.services.supervisor import Supervisor
from core.settings import Settings
from tests.cases import cases
from tests.unit.models.plain_endpoint import PlainEndpoint


@pytest.fixture
def endpoint() -> Iterator[PlainEndpoint]:
    server = PlainEndpoint()
    yield server
    server.stop()


def settings_with(base_url: str = "", key: str = "", model: str = "") -> Settings:
    return Settings(openai_base_url=base_url, openai_api_key=SecretStr(key), chat_model=model)


@cases(
    ("written", "meant"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        (" http://localhost:11434/ ", "http://localhost:11434/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://gateway.example/openai/api", "https://gateway.example/openai/api"),
        ("https://gateway.example/v1/chat/completions", "https://gateway.example/v1"),
        ("http://localhost:1234/v1/embeddings/", "http://localhost:1234/v1"),
        ("http://localhost:1234/completions", "http://localhost:1234/v1"),
        ("https://gateway.example/completions-of/v1", "https://gateway.example/completions-of/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
        ("http://my_host:8000", "http://my_host:8000/v1"),
        ("http://münchen.example", "http://münchen.example/v1"),
    ],
)
def test_addresses_as_people_write_them(written: str, meant: str) -> None:
    assert normalise_url(written) == meant


@cases(
    "written",
    [
        "",
        "localhost:11434",
        "ftp://host/v1",
        "http://",
        "http:///v1",
        "http://host:port",
        "http://a b/v1",
        "https://user:pa55@host/v1",
        "https://host/v1?key=pa55",
        "https://host/v1#pa55",
        "http://münchen_.x",
        "http://[v1.a]/v1",
        "http://xn--a/v1",
        "http://a..b/v1",
        f"http://{'a' * 64}/v1",
        "http://host/\x01",
        "http://host/\ud800",
    ],
)
def test_wrong_addresses_are_refused_without_repeating_them(written: str) -> None:
    with pytest.raises(InputError, match="address") as failure:
        normalise_url(written)
    assert "pa55" not in str(failure.value)


@cases(
    ("url", "expected"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.2/v1", True),
        ("http://[::1]/v1", True),
        ("http://localhost.example.com", False),
        ("http://10.0.0.1", False),
    ],
)
def test_loopback(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected


async def test_configured_model_alone_is_openais(tmp_path: Path) -> None:
    found = await CONFIGURED.open(ModelHost(settings_with(key="k", model="some-model"), Supervisor(tmp_path)))
    assert found == ChatEndpoint(OPENAI_URL, SecretStr("k"), "some-model", builtin=False)


async def test_configured_address_alone_takes_its_first_model(
    endpoint: PlainEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # must not be asked for loopback
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    found = await CONFIGURED.open(ModelHost(settings_with(endpoint.url, "right"), Supervisor(tmp_path)))
    assert found.model == "first"
    await probe(found)


async def test_endpoint_without_models_must_be_told_one(endpoint: PlainEndpoint, tmp_path: Path) -> None:
    endpoint.models = []
    with pytest.raises(ModelError, match="CHAT_MODEL"):
        await CONFIGURED.open(ModelHost(settings_with(endpoint.url, "right"), Supervisor(tmp_path)))


async def test_a_web_page_is_no_list_of_models(endpoint: PlainEndpoint, tmp_path: Path) -> None:
    endpoint.fault = "html"
    with pytest.raises(ModelError, match="Many addresses end in /v1"):
        await CONFIGURED.open(ModelHost(settings_with(endpoint.url, "right"), Supervisor(tmp_path)))


@pytest.mark.parametrize(
    ("listed", "first"),
    [
        ([{"id": "a"}], "a"),
        (["a", "b"], "a"),
        ({"models": [{"name": "a"}]}, "a"),
        ({"data": None}, ""),
        ({"detail": "the card burns"}, "which models it has: “the card burns”. Name one"),
        ("no list", "which models it has: “no list”. Name one"),
    ],
)
async def test_models_are_listed_in_several_forms(
    endpoint: PlainEndpoint, tmp_path: Path, listed: Any, first: str
) -> None:
    endpoint.listed = listed
    if first == "a":
        found = await CONFIGURED.open(ModelHost(settings_with(endpoint.url, "right"), Supervisor(tmp_path)))
        assert found.model == "a"
    else:
        with pytest.raises(ModelError) as failure:
            await CONFIGURED.open(ModelHost(settings_with(endpoint.url, "right"), Supervisor(tmp_path)))
        assert (first or "does not say which models it has. Name one") in str(failure.value)


async def test_override_wins_and_never_gets_the_servers_key(endpoint: PlainEndpoint, tmp_path: Path) -> None:
    configured = settings_with("https://configured.example/v1", "server-key", "theirs")
    override = ChatEndpoint(endpoint.url + "/", SecretStr(""), "second")
    found = await EndpointModel(override).open(ModelHost(configured, Supervisor(tmp_path)))
    assert found == ChatEndpoint(endpoint.url, NO_KEY, "second")
    with pytest.raises(ModelError, match="wants a key, and none was given"):
        await EndpointModel(ChatEndpoint(endpoint.url, SecretStr(""), "")).open(
            ModelHost(configured, Supervisor(tmp_path))
        )
    assert endpoint.keys == ["Bearer none"]


async def test_empty_override_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="address"):
        await EndpointModel(ChatEndpoint("", SecretStr("k"), " ")).open(
            ModelHost(settings_with(), Supervisor(tmp_path))
        )


async def test_a_pasted_key_loses_the_blanks_around_it(endpoint: PlainEndpoint, tmp_path: Path) -> None:
    override = ChatEndpoint(endpoint.url, SecretStr(" right\r\n"), "")
    found = await EndpointModel(override).open(ModelHost(settings_with(), Supervisor(tmp_path)))
    assert found.api_key == SecretStr("right")
    await probe(found)


@pytest.mark.parametrize("key", ["sk-…abcd", "sk-••••abcd", "sk-\nabcd", "schlüssel-abcd"])
async def test_a_key_that_no_header_carries_is_refused_without_repeating_it(
    endpoint: PlainEndpoint, tmp_path: Path, key: str
) -> None:
    with pytest.raises(InputError, match="whole key") as failure:
        await EndpointModel(ChatEndpoint(endpoint.url, SecretStr(key), "m")).open(
            ModelHost(settings_with(), Supervisor(tmp_path))
        )
    assert "abcd" not in str(failure.value)
    assert endpoint.paths == []


async def test_probe_accepts_a_working_endpoint(endpoint: PlainEndpoint) -> None:
    await probe(ChatEndpoint(endpoint.url, SecretStr("right"), "second"))
    assert endpoint.paths == ["/v1/chat/completions"]
    endpoint.fault = "plain"
    await probe(ChatEndpoint(endpoint.url, SecretStr("right"), "second"))
    endpoint.fault = "whole"
    await probe(ChatEndpoint(endpoint.url, SecretStr("right"), "second"))


@pytest.mark.parametrize(
    ("fault", "path", "key", "model", "message"),
    [
        ("", "", "wrong", "first", "refused the key"),
        ("", "", "right", "third", "does not know the model “third”"),
        ("", "/deeper", "right", "first", "does not answer like an OpenAI-compatible endpoint"),
        ("html", "", "right", "first", "does not answer like an OpenAI-compatible endpoint"),
        ("500", "", "right", "first", "status 500: “broken”. Try again"),
        ("error", "", "right", "first", "failed: “the card burns •••”"),
        ("down", "", "right", "first", "cannot be reached"),
    ],
)
async def test_probe_tells_what_is_wrong(
    endpoint: PlainEndpoint, fault: str, path: str, key: str, model: str, message: str
) -> None:
    endpoint.fault = fault
    if fault == "down":
        endpoint.stop()
    with pytest.raises(ModelError, match=message) as failure:
        await probe(ChatEndpoint(endpoint.url + path, SecretStr(key), model))
    assert isinstance(failure.value, LoupeError)
    assert not {"right", "wrong"} & set(str(failure.value).split())


def test_endpoint_hides_its_key() -> None:
    assert "sesame" not in repr(ChatEndpoint("http://h/v1", SecretStr("sesame"), "m"))
