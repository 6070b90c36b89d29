"""Addresses that are public on the internet, and connections that reach no others.

Whoever has this server ask an address that they typed must not see its own network through it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import httpx

Resolve = Callable[[str], Awaitable[list[str]]]
"""All addresses of a name; none where there is no such name."""

STEP_SECONDS = 5.0
"""Longest time for a look-up or a connection."""

_NAME = re.compile(r"([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{1,62}")
"""Dots within and a letter first in the last part: 2130706433, 127.1 and 0x7f.1 are addresses in disguise."""
_INNER_NAMES = re.compile(r".*\.(localhost|local|localdomain|internal|intranet|lan|corp|private|home|arpa)")
_REFUSED = [
    ipaddress.ip_network(block)  # what `is_global` lets pass: 6to4, tunnels, documentation, clouds' services
    for block in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2001::/23", "2002::/16", "3fff::/20")
]
_GLOBAL_V6, _NAT64 = ipaddress.ip_network("2000::/3"), ipaddress.ip_network("64:ff9b::/96")
# Threads of its own: name servers that never answer must not keep searches and writes waiting.
_LOOKUPS = ThreadPoolExecutor(8, thread_name_prefix="web-names")


async def resolve_name(host: str) -> list[str]:
    """All addresses of a name, as the machine's resolver has them."""
    ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
    try:
        async with asyncio.timeout(STEP_SECONDS):
            entries = await asyncio.get_running_loop().run_in_executor(_LOOKUPS, ask)
    except (socket.gaierror, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def is_public(address: str) -> bool:
    """True if a text is an IP address that is public on the internet."""
    try:
        ip = ipaddress.ip_address("" if "%" in address else address)  # no interface of this machine
    except ValueError:
        return False
    if ip in _NAT64:  # how machines that have only IPv6 reach the rest
        ip = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    in_use = ip.version == 4 or ip in _GLOBAL_V6
    return in_use and ip.is_global and not ip.is_multicast and not any(ip in block for block in _REFUSED)


async def public_addresses(host: str, resolve: Resolve | None = None) -> list[str]:
    """The IP addresses that may be connected to for a host; none where it has none, or an address that is not public.

    The host is a name or an IP address, in ASCII, an IPv6 address without brackets; `resolve` finds a name's addresses,
    as a rule the machine's resolver.

    Raises:
        TimeoutError: The resolver does not answer.
    """
    if is_public(host):
        return [host]
    if len(host) > 253 or not _NAME.fullmatch(host) or _INNER_NAMES.fullmatch(host):
        return []
    addresses = await (resolve or resolve_name)(host)
    return addresses if all(is_public(address) for address in addresses) else []


class NotPublic(httpx.ConnectError):
    """The host has no public address."""


async def to_public_address(request: Any) -> None:
    """Have a request go to a public address of its host, checked now; for a client's request hook.

    For clients, of httpx or of what the OpenAI client brings in its place, of one host that follow no redirects and ask
    no proxy: connections are kept by address, and their certificates were checked for the host's name.

    Raises:
        NotPublic: The host has no public address, also where its name cannot be looked up.
    """
    host = request.url.raw_host.decode("ascii")
    try:
        addresses = await public_addresses(host)
    except TimeoutError:
        addresses = []
    if not addresses:
        raise NotPublic("no public address")
    # By number, so that a second look-up cannot lead elsewhere; header and certificate are for the name.
    request.url = request.url.copy_with(host=addresses[0])
    request.extensions = {**request.extensions, "sni_hostname": host}
