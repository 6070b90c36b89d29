"""A class on the projector: the address that phones open, and the drawing that shows questions and votes."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psutil
import segno
import streamlit as st

from core.classroom.store import Classroom
from core.ui.shell.assets import drawing
from core.ui.shell.host import listens_to_itself


def draw_projector(classroom: Classroom) -> None:
    """Draw a class for a projector; its browser gets the secret that shows votes and turns the pages."""
    drawing("projector")(
        data=projection(classroom, str(st.context.url or "")), key=f"projector-{classroom.id}"
    )


def projection(classroom: Classroom, url: str) -> dict[str, Any]:
    """Return what the projector's drawing needs of a class; `url` is the address of the page that shows it."""
    address = join_address(url, classroom.code)
    parts = urlsplit(address)
    return {
        "code": classroom.code,
        "key": classroom.key,
        "address": address,
        "shown": parts.netloc + parts.path.removesuffix(f"/{classroom.code}"),
        "qr": _qr(address),
        "unreachable": _unreachable(parts.hostname or "", parts.port),
    }


def join_address(url: str, code: str) -> str:
    """Return the address at which phones join; `url` is that of a page of the app, behind whatever proxy."""
    parts = urlsplit(url)
    base = parts.path.rpartition("/")[0]
    return urlunsplit((parts.scheme, parts.netloc, f"{base}/join/{code}", "", ""))


@lru_cache(maxsize=64)
def _qr(address: str) -> str:
    """Return the QR code of an address as the address of a picture."""
    picture: str = segno.make(address, error="m", micro=False).svg_data_uri(scale=8, border=3, light="#fff")
    return picture


def _unreachable(host: str, port: int | None) -> str:
    """Return a sentence where phones cannot open the address, and what to do; else empty."""
    loopback = host == "localhost" or host.endswith(".localhost") or _is_loopback(host)
    if not loopback:
        return ""
    if listens_to_itself():
        return (
            "Phones cannot reach this address: the app listens to this machine only. Start it with "
            "“make run ADDRESS=0.0.0.0”, and open it under this machine's address."
        )
    own = _own_address()
    place = f"http://{own}{f':{port}' if port else ''}" if own else "this machine's address in the network"
    return f"Phones cannot reach “{host}”. Open this page under {place} instead."


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _own_address() -> str:
    """Return an address of this machine in its network, of version 4; empty: it has none."""
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            if one.family.name == "AF_INET" and not one.address.startswith(("127.", "169.254.")):
                return str(one.address)
    return ""
