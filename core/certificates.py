"""The certificates that connections trust, read once per process: reading them takes longer than a short request."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def certificates(trust_env: bool = True) -> ssl.SSLContext:
    """What an httpx client is to verify with; it never changes, so all of them share it.

    Args:
        trust_env: Whether the environment may name other certificates, as `SSL_CERT_FILE`.
    """
    return httpx.create_ssl_context(trust_env=trust_env)
