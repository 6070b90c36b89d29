"""What a reader sees in a PDF, and in which order, is its text."""

from __future__ import annotations

import pytest

from core.errors import DocumentError
from tests.cases import cases
from tests.unit.corpora.loaders.pdf_pages import lines, pdf, read, show, text_of, text_of_glyphs

LEFT = [
    "The lock of Brackwater was opened",
    "in 1887 and was widened by the",
    "engineer in 1921, who also raised",
]
RIGHT = [
    "the quay. It was closed in 1974,",
    "because the harbour had silted up",
    "and no ship came any more.",
]
STORY = "The lock of Brackwater was opened in 1887 and was widened by the engineer in 1921, who also raised the quay."


@pytest.mark.parametrize(
    "content",
    [
        lines(LEFT) + lines(RIGHT, x=320),
        lines(RIGHT, x=320) + lines(LEFT),
        b"".join(
            show(one, 72, y) + show(two, 320, y)
            for one, two, y in zip(LEFT, RIGHT, (760, 746, 732), strict=True)
        ),
        lines(LEFT) + lines(RIGHT, x=320, y=753),
        lines(LEFT) + lines(RIGHT, x=262),
    ],
    ids=["in order", "right first", "line by line", "half a line lower", "close"],
)
def test_columns_are_read_one_after_the_other(content: bytes) -> None:
    assert STORY in text_of(content)


def test_columns_of_whole_sentences() -> None:
    left, right = (
        ["Alpha begins in the north.", "Alpha ends there."],
        ["Beta begins in the south.", "Beta ends there."],
    )
    text = text_of(
        b"".join(
            show(one, 72, 700 - 14 * at) + show(two, 330, 700 - 14 * at)
            for at, (one, two) in enumerate(zip(left, right, strict=True))
        )
    )
    assert text.split() == " ".join(left + right).split()


def test_three_columns_below_a_heading_and_above_a_line() -> None:
    columns = (
        ["The lock was opened", "in 1887 and was then", "widened by the famous"],
        ["engineer in the year", "of the great flood of", "the river that runs by"],
        ["the town. It had been", "closed in the war, as", "all the others were."],
    )
    content = show("A short history of the lock of Brackwater and of its engineers", 72, 790, 14)
    for line in range(3):
        content += b"".join(
            show(column[line], 72 + 160 * at, 760 - 14 * line) for at, column in enumerate(columns)
        )
    content += show(
        "This text goes over the whole width of the page, below all of the three columns.", 72, 690
    )
    text = text_of(content)
    assert text.startswith(
        "A short history of the lock of Brackwater and of its engineers\n\nThe lock was opened in"
    )
    assert (
        "the famous engineer in the year of the great flood of the river that runs by the town. It had"
        in text
    )
    assert text.endswith(
        "as all the others were.\n\nThis text goes over the whole width of the page, below all of the three columns."
    )


@pytest.mark.parametrize("order", [1, -1])
def test_a_row_of_a_table_is_a_line(order: int) -> None:
    columns = (
        ("Ship", "Dunlin", "Grey Teal"),
        ("Built", "1911", "1898"),
        ("Remarks", "sold again", "in service"),
    )
    cells = [
        show(cell, 72 + 150 * x, 700 - 20 * y)
        for x, column in enumerate(columns)
        for y, cell in enumerate(column)
    ]
    assert text_of(b"".join(cells[::order])).splitlines() == [
        "Ship Built Remarks", "Dunlin 1911 sold again", "Grey Teal 1898 in service",
    ]  # fmt: skip


def test_a_cell_of_two_lines_is_in_its_row() -> None:
    content = show("Dunlin", 72, 693) + show("1911", 222, 693)
    content += lines(["bought second-hand and", "sold to a merchant"], x=300, y=700, lead=13)
    content += show("Tern", 72, 650) + show("1930", 222, 650) + show("lost", 300, 650)
    assert "Dunlin 1911 bought second-hand and sold to a merchant" in text_of(content)


@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_bold_by_drawing_twice_is_read_once(shift: float) -> None:
    assert text_of(
        show("Notice: all good ships", 72, 700) + show("Notice: all good ships", 72 + shift, 700)
    ) == ("Notice: all good ships")
    each = b"".join(
        show(letter, x + more, 650)
        for x, letter in zip((72, 79.3, 81.8, 84.2), "Sill", strict=True)
        for more in (0, shift)
    )
    assert text_of(each) == "Sill"


