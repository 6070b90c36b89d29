"""E-mail: its text or its HTML, what is forwarded and attached."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from tests.unit.corpora.test_loaders import read, refusal
from tests.unit.corpora.test_more_loaders import blocks


def message(**parts: str) -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = "Grüße vom Teich"
    mail["From"] = "Ada <ada@example.org>"
    mail["To"] = "bob@example.org"
    mail["Date"] = "Fri, 16 Dec 2022 17:04:16 -0500"
    for kind, text in parts.items():
        if mail.is_multipart() or (mail.get_content_maintype() == "text" and mail.get_payload()):
            mail.add_alternative(text, subtype=kind)
        else:
            mail.set_content(text, subtype=kind, charset="utf-8")
    return mail


def test_eml() -> None:
    mail = message(plain="Die Enten sind da.\n", html="<p>Die <b>Enten</b></p>")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="ducks.pdf")
    document = read("mail.eml", mail.as_bytes())
    assert document.title == "Grüße vom Teich"
    assert document.text.split("\n\n") == [
        "Grüße vom Teich",
        "From: Ada <ada@example.org>\nTo: bob@example.org\nDate: Fri, 16 Dec 2022 17:04:16 -0500",
        "Die Enten sind da.",
        "Attachments (not read): ducks.pdf",
    ]
    only_html = message(html="<p>Only <b>HTML</b></p><script>x()</script>")
    assert blocks("mail.eml", only_html.as_bytes())[-1] == "Only HTML"
    foreign = b"Subject: x\nContent-Type: text/plain; charset=no-such-thing\n\ncaf\xe9 cr\xe8me"
    assert blocks("mail.eml", foreign)[-1] == "café crème"
    assert "not an e-mail" in refusal("notes.eml", b"just some words")


def forwarded() -> EmailMessage:
    inner = EmailMessage()
    inner["Subject"] = "The lock"
    inner["From"] = "cy@example.org"
    inner.set_content("The lock is shut.\n")
    return inner


@pytest.mark.parametrize("blank", ["\n", "\xa0\n \n", "\u200b\n"])
def test_a_blank_text_gives_way_to_its_html(blank: str) -> None:
    mail = message(plain=blank, html="<p>The lock closes on <b>Friday</b>.</p>")
    assert blocks("m.eml", mail.as_bytes())[2:] == ["The lock closes on Friday."]
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="lock.png")
    assert blocks("m.eml", mail.as_bytes())[2:] == [
        "The lock closes on Friday.",
        "Attachments (not read): lock.png",
    ]


def test_forwarded_messages_and_attached_texts_are_read() -> None:
    mail = message(plain="See below.")
    mail.add_attachment(forwarded())
    mail.add_attachment("Ship,Built\nTern,1930\nSole,1931\n", subtype="csv", filename="ships.csv")
    mail.add_attachment("Fog until noon.\n", filename="log.txt")
    mail.add_attachment(bytes(range(256)) * 2, maintype="text", subtype="plain", filename="odd.txt")
    document = read("m.eml", mail.as_bytes())
    assert document.text.split("\n\n")[2:] == [
        "See below.",
        "The lock",
        "From: cy@example.org",
        "The lock is shut.",
        "Attachment: ships.csv",
        "Ship | Built\nShip: Tern | Built: 1930\nShip: Sole | Built: 1931",
        "Attachment: log.txt",
        "Fog until noon.",
        "Attachments (not read): odd.txt",
    ]
    assert document.heading_at(document.text.index("is shut")) == "The lock"


def test_texts_in_parts_of_parts_and_between_them() -> None:
    related = EmailMessage()
    related.set_content("<p>One.</p><img src='cid:x'>", subtype="html")
    related.add_related(b"\x89PNG", "image", "png", cid="<x>")
    mail = message()
    mail.make_mixed()
    mail.attach(related)
    second = EmailMessage()
    second.set_content("Two.\n")
    mail.attach(second)
    assert blocks("m.eml", mail.as_bytes())[2:] == ["One.", "Two."]
    for _ in range(30):
        outer = forwarded()
        outer.add_attachment(mail)
        mail = outer
    assert blocks("m.eml", mail.as_bytes())[-1] == "Attachments (not read): The lock"
    broken = b"Subject: x\nContent-Type: multipart/mixed\n\nFog until noon.\n"
    assert blocks("m.eml", broken)[-1] == "Fog until noon."
