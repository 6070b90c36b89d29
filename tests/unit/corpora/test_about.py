"""What documents say of themselves, made harmless; type and folder follow from their names."""

from __future__ import annotations

import json
from datetime import date

import pytest

from core.corpora.documents import (
    MOST_FIELDS,
    MOST_VALUES,
    NAME_CHARS,
    VALUE_CHARS,
    about,
    iso_date,
    with_derived,
)
from tests.cases import cases
from tests.hostile import EVIL
from tests.unit.corpora.test_loaders import archive, read


@cases(
    ("text", "iso"),
    [
        ("1994", "1994"),
        ("1994-6", "1994-06"),
        ("1994/06/05", "1994-06-05"),
        ("2019-03-04T10:00:00Z", "2019-03-04"),
        ("D:20190304101010+01'00'", "2019-03-04"),
        ("Mon, 04 Mar 2019 10:00:00 +0000", "2019-03-04"),
        ("4th March 2019", "2019-03-04"),
        ("March 4, 2019", "2019-03-04"),
        ("June 1931", "1931-06"),
        ("4.3.2019", "2019-03-04"),
        *(
            (no_date, "")
            for no_date in ("", "soon", "2019-13", "2019-02-30", "0000", "99999", "12 2019", "1" * 5000)
        ),
    ],
)
def test_dates_are_as_exact_as_they_were_said(text: str, iso: str) -> None:
    assert iso_date(text) == iso


def test_nothing_that_a_file_says_is_long_many_or_more_than_plain_text() -> None:
    found = about(
        [
            *((f"field {number}", f"value {number}") for number in range(10_000)),
            ("later", "too late"),
        ]
    )
    assert len(found) == MOST_FIELDS
    odd = about(
        [
            ("A=b|c<d>" + "x" * 500, "y" * 10_000),
            ("many", [str(number) for number in range(10_000)]),
            ("html", "<script>alert(1)</script>\0\x1b[31m\u202e\nred"),
            ("deep", {"a": {"b": [1]}}),
            ("nothing", [None, b"bytes", [["inner"]], "", " "]),
            ("huge", 10**10_000),
            ("", "no name"),
            ("folder", "../../etc"),
            ("type", "minutes"),
            ("year", "sometime"),
            ("published", date(2019, 3, 4)),
        ]
    )
    long = next(name for name in odd if name.startswith("a_b_c_d_"))
    assert (len(long), len(odd[long][0])) == (NAME_CHARS, VALUE_CHARS)
    assert odd.pop(long)
    assert odd.pop("many") == tuple(map(str, range(MOST_VALUES)))
    assert odd.pop("html") == ("<script>alert(1)</script> [31m red",)
    assert odd == {"kind": ("minutes",), "published": ("2019-03-04",), "date": ("2019-03-04",)}


@pytest.mark.parametrize("text", [EVIL, "\n" * 50, "\ud800", "a\u2028b\x85c"])
def test_hostile_text_stays_one_line_of_text(text: str) -> None:
    for values in about([(text, text)]).values():
        assert all(len(value.splitlines()) == 1 for value in values)


def test_type_and_folder_follow_from_the_name() -> None:
    assert with_derived("minutes/1994/May.PDF", "", {}) == {
        "type": ("PDF",),
        "folder": ("minutes", "minutes/1994"),
    }
    assert with_derived("all.zip/letters/a.md", "", {"kind": ("letter",)}) == {
        "type": ("Markdown",),
        "folder": ("letters",),
        "kind": ("letter",),
    }
    assert with_derived("corpus.jsonl:a/b.md", "a/b.md", {}) == {"type": ("Data set",)}
    assert with_derived("../../etc/passwd", "", {}) == {"folder": ("etc",)}
    assert with_derived("unnamed", "", {}) == {}


YAML = b"""---
title: The flag
type: minutes
date: 1994-06-05
tags: [harbour, flag]
"chaired by": Edda Lisk
draft: true
---
The flag is blue."""


