"""Web pages by their address: what is refused, where the connection goes, and what arrives."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.certificates import certificates
from core.corpora import webpage
from core.corpora.loaders import load
from core.corpora.webpage import fetch_page
from core.errors import DocumentError, InputError, LoupeError
from core.models import public_addresses
from core.models.public_addresses import is_public, resolve_name
from core.settings import Settings
from tests.cases import cases

PUBLIC, OTHER_PUBLIC, SILENT = "93.184.216.34", "2606:4700::6810:84e5", "93.184.216.35"
Reply = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A real server on this machine, which stands for every public address; the guard stays as it is."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {"site.example.com": [[PUBLIC]]}
        """A name's answers, one after the other; the last is repeated."""
        self.pages: dict[str, Reply] = {}
        self.asked: list[str] = []
        self.connected: list[str] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.trusted: ssl.SSLContext | None = None
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                site.pages[self.path](self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    async def resolve(self, host: str) -> list[str]:
        self.asked.append(host)
        answers = self.names.get(host, [[]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def transport(self) -> httpx.AsyncBaseTransport:
        site = self

        class ToSite(httpx.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                site.connected.append(request.url.host)
                if request.url.host == SILENT:
                    raise httpx.ConnectError("no route")
                request.url = request.url.copy_with(host="127.0.0.1", port=site.server.server_port)
                return await super().handle_async_request(request)

        return ToSite(verify=self.trusted or certificates())

    async def fetch(self, url: str, max_mb: int = 1) -> tuple[str, bytes]:
        return await fetch_page(url, max_mb=max_mb, resolve=self.resolve, transport=self.transport)

    async def refusal(self, url: str, max_mb: int = 1) -> str:
        with pytest.raises(LoupeError) as caught:
            await self.fetch(url, max_mb)
        assert not any(number in str(caught.value) for number in ("127.", "10.0", "169.254", "::"))
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        return str(caught.value)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.server.shutdown()
    site.server.server_close()


def page(
    body: bytes = b"<p>Hello</p>", kind: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def forward(to: str, **headers: str) -> Reply:
    return page(b"", status=302, Location=to, **headers)


REFUSED_ADDRESSES = [
    *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.0.9", "192.0.0.192", "198.18.0.1"),
    *("192.88.99.1", "168.63.129.16", "203.0.113.5"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1"),
    *("ff02::1", "ff0e::1", "2001:db8::1", "3fff::1", "2001::1", "100::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::ffff:0:7f00:1", "::7f00:1"),
    *("2002:7f00:1::", "2002:a00:1::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1"),
    *("", "localhost", "2130706433", "0177.0.0.1", "127.1"),
]


@cases("address", REFUSED_ADDRESSES)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, OTHER_PUBLIC, "8.8.8.8", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", [address for address in REFUSED_ADDRESSES if address])
async def test_a_refused_address_is_refused_written_out_and_as_an_answer(site: Site, address: str) -> None:
    site.names["inner.example.com"] = [[PUBLIC, address]]
    host = f"[{address}]" if ":" in address else address
    assert await site.refusal("http://inner.example.com/") == await site.refusal(
        "http://nowhere.example.com/"
    )
    await site.refusal(f"http://{host}/")
    assert site.connected == []


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST", "a.localhost", "printer.local", "x.internal", "metadata.google.internal"),
        *("db.lan", "router.home.arpa", "intranet", "localhost.", "site.example.com.", "127.0.0.1."),
        *("2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0"),
        *(
            "127。0。0。1",
            "１２７.0.0.1",
            "%31%32%37.0.0.1",
            "ⓛocalhost",
            "a..b.com",
            "-",
            "",
            "exa mple.com",
        ),
        *("[::1]", "[::ffff:7f00:1]", "[fe80::1%25eth0]", "[v1.a]", "a" * 64 + ".com", "a." * 130 + "com"),
    ],
)
async def test_hosts_that_are_never_looked_up(site: Site, host: str) -> None:
    await site.refusal(f"http://{host}/")
    assert (site.asked, site.connected) == ([], [])


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://site.example.com/", "begin with http"),
        ("file:///etc/passwd", "begin with http"),
        ("gopher://site.example.com/", "begin with http"),
        ("site.example.com/page", "begin with http"),
        ("//site.example.com/page", "begin with http"),
        ("", "begin with http"),
        ("http://site.example.com:8080/", "a port other than"),
        ("http://site.example.com:22/", "a port other than"),
        ("http://site.example.com:0/", "a port other than"),
        ("http://me@site.example.com/", "user name"),
        ("http://me:pw@site.example.com/", "user name"),
        ("http://good.com\\@site.example.com/", "user name"),
        ("http://site.example.com:99999/", "a port other than"),
        ("http://１２７.0.0.1/", "not valid"),
        ("http://site.example.com/\nHost: x", "not valid"),
    ],
)
async def test_addresses_that_are_not_of_a_page(site: Site, url: str, why: str) -> None:
    assert why in await site.refusal(url)
    assert (site.asked, site.connected) == ([], [])


async def test_a_page_arrives_from_its_checked_address(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    site.pages["/wiki/Cat?x=1"] = page()
    name, data = await site.fetch("  http://site.example.com:80/wiki/Cat?x=1#Fur ")
    assert name == "Cat (site.example.com).html"
    (document,) = load(name, data, 1)
    assert document.text == "Hello"
    assert (site.asked, site.connected) == (["site.example.com"], [PUBLIC])
    ((_, headers),) = site.requests
    assert headers["host"] == "site.example.com"
    assert headers["accept-encoding"] == "identity"
    assert not headers.keys() & {"cookie", "authorization"}


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("/", "text/html", "site.example.com.html"),
        ("/docs/", "TEXT/HTML;charset=utf-8", "docs (site.example.com).html"),
        ("/a/index.htm", "text/html", "index (site.example.com).html"),
        ("/paper.pdf", "application/pdf", "paper (site.example.com).pdf"),
        ("/1706.03762", "application/pdf", "1706.03762 (site.example.com).pdf"),
        ("/README.md", "text/plain", "README.md (site.example.com).txt"),
        ("/%EA%B3%A0%EC%96%91%EC%9D%B4", "text/html", "고양이 (site.example.com).html"),
        ("/..%2F..%2Fetc%2Fpasswd%00%0A", "text/plain", "passwd (site.example.com).txt"),
        ("/" + "x" * 400, "text/plain", "x" * 100 + " (site.example.com).txt"),
    ],
)
async def test_names_end_as_the_content_type_says(site: Site, path: str, kind: str, name: str) -> None:
    site.pages[path] = page(b"%PDF-1.7 \xff", kind)
    assert await site.fetch(f"http://site.example.com{path}") == (name, b"%PDF-1.7 \xff") or "charset" in kind


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (page(kind="image/png"), "something else than a web page"),
        (page(kind="application/json"), "something else than a web page"),
        (page(kind=""), "something else than a web page"),
        (page(status=404), "no page at this address (status 404)"),
        (page(status=403), "keeps the page back (status 403)"),
        (page(status=500), "keeps the page back (status 500)"),
        (page(Content_Encoding="gzip"), "only compressed"),
        (page(b"x" * (2**20 + 1)), "at most 1 MB"),
    ],
)
async def test_replies_that_are_refused(site: Site, reply: Reply, why: str) -> None:
    site.pages["/"] = reply
    assert why in await site.refusal("http://site.example.com/")


