"""The options of the sidebar as cookies, also those of earlier versions."""

from __future__ import annotations

import pytest

from core.ui.shell.models import BUILTIN_OPTION, TYPED, Option


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (Option("server"), "server"),
        (Option("server", "qwen3:8b"), "server:qwen3:8b"),
        (BUILTIN_OPTION, "built-in"),
        (Option("recording", "app-1f"), "recording:app-1f"),
        (Option("file", "a:b.gguf"), "file:a:b.gguf"),
    ],
)
def test_an_option_is_read_from_its_cookie(option: Option, text: str) -> None:
    assert option.to_cookie() == text
    assert Option.from_cookie(text) == option


@pytest.mark.parametrize("option", [TYPED, Option("local", "qwen3:8b", 11434)])
def test_what_only_its_session_knows_is_not_read(option: Option) -> None:
    assert Option.from_cookie(option.to_cookie()) is None


@pytest.mark.parametrize("text", ["", "never written", ":", "files:x"])
def test_a_cookie_may_hold_anything(text: str) -> None:
    assert Option.from_cookie(text) is None
