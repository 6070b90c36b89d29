"""One web page by its address, fetched so that nobody can use this server to look into its own network."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Callable
from contextlib import aclosing
from urllib.parse import unquote

import httpx

from core.corpora.documents import display_name
from core.errors import DocumentError, InputError
from core.models.public_addresses import STEP_SECONDS, Resolve, public_addresses, resolve_name

Transport = Callable[[], httpx.AsyncBaseTransport]
Page = tuple[str, bytes]
"""As an uploaded file: its name, whose ending says how it is read, and its bytes."""

SECONDS = 20.0
"""Time limit for name look-ups, redirects and the page together."""
REDIRECTS = 3
_KINDS = {"text/html": ".html", "application/pdf": ".pdf", "text/plain": ".txt"}

_TEXT_CODECS = re.compile(r"utf|iso|cp|gb|big5|euc|shift|koi8|mac|tis|ascii")
"""Encodings of pages. Python knows others, such as punycode, that take very long over a large text."""
_WIDER = {"euc_kr": "cp949", "shift_jis": "cp932", "gb2312": "gb18030", "iso8859-1": "cp1252"}
"""Encodings that browsers use under these names: the larger sets that pages really use."""
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_NOT_PUBLIC = "No public server was found at this address. Check the address: only public pages can be read."
"""Also for names that do not exist: which inner names there are is nobody's business."""
_CERTIFICATE = "The server's certificate is not valid for this address. Check the address."
_UNREACHABLE = "The server cannot be reached, or broke off. Check the address, or try again later."
_INSTEAD = "Open it in a browser, save it and upload the file."
_ELSEWHERE = f"The page forwards to an address that is not a public page. {_INSTEAD}"


async def fetch_page(
    url: str,
    *,
    max_mb: int,
    resolve: Resolve = resolve_name,
    transport: Transport = httpx.AsyncHTTPTransport,
) -> Page:
    """Return a public page at an address as a user wrote it, of at most `max_mb` megabytes (2**20 bytes), for a loader.

    `resolve` finds the addresses of a name, once per name and hop, and the connection goes to its answer; `transport`
    makes a connection's transport.

    Raises:
        InputError: The address is not that of a public page.
        DocumentError: The page cannot be fetched or read.
    """
    page = httpx.URL("")
    try:
        async with asyncio.timeout(SECONDS):
            for hop in range(REDIRECTS + 1):
                try:
                    page, addresses = await _check(page, url.strip(), resolve)
                except InputError as error:
                    raise (DocumentError(_ELSEWHERE) if hop else error) from None
                reply = await _get(page, addresses, max_mb, transport)
                if isinstance(reply, tuple):
                    return reply
                url = reply
    except (TimeoutError, httpx.TimeoutException):
        raise DocumentError(f"The page did not arrive within {SECONDS:.0f} s. Try again later.") from None
    except httpx.HTTPError as error:
        wrong = "CERTIFICATE_VERIFY_FAILED" in str(error)
        raise DocumentError(_CERTIFICATE if wrong else _UNREACHABLE) from None
    raise DocumentError(f"The page forwards more than {REDIRECTS} times. Give the address it ends up at.")


async def _check(base: httpx.URL, text: str, resolve: Resolve) -> tuple[httpx.URL, list[str]]:
    """Return an address that may be asked for, and the IP addresses that may be connected to for it."""
    try:
        url = base.join(text)
    except (ValueError, httpx.InvalidURL):
        raise InputError("The page's address is not valid. Copy it from a browser.") from None
    if url.scheme not in ("http", "https"):
        raise InputError("The page's address must begin with http:// or https://.")
    if url.userinfo or url.port not in (None, 80, 443):
        raise InputError("The page's address must not hold a user name or a port other than 80 and 443.")
    host = url.raw_host.decode("ascii")
    addresses = await public_addresses(host, resolve)
    if not addresses:
        raise InputError(_NOT_PUBLIC)
    return url, addresses


async def _get(url: httpx.URL, addresses: list[str], max_mb: int, transport: Transport) -> Page | str:
    """Return the page, or where it forwards to, from the first of the checked addresses that can be reached."""
    # Connected to by number, so that a second look-up cannot lead elsewhere; the certificate is for the name.
    headers = {"Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity", "User-Agent": "RAG-Loupe"}
    timeout = httpx.Timeout(SECONDS, connect=STEP_SECONDS).as_dict()
    extensions = {"timeout": timeout, "sni_hostname": url.raw_host.decode("ascii")}
    for address in addresses:
        request = httpx.Request("GET", url.copy_with(host=address), headers=headers, extensions=extensions)
        try:
            # No client: it brings cookies, proxies, and connections checked for another name at the address.
            async with transport() as way, aclosing(await way.handle_async_request(request)) as reply:
                if reply.has_redirect_location:
                    return str(reply.headers["location"])
                return await _read(url, reply, max_mb)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if address == addresses[-1]:
                raise
    raise AssertionError("there is at least one address")


async def _read(url: httpx.URL, reply: httpx.Response, max_mb: int) -> Page:
    if reply.status_code in (404, 410):
        raise DocumentError(f"There is no page at this address (status {reply.status_code}). Check it.")
    if reply.status_code != 200:
        raise DocumentError(f"The server keeps the page back (status {reply.status_code}). {_INSTEAD}")
    kind = _KINDS.get(reply.headers.get("content-type", "").partition(";")[0].strip().lower())
    if kind is None:
        raise DocumentError("The address leads to something else than a web page, a PDF or plain text.")
    if reply.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise DocumentError(f"The server sends the page only compressed. {_INSTEAD}")  # of any size
    name = _name(url, kind)
    data = bytearray()
    async for piece in reply.aiter_raw():
        data += piece
        if len(data) > max_mb * 2**20:
            raise DocumentError(f"“{name}” is too large: at most {max_mb} MB are accepted.")
    return name, bytes(data) if kind == ".pdf" else _as_utf8(bytes(data), reply.charset_encoding)


def _name(url: httpx.URL, kind: str) -> str:
    """Return the last part of the path and the host: pages of many sites are called “index”."""
    host = url.raw_host.decode("ascii")
    last = unquote(url.raw_path.decode("ascii").partition("?")[0]).rstrip("/").rsplit("/", 1)[-1]
    stem = re.sub(r"\.(html?|pdf|txt)$", "", last, flags=re.IGNORECASE)
    return display_name(f"{display_name(stem)[:100]} ({host[:80]}){kind}" if stem else f"{host[:190]}{kind}")


def _as_utf8(data: bytes, charset: str | None) -> bytes:
    """Return text in an encoding that loaders recognise; as in browsers, the header counts more than the page."""
    try:
        codec = codecs.lookup(charset or "").name
    except (LookupError, ValueError):
        return data
    if data.startswith(_MARKS) or not _TEXT_CODECS.match(codec):
        return data
    text = data.decode(_WIDER.get(codec, codec), "replace")
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace") if text else b""
