"""What is filled in of an earlier run where the same or another kind of model answers."""

from __future__ import annotations

import pytest

from core.runs.workbench import Workbench
from core.settings import Settings
from core.skills.answer import ANSWER
from core.trace.events import RunStarted, now
from core.ui.forms.prefill import choice_of


@pytest.mark.parametrize("endpoint", [False, True])
def test_methods_of_a_run_are_those_of_its_kind_of_model_only(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, endpoint: bool
) -> None:
    monkeypatch.setattr(Settings, "has_chat_endpoint", endpoint)

    def filled(*, builtin: bool) -> bool:
        started = RunStarted(
            run="r", created=now(), question="q", strategy="plain", params={}, chat_model="m",
            builtin=builtin, methods={ANSWER.key: "model"},
        )  # fmt: skip
        choice = choice_of(bench, started)
        return choice is not None and bool(choice.methods)

    assert [filled(builtin=builtin) for builtin in (True, False)] == [not endpoint, endpoint]
