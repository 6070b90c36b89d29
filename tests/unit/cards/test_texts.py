"""Any text in a figure is shown as it is."""

from __future__ import annotations

from core.cards.texts import document_named, documents_of, drafted, named, plain, shortened, wrapped
from tests.cases import cases


def test_tags_and_placeholders_are_disarmed_and_quotes_are_left() -> None:
    assert plain("<a href='x'>\"R&D\"</a> %{y}") == "&lt;a href='x'&gt;\"R&amp;D\"&lt;/a&gt; &#37;{y}"


def test_a_cut_never_goes_through_an_entity() -> None:
    assert shortened("&" * 5, 4) == "&amp;" * 3 + "…"
    assert wrapped("& " * 200).endswith("&amp;…")


@cases(
    ("came", "shown"),
    [("[", ""), ("[0", ""), ("[0] No year.", "No year."), ("[?] 1915", "1915"), ("[1] A", "[1] A")],
)
def test_a_draft_begins_with_its_words(came: str, shown: str) -> None:
    assert drafted(came) == shown


@cases(
    ("name", "read"),
    [
        ("qwen-0.5b.gguf (06c8c219)", "qwen-0.5b.gguf"),
        ("Data set: Pellamar, single passages (8b6b2f2e)", "Data set: Pellamar, single passages"),
        ("Data set: MuSiQue (8b6b2f2e, chunks 120-20)", "Data set: MuSiQue (chunks 120-20)"),
        ("Notes (2019)", "Notes (2019)"),
        ("Notes (deadline)", "Notes (deadline)"),
        ("gpt-4o", "gpt-4o"),
    ],
)
def test_a_name_is_read_without_the_hash_at_its_end(name: str, read: str) -> None:
    assert named(name) == read


def test_an_id_names_no_document() -> None:
    assert document_named("3fb449c9453946a2") == ""
    assert document_named("The Harbour Master's Almanac") == "The Harbour Master's Almanac"


def test_of_what_documents_are_counted_is_said() -> None:
    assert documents_of("Pellamar", 70) == "70 documents"
    assert documents_of("Data set: Pellamar (8b6b2f2e)", 1) == "1 document of the data set"
