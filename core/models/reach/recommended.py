"""Open models that are recommended for a laptop: which file, how large, under which licence."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError


@dataclass(frozen=True)
class Recommended:
    """One file of a repository at the Hugging Face Hub, in the format that llama.cpp reads (GGUF)."""

    name: str
    """What it is called on the command line."""
    title: str
    repository: str
    """`owner/name` at the hub."""
    file: str
    bytes: int
    sha256: str
    """Of the whole file, as the hub's own listing of it says (the object id of its LFS pointer)."""
    licence: str
    """By its SPDX identifier."""
    memory: float
    """Gigabytes (10⁹) that the running model needs: its weights, a context of 8,192 tokens with 16 bits a number, and
    0.8 to work with; computed from its shape."""
    says: str
    """One sentence: for whom it is."""
    revision: str = "main"
    """The commit, where it is known; `main` with the hash gives the same file, or none."""


RECOMMENDED = tuple(
    Recommended(**model)
    for model in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["models"]
)
"""From the smallest to the largest. All of them are free to use, also commercially, and need no login."""


def recommended(name: str, among: Iterable[Recommended] = RECOMMENDED) -> Recommended:
    """The model of this name.

    Raises:
        InputError: There is none.
    """
    models = tuple(among)
    for model in models:
        if model.name == name:
            return model
    names = ", ".join(model.name for model in models)
    raise InputError(f"No model “{name[:80]}” is recommended. Those that are: {names}.")
