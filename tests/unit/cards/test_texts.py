"""Any text in a figure is shown as it is."""

from __future__ import annotations

import pytest

from core.cards.texts import drafted, plain, shortened, wrapped


def test_tags_and_placeholders_are_disarmed_and_quotes_are_left() -> None:
    assert plain("<a href='x'>\"R&D\"</a> %{y}") == "&lt;a href='x'&gt;\"R&amp;D\"&lt;/a&gt; &#37;{y}"


def test_a_cut_never_goes_through_an_entity() -> None:
    assert shortened("&" * 5, 4) == "&amp;" * 3 + "…"
    assert wrapped("& " * 200).endswith("&amp;…")


@pytest.mark.parametrize(
    ("came", "shown"),
    [("[", ""), ("[0", ""), ("[0] No year.", "No year."), ("[?] 1915", "1915"), ("[1] A", "[1] A")],
)
def test_a_draft_begins_with_its_words(came: str, shown: str) -> None:
    assert drafted(came) == shown
