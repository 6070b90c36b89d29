"""The process's event loop: what goes wrong where nobody waits is logged, but for what is not wrong."""

from __future__ import annotations

import logging

import pytest

from core.jobs import event_loop, run_blocking


def reported(error: Exception) -> None:
    async def report() -> None:
        event_loop().call_exception_handler({"message": "nobody waited", "exception": error})

    run_blocking(report(), 10)


def test_only_what_is_wrong_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "asyncio"):
        reported(RuntimeError("aclose(): asynchronous generator is already running"))
        assert not caplog.records
        reported(RuntimeError("something else"))
    assert [record.message.splitlines()[0] for record in caplog.records] == ["nobody waited"]