async def test_an_endless_page_is_cut_off(site: Site) -> None:
    sent = 0

    def endless(handler: BaseHTTPRequestHandler) -> None:
        nonlocal sent
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        try:
            while sent < 200 * 2**20:
                sent += handler.wfile.write(b"x" * 65536)
        except OSError:
            pass

    site.pages["/"] = endless
    assert "at most 1 MB" in await site.refusal("http://site.example.com/")
    assert sent < 100 * 2**20


async def test_a_page_of_exactly_the_limit_is_taken(site: Site) -> None:
    site.pages["/"] = page(b"x" * 2**20, "text/plain")
    assert len((await site.fetch("http://site.example.com/"))[1]) == 2**20


async def test_a_page_that_trickles_in_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webpage, "SECONDS", 3.0)  # a busy machine has reached the page by then
    ended = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.end_headers()
        for _ in range(600):
            try:
                handler.wfile.write(b"x")
            except OSError:
                ended.set()
                return
            time.sleep(0.1)

    site.pages["/"] = slow
    assert "did not arrive" in await site.refusal("http://site.example.com/")
    assert ended.wait(60)  # hung up on, long before its end


async def test_a_broken_off_page(site: Site) -> None:
    def broken(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"only this")

    site.pages["/"] = broken
    assert "broke off" in await site.refusal("http://site.example.com/")


async def test_the_next_checked_address_is_tried(site: Site) -> None:
    site.names["site.example.com"] = [[SILENT, OTHER_PUBLIC]]
    site.pages["/"] = page()
    await site.fetch("http://site.example.com/")
    assert site.connected == [SILENT, OTHER_PUBLIC]
    site.names["site.example.com"] = [[SILENT]]
    assert "cannot be reached" in await site.refusal("http://site.example.com/")


async def test_a_second_answer_is_never_asked_for(site: Site) -> None:
    site.names["site.example.com"] = [[PUBLIC], ["127.0.0.1"]]
    site.pages["/"] = page()
    await site.fetch("http://site.example.com/")
    assert (site.asked, site.connected) == (["site.example.com"], [PUBLIC])


async def test_each_hop_is_looked_up_and_checked_anew(site: Site) -> None:
    site.names["site.example.com"] = [[PUBLIC], ["127.0.0.1"]]
    site.pages["/"] = forward("/again")
    assert "forwards to an address that is not a public page" in await site.refusal(
        "http://site.example.com/"
    )
    assert site.connected == [PUBLIC]


