"""The built-in model as it is trained: the weights that the app runs, dequantised, with its own tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer

from core.services.chat import shipped_weights
from research.training.packing import Encoded


def load() -> tuple[Any, Any]:
    """The model in 32 bits, and its tokenizer."""
    file = shipped_weights()
    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, attn_implementation="sdpa")
    return model.eval(), AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)


def encoded(tokenizer: Any, line: dict[str, Any]) -> Encoded:
    """A line of `examples.jsonl` in the words that the app's server puts around messages (ChatML)."""
    said = "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in line["prompt"])
    prompt = tokenizer(f"{said}<|im_start|>assistant\n", add_special_tokens=False).input_ids
    reply = tokenizer(f"{line['reply']}<|im_end|>", add_special_tokens=False).input_ids
    return Encoded(tuple(prompt), tuple(reply))


def read(file: Path) -> list[dict[str, Any]]:
    """The lines that `research.training.prepare` wrote."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
