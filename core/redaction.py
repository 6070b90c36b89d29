"""Texts without secrets: those that this process works with, and what stands where secrets usually do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import quote, unquote, urlsplit
from weakref import WeakValueDictionary

from pydantic import BaseModel, SecretStr

HIDDEN = "•••"
SHORTEST_SECRET = 4
"""Characters; nothing shorter is a secret worth hiding, and hiding it would garble the text."""
_WATCHED: WeakValueDictionary[int, SecretStr] = WeakValueDictionary()
"""Secrets by their identity, held only as long as somebody else holds them."""
_LOOKS_SECRET = re.compile(
    r"(?<=Bearer )[^\s'\"]+"
    r"|(?<=://)[^\s/@'\"]+(?=@)"  # user and password of an address
    r"|\bsk-[\w-]{8,}"
)


def watch(secret: SecretStr) -> None:
    """Hide a secret in texts from now on, as long as something holds it."""
    _WATCHED[id(secret)] = secret


def watch_all(settings: BaseModel) -> None:
    """Hide every secret among the fields of a model."""
    for value in vars(settings).values():
        if isinstance(value, SecretStr):
            watch(value)


def redact(text: str) -> str:
    """A text in which the watched secrets, and what looks like one, are replaced."""
    return _LOOKS_SECRET.sub(HIDDEN, without(text, list(_WATCHED.values())))


def without(text: str, secrets: Iterable[SecretStr]) -> str:
    """A text in which these secrets are replaced, also where they are written as a part of an address."""
    forms = {form for secret in secrets for form in _forms(secret.get_secret_value())}
    for form in sorted(forms, key=len, reverse=True):  # one may be a part of another
        text = text.replace(form, HIDDEN)
    return text


def beginning_of_secret(text: str, secrets: Iterable[SecretStr]) -> int:
    """How many characters at the end of a text may begin one of these secrets: the rest of it may follow."""
    forms = {form for secret in secrets for form in _forms(secret.get_secret_value())}
    ends = (
        size
        for form in forms
        for size in range(min(len(form) - 1, len(text)), 0, -1)
        if text.endswith(form[:size])
    )
    return max(ends, default=0)


def _forms(secret: str) -> list[str]:
    """How texts may write a secret; where it is the address of a database, also the password in it."""
    plain = [secret]
    if "://" in secret:
        with suppress(ValueError):  # no address after all
            plain.append(unquote(urlsplit(secret).password or ""))
    forms = [form for value in plain for form in (value, quote(value, safe=""))]
    return [form for form in forms if len(form) >= SHORTEST_SECRET]