@pytest.mark.parametrize(
    "target",
    [
        *("http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "//localhost/", "http://[::1]/"),
        *("http://inner.example.com/", "ftp://site.example.com/", "file:///etc/passwd", "http://2130706433/"),
        *("http://site.example.com:8080/", "http://me@site.example.com/", "http://[", "http://0177.0.0.1/"),
    ],
)
async def test_redirects_that_are_refused(site: Site, target: str) -> None:
    site.names["inner.example.com"] = [["10.0.0.7"]]
    site.pages["/"] = forward(target)
    with pytest.raises(DocumentError, match="forwards to an address that is not a public page"):
        await site.fetch("http://site.example.com/")
    assert target not in await site.refusal("http://site.example.com/")
    assert site.connected == [PUBLIC, PUBLIC]


async def test_three_redirects_are_followed_and_no_more(site: Site) -> None:
    site.names["other.example.com"] = [[OTHER_PUBLIC]]
    site.pages["/1"] = forward("/2", Set_Cookie="a=b")
    site.pages["/2"] = forward("3?x")
    site.pages["/3?x"] = forward("http://other.example.com/4")
    site.pages["/4"] = page()
    name, _ = await site.fetch("http://site.example.com/1")
    assert name == "4 (other.example.com).html"
    assert site.connected == [PUBLIC] * 3 + [OTHER_PUBLIC]
    assert [headers["host"] for _, headers in site.requests] == ["site.example.com"] * 3 + [
        "other.example.com"
    ]
    assert not any("cookie" in headers for _, headers in site.requests)
    site.pages["/0"] = forward("/1")
    asked = len(site.requests)
    assert "forwards more than 3 times" in await site.refusal("http://site.example.com/0")
    assert len(site.requests) - asked == 4


KOREAN, JAPANESE = "고양이는 잠을 오래 잔다. 똠방각하", "猫は一日の大半を眠って過ごす。①"


@pytest.mark.parametrize(
    ("text", "charset", "codec"),
    [
        (KOREAN, "EUC-KR", "cp949"),
        (JAPANESE, "Shift_JIS", "cp932"),
        (JAPANESE, '"shift_jis"', "cp932"),
        ("“Café” – 5 €", "ISO-8859-1", "cp1252"),
        ("猫整天睡觉", "gb2312", "gb18030"),
        ("Кот спит", "utf-16", "utf-16"),
    ],
)
@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
async def test_the_encoding_that_only_the_header_tells(
    site: Site, text: str, charset: str, codec: str, kind: str
) -> None:
    # The page may even claim another.
    body = f"<meta charset=iso-8859-2><p>{text}</p>" if kind == "text/html" else text
    site.pages["/"] = page(body.encode(codec), f"{kind}; charset={charset}")
    (document,) = load(*await site.fetch("http://site.example.com/"), 1)
    assert document.text == text


@pytest.mark.parametrize("charset", ["", "; charset=klingon", "; charset=punycode", "; charset=base64"])
async def test_without_a_usable_declaration_the_bytes_stay(site: Site, charset: str) -> None:
    body = f"<meta charset=euc-kr><p>{KOREAN}</p>".encode("cp949")
    site.pages["/"] = page(body, f"text/html{charset}")
    assert (await site.fetch("http://site.example.com/"))[1] == body


def certified(site: Site, folder: Path, name: str) -> None:
    """Let the server speak TLS, with a certificate for that name that the transport trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [
                    x509.DNSName(name),
                    # So that a check against the address would pass.
                    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                ]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "server.pem"
    path.write_bytes(private + pem)
    speaks = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    speaks.load_cert_chain(path)
    site.server.socket = speaks.wrap_socket(site.server.socket, server_side=True)
    site.trusted = ssl.create_default_context(cadata=pem.decode())


async def test_the_certificate_is_checked_for_the_name(site: Site, tmp_path: Path) -> None:
    site.names["other.example.com"] = [[PUBLIC]]
    site.pages["/"] = page()
    certified(site, tmp_path, "site.example.com")
    assert (await site.fetch("https://site.example.com/"))[0] == "site.example.com.html"
    assert "certificate is not valid" in await site.refusal("https://other.example.com/")
    site.trusted = None
    assert "certificate is not valid" in await site.refusal("https://site.example.com/")


async def test_names_are_looked_up_off_the_loop_and_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC, 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [entry, entry])
    assert await resolve_name("site.example.com") == [PUBLIC]

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert await resolve_name("site.example.com") == []
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answered.wait(60))
    monkeypatch.setattr(public_addresses, "STEP_SECONDS", 0.1)
    try:
        with pytest.raises(DocumentError, match="did not arrive"):
            await fetch_page("http://site.example.com/", max_mb=1)
    finally:
        answered.set()


async def test_the_servers_own_pages_stay_closed_without_any_stand_in(site: Site) -> None:
    site.pages["/"] = page()
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(InputError):
            await fetch_page(f"http://{host}:{site.server.server_port}/", max_mb=1)
        with pytest.raises(InputError):
            await fetch_page(f"http://{host}/", max_mb=1)
    assert site.requests == []


def test_web_pages_are_off_unless_the_deployment_allows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ALLOW_WEB_PAGES", raising=False)
    assert not Settings(_env_file=None).allow_web_pages
