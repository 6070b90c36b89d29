"""The name under which a page was asked for: a server that listens to its own machine answers to its names only.

A foreign page can have its own name point to this machine once it is loaded (DNS rebinding), and would then drive the
app from the visitor's browser. It cannot change the name, and cannot add the headers of a proxy to a websocket.
Streamlit's own `server.allowedHosts` has no value that is right for one's own machine and behind a proxy alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

import psutil
import streamlit as st
from streamlit import config

from core.services.service import listening_addresses
from core.ui.shell.safe import literal

_PROXIES = ("forwarded", "x-forwarded-", "x-real-ip", "via")


def names_checked() -> bool:
    """Return True if this server answers to its machine's own names only: it listens to nothing else, and the operator
    lists no names, since Streamlit itself then refuses all others."""
    return not any(config.get_option("server.allowedHosts") or ()) and _listens_to_own_name()


def foreign_name(headers: Mapping[str, str]) -> str:
    """Return the name by which a page was asked for, by the headers of the request, if that is neither this machine's
    nor a proxy's; else empty."""
    name = _foreign(headers.get("Host", ""))
    return "" if name and any(header.lower().startswith(_PROXIES) for header in headers) else name


@lru_cache(256)  # a phone says the same every two seconds
def _foreign(host: str) -> str:
    """The name in a `Host` header; empty: there is none, or it is this machine's own or a number."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        name = ""
    return "" if not host or is_own(name) or _is_number(name) else name or "?"


def _listens_to_own_name() -> bool:
    return is_own(str(config.get_option("server.address") or ""))


def listens_to_itself() -> bool:
    """Return True if this server can be reached from its own machine only; False where that is not known."""
    if not _listens_to_own_name():
        return False
    try:  # also what is not as it was configured
        return all(is_own(address) for address in listening_addresses())
    except psutil.Error:
        return False


def check_host() -> None:
    """End the script with a sentence where the page was asked for under a foreign name."""
    if names_checked() and (name := foreign_name(st.context.headers)):
        st.error(
            f"RAG Loupe listens to this machine only, and was asked for as “{literal(name, 80)}”. Open it as "
            "http\\://localhost with its port. If the name is yours, list it in `server.allowedHosts`."
        )
        st.stop()


def is_own(name: str) -> bool:
    """Return True if a name or an address is one under which a machine reaches itself alone."""
    name = name.rstrip(".").lower()
    if _is_number(name):
        return ip_address(name).is_loopback
    return name == "localhost" or name.endswith(".localhost")


def _is_number(name: str) -> bool:
    """No page's name can point to another machine where it is no name."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
