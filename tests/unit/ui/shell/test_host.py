"""Under which names a server that listens to its own machine answers."""

from __future__ import annotations

import pytest
from streamlit import config

from core.ui.shell.host import foreign_name, names_checked
from tests.cases import cases


def asked(headers: dict[str, str], address: str = "127.0.0.1", allowed: tuple[str, ...] = ()) -> str:
    """The foreign name by which a server with these options was asked."""
    options = {"server.address": address, "server.allowedHosts": list(allowed)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "get_option", options.__getitem__)
        return foreign_name(headers) if names_checked() else ""


@cases(
    "host",
    ["localhost:8501", "LOCALHOST", "app.localhost:1", "127.0.0.1:8501", "[::1]:8501", "192.168.1.5:80", ""],
)
def test_own_names_and_mere_numbers_are_answered(host: str) -> None:
    assert asked({"Host": host}) == ""


@pytest.mark.parametrize("host", ["evil.example:8501", "localhost.evil.example", "127.0.0.1.evil.example"])
def test_a_foreign_name_is_not(host: str) -> None:
    assert asked({"Host": host}) == host.removesuffix(":8501")
    assert asked({"Host": host}, "localhost") != ""


@cases("header", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"])
def test_a_proxy_may_have_any_name(header: str) -> None:
    assert asked({"Host": "class.example", header: "1"}) == ""


def test_it_is_left_to_streamlit_where_names_are_listed_or_others_may_come() -> None:
    assert asked({"Host": "class.example"}, allowed=("class.example",)) == ""
    assert asked({"Host": "class.example"}, "0.0.0.0") == ""
    assert asked({"Host": "class.example"}, "") == ""
    assert asked({"Host": "["}) == "?"
