"""By what a model is known again: its name with the server that runs it, or with what is in its file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from core.models.choice import ChatChoice, builtin_answers, model_name
from core.models.endpoint import OPENAI_URL, ChatEndpoint, normalise_url
from core.settings import Settings

MOST_CHARS = 255
"""Of a name or a place; longer ones are cut."""
FILE = "file"
"""The place of models that are run from a file, whatever that is called."""
_BLOCKS, _BLOCK = 16, 2**16


@dataclass(frozen=True)
class ModelMark:
    """A model as what is known of it is kept; it holds no key and no path of an address, which may be a secret too."""

    place: str
    """Host and port of the server; or `FILE`."""
    model: str
    """Its name there, or the fingerprint of the file; empty: the first one that the server names, whichever that is."""

    @property
    def known(self) -> bool:
        """Whether it says which model is meant."""
        return bool(self.model)


def mark_of(settings: Settings, chat: ChatChoice, endpoint: ChatEndpoint | None = None) -> ModelMark | None:
    """The mark of the model that answers; None: the built-in one or a recording does, which are known.

    Args:
        settings: What the server has configured.
        chat: What was chosen.
        endpoint: What that came to, where it is known already: then the model has a name.

    Raises:
        InputError: An address is not valid.
    """
    if chat.play is not None or builtin_answers(settings, chat):
        return None
    typed = chat.endpoint.base_url if chat.endpoint else settings.openai_base_url
    address = endpoint.base_url if endpoint else normalise_url(typed or OPENAI_URL)
    model = endpoint.model if endpoint else model_name(settings, chat)
    return ModelMark(_host(address)[:MOST_CHARS], model.strip()[:MOST_CHARS])


def mark_of_file(path: Path) -> ModelMark:
    """The mark of a model that is run from a file; blocks for some milliseconds.

    Raises:
        OSError: The file cannot be read.
    """
    return ModelMark(FILE, fingerprint(path))


def fingerprint(path: Path) -> str:
    """What tells a model's file from others: SHA-256 of its size and of 16 blocks of 64 KiB, spread over it.

    The header of the format, with its template and words, is in the first ones; two trainings of one model differ in
    every block of weights. The whole file may have many gigabytes, which take half a minute to read.

    Raises:
        OSError: The file cannot be read.
    """
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for place in range(_BLOCKS):
            file.seek(max(0, size - _BLOCK) * place // (_BLOCKS - 1))
            digest.update(file.read(_BLOCK))
    return digest.hexdigest()


def _host(address: str) -> str:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.hostname}:{port}"