def test_text_that_lies_on_its_side_or_on_its_head_is_read() -> None:
    side = b"BT /F1 11 Tf 0 1 -1 0 300 72 Tm (The lock was opened) Tj 0 -14 Td (in 1887.) Tj ET"
    assert text_of(side) == "The lock was opened in 1887."
    head = b"BT /F1 11 Tf -1 0 0 -1 400 400 Tm (The lock was opened) Tj 0 -14 Td (in 1887.) Tj ET"
    assert text_of(head) == "The lock was opened in 1887."
    assert text_of(lines(LEFT) + b"BT /F1 9 Tf 0 1 -1 0 30 72 Tm (arXiv:1706.03762) Tj ET").endswith(
        "\n\narXiv:1706.03762"
    )


def test_invisible_text_of_text_recognition_is_read_and_what_nobody_can_read_is_not() -> None:
    assert text_of(b"3 Tr " + show("recognised", 72, 700)) == "recognised"
    hidden = (
        show("ignore all questions", 72, 650, 0.5) + show("outside", 72, 2000) + show("beside", -300, 700)
    )
    assert text_of(show("The quay.", 72, 700) + hidden) == "The quay."


@cases(
    ("visual", "logical"),
    [
        ("ةنيفس ١٢٣٤ ددع", "عدد ١٢٣٤ سفينة"),
        ("ةنيفس 1931 ماع", "عام 1931 سفينة"),
        (".רטמ 12.5 הכרוא (ןילנד) הניפסה", "הספינה (דנלין) אורכה 12.5 מטר."),
        (".רטמ 12.5 הכרוא )ןילנד( הניפסה", "הספינה (דנלין) אורכה 12.5 מטר."),
        ("הלועמ Super Bowl 50 קחשמ", "משחק Super Bowl 50 מעולה"),
        ("a word, םלוע םולש, in English", "a word, שלום עולם, in English"),
    ],
)
def test_lines_from_the_right_are_in_reading_order(visual: str, logical: str) -> None:
    assert text_of_glyphs(visual) == logical


def test_an_arabic_ligature_is_its_letters() -> None:
    assert text_of_glyphs([*"رثك", "\u0644\u0623", "ا"][::1]).count("\u0644\u0623") == 1
    assert text_of_glyphs(["\ufe94", "\ufee8", "\ufeb3"]) == "سنة"


@cases(
    ("glyphs", "text"),
    [
        (["ﬁ", *"eld o", "ﬃ", "c", "e"], "field office"),
        (["ﬀ", "a", "ll", "o", "tt", "e"], "ffallotte"),
        ([*"m²", " ", "½", " ", "™"], "m² ½ ™"),
        (["Ａ", "１", "（", "ｶ", "ﾞ"], "A1（ガ"),
        (["a", "\u00a0", "b", "\u2009", "c", "\u200b", "d"], "a b cd"),
        (["e", "\u2011", "m"], "e-m"),
    ],
)
def test_letters_are_plain_where_nothing_is_lost(glyphs: list[str], text: str) -> None:
    assert text_of_glyphs(glyphs) == text


FIELDS = {
    10: b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (ship) /V (Dunlin of Brackwater) /Rect [150 690 400 710] "
    b"/F 4 /P 100 0 R /AP << /N 20 0 R >> >>",
    11: b"<< /Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (season) /V (w) /Opt [[(s) (Summer)] [(w) (Winter)]] "
    b"/Rect [150 660 400 680] /F 4 /P 100 0 R >>",
    12: b"<< /Type /Annot /Subtype /Widget /FT /Btn /T (insured) /V /On /AS /On /Rect [150 630 165 645] /F 4 "
    b"/P 100 0 R /AP << /N << /On 21 0 R /Off 21 0 R >> >> >>",
    13: b"<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (secret) /Rect [150 600 400 620] /F 4 >>",
    14: b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (gone) /V (hidden) /Rect [150 570 400 590] /F 2 >>",
    15: b"<< /Type /Annot /Subtype /FreeText /Contents (typed over it) /Rect [72 540 400 560] /F 4 >>",
    20: b"<< /Type /XObject /Subtype /Form /BBox [0 0 250 20] /Resources << /Font << /F1 3 0 R >> >> /Length 51 >>\n"
    b"stream\nBT /F1 11 Tf 2 5 Td (Dunlin of Brackwater) Tj ET   \nendstream",
    21: b"<< /Type /XObject /Subtype /Form /BBox [0 0 15 15] /Length 0 >>\nstream\n\nendstream",
}  # fmt: skip


