"""How capable a model is, read off its name."""

from __future__ import annotations

import pytest

from core.models.capability import Capability, capability_of, parameters_in
from tests.cases import cases


@cases(
    ("name", "parameters", "capability"),
    [
        ("qwen2.5:0.5b", 0.5e9, "tiny"),
        ("deepseek-r1:1.5b", 1.5e9, "small"),
        ("llama3.2:1b-instruct-q4_K_M", 1e9, "small"),
        ("Phi-4 mini Instruct, 3.8B", 3.8e9, "small"),
        ("gemma3n:e4b", 4e9, "small"),
        ("meta-llama/llama-3.2-3b-instruct:free", 3e9, "small"),
        ("SmolLM2-135M-Instruct", 135e6, "tiny"),
        ("smollm2_360m", 360e6, "tiny"),
        ("Qwen2.5-7B-Instruct-1M", 7e9, "capable"),
        ("mistral-7b-instruct-v0.2.Q4", 7e9, "capable"),
        ("mixtral-8x22b", 176e9, "capable"),
        ("qwen3:30b-a3b", 30e9, "capable"),
        ("Llama-3.3-70B-4bit", 70e9, "capable"),
        ("gpt-4o-mini", None, "capable"),
        ("gemini-1.5-pro-1m", None, "capable"),
        ("granite-4.0-micro", None, "capable"),
        ("model-128k-8bit", None, "capable"),
        ("", None, "capable"),
    ],
)
def test_names_say_how_large_a_model_is(name: str, parameters: float | None, capability: Capability) -> None:
    assert parameters_in(name) == (pytest.approx(parameters) if parameters else None)
    assert capability_of(parameters_in(name)) == capability
