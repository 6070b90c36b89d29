"""Words that were copied from a text are found in it, whatever marks changed on the way, and nothing else is."""

from __future__ import annotations

import unicodedata

from core.skills.quotes import find_quote
from tests.cases import cases
from tests.unit.work import little_work

TEXT = "Seth MacFarlane created\n  Family Guy in 1999. He voices “Peter Griffin”."


@cases(
    ("quote", "found"),
    [
        ("Seth MacFarlane created Family Guy", "Seth MacFarlane created\n  Family Guy"),
        ("seth macfarlane CREATED", "Seth MacFarlane created"),
        (" in 1999. ", "in 1999."),
        ("voices “Peter", "voices “Peter"),
        ("created Family Guy in 199", ""),
        ("arlane created", ""),
        ("created Family Girl", ""),
        ("Seth MacFarlane ... in 1999", ""),
        ("Family Guy created", ""),
        ("  ", ""),
        ("“…”", ""),
    ],
)
def test_a_quote_stands_in_the_text_but_for_blanks_and_case(quote: str, found: str) -> None:
    assert find_quote(quote, TEXT) == found


@cases(
    ("text", "quote", "found"),
    [
        ("The pilot didn’t see it.", "The pilot didn't see it.", "The pilot didn’t see it."),
        ("The pilot didn't see it.", "pilot didn’t see", "pilot didn't see"),
        ("He called it “the worst” of all.", 'it "the worst" of', "it “the worst” of"),
        ("He called it “the worst” of all.", "it 'the worst' of", "it “the worst” of"),
        ("Il dit « oui\xa0» à tous.", 'Il dit "oui" à tous', "Il dit « oui\xa0» à tous"),
        ("彼は「はい」と言った。", '彼は"はい"と', "彼は「はい」と"),
        ("The value is 10−3 there.", "value is 10-3", "value is 10−3"),
        ("open 1990–1995 – or later", "1990-1995 - or", "1990–1995 – or"),
        ("the isle — a rock — sank", "the isle—a rock—sank", "the isle — a rock — sank"),
        ("It reopened… later.", "It reopened... later.", "It reopened… later."),
        ("It reopened . . . later.", "It reopened… later", "It reopened . . . later"),
        ("are permit-\nted only", "are permitted only", "are permit-\nted only"),
        ("are permit-\nted only", "are permit- ted only", "are permit-\nted only"),
        ("are permit\xad\nted only", "are permitted only", "are permit\xad\nted only"),
        ("a long-\nterm, permit-\nted plan", "long-term, permitted", "long-\nterm, permit-\nted"),
        ("from 1990-\n1995 only", "from 1990-1995 only", "from 1990-\n1995 only"),
        ("soft\xadware, zero\u200bwidth", "software, zerowidth", "soft\xadware, zero\u200bwidth"),
        ("the oﬃce is ﬁne", "office is fine", "oﬃce is ﬁne"),
        ("H₂O in Ｃａｆｅ", "H2O in Cafe", "H₂O in Ｃａｆｅ"),
        ("the Cafe\u0301 is open", "Café", "Cafe\u0301"),
        ("Straße in İstanbul", "STRASSE in istanbul", "Straße in İstanbul"),
        ("It is **opened** now.", "It is opened now.", "It is **opened** now."),
        ("مُحَمَّد في المديـــنة", "محمد في المدينة", "مُحَمَّد في المديـــنة"),
        ("הַסְּפִינָה הִגִּיעָה", "הספינה הגיעה", "הַסְּפִינָה הִגִּיעָה"),
    ],
)
def test_marks_may_differ(text: str, quote: str, found: str) -> None:
    assert find_quote(quote, text) == found


@cases("around", ["“{}”", '"{}"', "'{}'", "«\xa0{}\xa0»", "„{}“", "「{}」", "『{}』", "...{}…", "**{}**"])
def test_what_stands_around_a_quote_may_be_its_own(around: str) -> None:
    assert (
        find_quote(around.format("tide rises at noon"), "The tide rises at noon, too.")
        == "tide rises at noon"
    )


@cases(
    ("text", "quote"),
    [
        ("are permit-\nted", "ted"),
        ("are permit-\nted", "are permit"),
        ("a per\xadmit", "mit"),
        ("the oﬃce", "fice"),
        ("the cafés", "the café"),
        ("the Cafe\u0301", "the Cafe"),
        ("a therapist", "the rapist"),
        ("12,345", "2,345"),
        ("it is 10−3", "it is 103"),
        ("the tide fell", "the tide"[:-1]),
    ],
)
def test_no_quote_begins_or_ends_within_a_word(text: str, quote: str) -> None:
    assert find_quote(quote, text) == ""


def test_quotes_in_scripts_without_blanks() -> None:
    assert find_quote("江戸時代", "橋は江戸\n時代の末に") == "江戸\n時代"
    assert find_quote("서울", "그는 서울에서 태어났다.") == "서울"
    assert find_quote("한국", unicodedata.normalize("NFD", "한국은")) == unicodedata.normalize("NFD", "한국")
    assert find_quote("Tower", "東京Towerは高い") == "Tower"
    assert find_quote("ガス", "都市ｶﾞｽは") == "ｶﾞｽ"
    assert find_quote("ข้าว", "เขากำลังกินข้าวที่บ้าน") == "ข้าว"


@cases(
    ("text", "quote"),
    [
        ("a" * 300_000, "a" * 150_000),
        ("ab " * 60_000, "ab " * 30_000 + "a"),
        ("ab-\n" * 30_000, "ab-ab" * 20_000),
        ("e" + "\u0301\u0323" * 60_000, "e"),
        ("a\xad" + " " * 300_000, "a b"),
    ],
)
def test_hostile_texts_take_no_longer_than_others(text: str, quote: str) -> None:
    with little_work():
        assert find_quote(quote, text) == ""
