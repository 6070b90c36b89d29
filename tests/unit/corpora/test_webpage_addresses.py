"""Web pages by their address: which addresses are refused, and where the connection goes."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.corpora.webpage import fetch_page
from core.errors import DocumentError, InputError
from core.models import public_addresses
from core.models.public_addresses import is_public, resolve_name
from core.settings import Settings
from tests.cases import cases
from tests.unit.corpora.site import OTHER_PUBLIC, PUBLIC, SILENT, Site, forward, page

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
