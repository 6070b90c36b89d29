"""Open models that are recommended for a laptop: which file, how large, under which licence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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


RECOMMENDED = (
    Recommended(
        name="qwen3-0.6b",
        title="Qwen3 0.6B",
        repository="Qwen/Qwen3-0.6B-GGUF",
        file="Qwen3-0.6B-Q8_0.gguf",
        revision="23749fefcc72300e3a2ad315e1317431b06b590a",
        bytes=639_446_688,
        sha256="9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        licence="Apache-2.0",
        memory=2.4,
        says="The smallest one, for a machine with 4 GB of memory; it thinks before it answers.",
    ),
    Recommended(
        name="qwen2.5-1.5b",
        title="Qwen2.5 1.5B Instruct",
        repository="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        revision="91cad51170dc346986eccefdc2dd33a9da36ead9",
        bytes=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence="Apache-2.0",
        memory=2.2,
        says="Quick on any laptop; knows many languages.",
    ),
    Recommended(
        name="granite-4.0-micro",
        title="Granite 4.0 Micro, 3B",
        repository="ibm-granite/granite-4.0-micro-GGUF",
        file="granite-4.0-micro-Q4_K_M.gguf",
        revision="ec48475f0c811d812fbfb61975717a9c36eeb652",
        bytes=2_099_502_528,
        sha256="97c417dcc0534b0737c74016fb2af083cb17c3b51eaac621192d23961b7024eb",
        licence="Apache-2.0",
        memory=3.6,
        says="Made for answering from documents and for calling tools; 8 GB of memory.",
    ),
    Recommended(
        name="qwen3-4b",
        title="Qwen3 4B Instruct (2507)",
        repository="unsloth/Qwen3-4B-Instruct-2507-GGUF",
        file="Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        bytes=2_497_281_120,
        sha256="3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597",
        licence="Apache-2.0",
        memory=4.5,
        says="Does not think before it answers, and knows many languages; 8 GB of memory.",
    ),
    Recommended(
        name="phi-4-mini",
        title="Phi-4 mini Instruct, 3.8B",
        repository="unsloth/Phi-4-mini-instruct-GGUF",
        file="Phi-4-mini-instruct-Q4_K_M.gguf",
        bytes=2_491_874_272,
        sha256="88c00229914083cd112853aab84ed51b87bdf6b9ce42f532d8c85c7c63b1730a",
        licence="MIT",
        memory=4.4,
        says="From another maker than the ones above, for comparison; 8 GB of memory.",
    ),
    Recommended(
        name="qwen2.5-7b",
        title="Qwen2.5 7B Instruct",
        repository="bartowski/Qwen2.5-7B-Instruct-GGUF",
        file="Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        revision="8911e8a47f92bac19d6f5c64a2e2095bd2f7d031",
        bytes=4_683_074_240,
        sha256="65b8fcd92af6b4fefa935c625d1ac27ea29dcb6ee14589c55a8f115ceaaa1423",
        licence="Apache-2.0",
        memory=6.0,
        says="The largest one here, and the slowest; 16 GB of memory.",
    ),
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
