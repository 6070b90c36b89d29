"""A teacher's password is tried one session after the other."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pydantic import SecretStr

from core.settings import Settings
from core.ui.shell import session


def test_many_sessions_guess_no_faster_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once: list[int] = []
    waiting = 0

    def wait(_seconds: float) -> None:
        nonlocal waiting
        waiting += 1
        at_once.append(waiting)
        assert session._GUESSING.locked()
        waiting -= 1

    monkeypatch.setattr(time, "sleep", wait)
    settings = Settings(_env_file=None, teacher_password=SecretStr("right"))
    bench = cast("Any", SimpleNamespace(settings=settings))
    with ThreadPoolExecutor(8) as sessions:
        right = list(sessions.map(lambda number: session.become_teacher(bench, f"wrong {number}"), range(40)))
    assert not any(right)
    assert at_once == [1] * 40
