"""By what a model is known again: its name with the server that runs it, or what is in its file."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from core.models.choice import ChatChoice, builtin_answers, file_chosen, model_name
from core.models.endpoint import OPENAI_URL, ChatEndpoint, normalise_url
from core.models.reach.files import find_file
from core.settings import Settings

MOST_CHARS = 255
"""Of a name or a place; longer ones are cut."""
FILE = "file"
"""The place of models that are run from a file, whatever that is called."""


@dataclass(frozen=True)
class ModelMark:
    """A model as what is known of it is kept; it holds no key and no path of an address, which may be a secret too."""

    place: str
    """Host and port of the server; or `FILE`."""
    model: str
    """Its name there, or the fingerprint of the file; empty: which one it is is not known."""

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
        InputError: An address is not valid, or the file is no longer there.
    """
    if chat.play is not None or builtin_answers(settings, chat):
        return None
    if name := file_chosen(settings, chat):
        header = find_file(settings, name).header
        return ModelMark(FILE, header.fingerprint if header else "")
    typed = chat.endpoint.base_url if chat.endpoint else settings.openai_base_url
    address = endpoint.base_url if endpoint else normalise_url(typed or OPENAI_URL)
    model = endpoint.model if endpoint else model_name(settings, chat)
    return ModelMark(_host(address)[:MOST_CHARS], model.strip()[:MOST_CHARS])


def _host(address: str) -> str:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.hostname}:{port}"
