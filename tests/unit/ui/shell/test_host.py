"""Under which names a server that listens to its own machine answers."""

from __future__ import annotations

import pytest

from core.ui.shell.host import foreign_name
from tests.cases import cases

HERE = "127.0.0.1"


@cases(
    "host",
    ["localhost:8501", "LOCALHOST", "app.localhost:1", "127.0.0.1:8501", "[::1]:8501", "192.168.1.5:80", ""],
)
def test_own_names_and_mere_numbers_are_answered(host: str) -> None:
    assert foreign_name({"Host": host}, HERE, []) == ""


@pytest.mark.parametrize("host", ["evil.example:8501", "localhost.evil.example", "127.0.0.1.evil.example"])
def test_a_foreign_name_is_not(host: str) -> None:
    assert foreign_name({"Host": host}, HERE, []) == host.removesuffix(":8501")
    assert foreign_name({"Host": host}, "localhost", []) != ""


@cases("header", ["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"])
def test_a_proxy_may_have_any_name(header: str) -> None:
    assert foreign_name({"Host": "class.example", header: "1"}, HERE, []) == ""


def test_it_is_left_to_streamlit_where_names_are_listed_or_others_may_come() -> None:
    assert foreign_name({"Host": "class.example"}, HERE, ["class.example"]) == ""
    assert foreign_name({"Host": "class.example"}, "0.0.0.0", []) == ""
    assert foreign_name({"Host": "class.example"}, "", []) == ""
    assert foreign_name({"Host": "["}, HERE, []) == "?"
