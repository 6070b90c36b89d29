"""Web pages by their address: what arrives, and which replies are refused."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler

import pytest

from core.corpora import webpage
from core.corpora.loaders import load
from tests.unit.corpora.site import OTHER_PUBLIC, PUBLIC, Reply, Site, begin, forward, page


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
        begin(handler)
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
        begin(handler)
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
        begin(handler, Content_Length="1000")
        handler.wfile.write(b"only this")

    site.pages["/"] = broken
    assert "broke off" in await site.refusal("http://site.example.com/")


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
