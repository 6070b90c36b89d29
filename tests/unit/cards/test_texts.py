"""Any text in a figure is shown as it is."""

from __future__ import annotations

from core.cards.texts import plain, shortened, wrapped


def test_tags_and_placeholders_are_disarmed_and_quotes_are_left() -> None:
    assert plain("<a href='x'>\"R&D\"</a> %{y}") == "&lt;a href='x'&gt;\"R&amp;D\"&lt;/a&gt; &#37;{y}"


def test_a_cut_never_goes_through_an_entity() -> None:
    assert shortened("&" * 5, 4) == "&amp;" * 3 + "…"
    assert wrapped("& " * 200).endswith("&amp;…")