def test_front_matter_is_no_text_but_says_what_the_document_is() -> None:
    document = read("a.md", YAML)
    assert (document.text, document.title) == ("The flag is blue.", "The flag")
    assert document.about == {
        "date": ("1994-06-05",),
        "kind": ("minutes",),
        "tags": ("harbour", "flag"),
        "chaired_by": ("Edda Lisk",),
        "draft": ("yes",),
    }
    toml = read("b.md", b'+++\ntitle = "No"\ndate = 1994-06-05\ntags = ["a"]\n+++\n# Yes\n')
    assert (toml.title, toml.about) == ("Yes", {"date": ("1994-06-05",), "tags": ("a",)})


BOMB = "a: &a [x, x]\n" + "\n".join(
    f"{c}: &{c} [*{b}, *{b}]" for b, c in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (BOMB, {}),
        ("a: " + "[" * 4000, {}),
        ("author: Ann\na: " + "[" * 30 + "]" * 30, {"author": ("Ann",), "a": ("[" * 30 + "]" * 30,)}),
        ("a: !!python/object/apply:os.system ['true']\nauthor: Ann", {"author": ("Ann",)}),
        ("author: Ann\nnote: {not: [closed", {"author": ("Ann",)}),
        ("date: 2019-02-30\nauthor: Ann", {"author": ("Ann",)}),
        ("title: [1, 2]\nauthor: '<b>Ann</b>'", {"author": ("<b>Ann</b>",)}),
        ("a: 1\na: 2", {"a": ("2",)}),
    ],
    ids=["bomb", "deep", "deep and whole", "object", "broken", "no date", "HTML", "twice"],
)
def test_hostile_front_matter_is_harmless(head: str, known: dict[str, tuple[str, ...]]) -> None:
    document = read("a.md", f"---\n{head}\n---\nThe text.".encode())
    assert document.text == "The text."
    kept = {name: values for name, values in document.about.items() if name in known}
    assert kept == known
    assert all(len(value) <= VALUE_CHARS for values in document.about.values() for value in values)


def test_ten_thousand_keys_are_not_read_to_their_end() -> None:
    head = "\n".join(f"key{number}: {number}" for number in range(10_000))
    assert len(read("a.md", f"---\n{head}\n---\nThe text.".encode()).about) == MOST_FIELDS


CORE = (
    b'<p xmlns:dc="d" xmlns:t="t"><dc:creator>Ann</dc:creator><t:created>1994-06-05T00:00:00Z</t:created>'
    b"<dc:subject>Harbour</dc:subject><t:keywords>ferry; bell</t:keywords></p>"
)
OFFICE = {"author": ("Ann",), "date": ("1994-06-05",), "subject": ("Harbour",), "tags": ("ferry", "bell")}


def test_formats_say_what_they_are() -> None:
    word = b'<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>'
    docx = read("a.docx", archive(**{"word/document.xml": word, "docProps/core.xml": CORE}))
    assert {name: docx.about[name] for name in OFFICE} == OFFICE
    page = read(
        "a.html",
        b'<title>T</title><meta name="Author" content="Ann"><meta property="article:tag" content="ferry">'
        b'<meta name="viewport" content="x"><p>On <time datetime="1994-06-05">a day</time>.',
    )
    assert page.about == {
        "author": ("Ann",), "tags": ("ferry",), "created": ("1994-06-05",), "date": ("1994-06-05",)
    }  # fmt: skip
    mail = read(
        "a.eml", b"From: Ann <a@x.org>\nTo: Bo <b@x.org>\nDate: Mon, 4 Mar 2019 10:00:00 +0000\n\nHello"
    )
    assert mail.about == {"date": ("2019-03-04",), "from": ("Ann <a@x.org>",), "to": ("Bo <b@x.org>",)}
    feed = read(
        "a.xml",
        b"<rss><channel><title>T</title><pubDate>Mon, 4 Mar 2019 10:00:00 +0000</pubDate><item><title>I</title>"
        b"<author>of the item</author></item></channel></rss>",
    )
    assert feed.about == {"published": ("2019-03-04",), "date": ("2019-03-04",)}
    line = {"id": "1", "title": "T", "text": "x", "year": 1994, "metadata": {"author": "Ann", "id": "no"}}
    assert read("corpus.jsonl", json.dumps(line).encode()).about == {
        "year": ("1994",), "author": ("Ann",), "date": ("1994",)
    }  # fmt: skip
