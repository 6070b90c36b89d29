"""The certificates that connections trust, read once per process: reading them takes longer than a short request."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def certificates(trust_env: bool = True) -> ssl.SSLContext:
    """The certificates that an httpx client verifies with; they never change, so all clients share them. With
    `trust_env`, the environment may name others, as `SSL_CERT_FILE`."""
    return httpx.create_ssl_context(trust_env=trust_env)