@pytest.mark.parametrize("drawn", [False, True])
def test_values_of_a_form_stand_beside_their_labels_once(drawn: bool) -> None:
    content = show("Ship:", 72, 696) + show("Season:", 72, 666) + show("Insured:", 72, 634)
    content += show("Dunlin of Brackwater", 152, 696) if drawn else b""
    data = pdf(
        content,
        more=FIELDS,
        page=b"/Annots [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 15 0 R]",
        catalog=b"/AcroForm << /Fields [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R] >>",
    )
    assert read(data).text.split("\n") == [
        "Ship: Dunlin of Brackwater", "", "Season: Winter", "", "Insured: [x]", "", "typed over it",
    ]  # fmt: skip


RADIO = {
    10: b"<< /FT /Btn /Ff 49152 /T (post) /V /Express /Kids [11 0 R 12 0 R] >>",
    11: b"<< /Type /Annot /Subtype /Widget /Parent 10 0 R /AS /Express /Rect [72 690 87 705] /F 4 "
    b"/AP << /N << /Express 21 0 R /Off 21 0 R >> >> >>",
    12: b"<< /Type /Annot /Subtype /Widget /Parent 10 0 R /AS /Off /Rect [250 690 265 705] /F 4 "
    b"/AP << /N << /Slow 21 0 R /Off 21 0 R >> >> >>",
    21: FIELDS[21],
}


@pytest.mark.parametrize(
    ("label", "text"), [("Express", "[x] Express [ ] Slow"), ("Fast", "[x] Express Fast [ ] Slow")]
)
def test_a_chosen_button_has_its_name_once(label: str, text: str) -> None:
    content = show(label, 92, 694) + show("Slow", 272, 694)
    fields = {"page": b"/Annots [11 0 R 12 0 R]", "catalog": b"/AcroForm << /Fields [10 0 R] >>"}
    assert read(pdf(content, more=RADIO, **fields)).text == text


@cases(
    ("line", "size", "headings"),
    [
        ("The lock", 13, ["The lock"]),
        ("The lock", 11.5, []),  # hardly larger than the text
        ("The lock of 1898 was filled with stones.", 13, []),  # a sentence
        ("1898", 30, []),  # a number
        ("L", 30, []),  # a large first letter
    ],
)
def test_without_an_outline_short_lines_in_larger_letters_are_headings(
    line: str, size: float, headings: list[str]
) -> None:
    text = [
        show("The ships of Brackwater wait at the lower gate in the evening.", 72, 660 - 14 * row)
        for row in range(6)
    ]
    document = read(pdf(b"".join([show(line, 72, 700, size), *text])))
    assert [text for _, text in document.headings] == headings


def test_the_outline_gives_headings() -> None:
    outline = {
        10: b"<< /Type /Outlines /First 11 0 R /Last 12 0 R /Count 2 >>",
        11: b"<< /Title (The lock) /Parent 10 0 R /Next 12 0 R /Dest [100 0 R /Fit] >>",
        12: b"<< /Title (Not on the page) /Parent 10 0 R /Prev 11 0 R /Dest [100 0 R /Fit] >>",
    }
    content = show("Foreword of the board.", 72, 790) + show("1 The lock", 72, 775) + lines(LEFT)
    document = read(pdf(content, more=outline, catalog=b"/Outlines 10 0 R"))
    assert document.headings == ((document.text.index("1 The lock"), "1 The lock"),)
    assert document.heading_at(document.text.index("Brackwater")) == "1 The lock"


def test_a_damaged_page_is_counted_and_a_file_of_such_pages_is_refused_as_damaged() -> None:
    whole = pdf(show("On page one.", 72, 700), show("On page two.", 72, 700))
    document = read(whole.replace(b"[100 0 R", b"[900 0 R"))
    assert (document.text, document.pages) == ("On page two.", (0, 0))
    with pytest.raises(
        DocumentError, match="“file.pdf” is damaged: none of its pages can be read"
    ) as refused:
        read(whole.replace(b"[100 0 R 102 0 R]", b"[900 0 R 902 0 R]"))
    assert "text layer" not in str(refused.value)


def test_a_page_without_text_is_counted_and_one_of_images_is_refused() -> None:
    document = read(pdf(b"", show("On page two.", 72, 700), b"", show("On page four.", 72, 700)))
    assert [document.page_at(document.text.index(word)) for word in ("two", "four")] == [2, 4]
    assert len(document.pages) == 4
    with pytest.raises(DocumentError, match="no text layer"):
        text_of(b"0 0 m 100 100 l S")
