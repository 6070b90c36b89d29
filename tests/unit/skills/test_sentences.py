"""What is a sentence."""

from core.skills.sentences import copied_sentences


def test_a_heading_is_not_copied() -> None:
    text = "# Gannet Holm\n\nIt is an island. Nobody lives there.\n\n## #1 of its kind\nA stack of basalt."
    assert copied_sentences(text) == ["It is an island.", "Nobody lives there.", "A stack of basalt."]
    assert copied_sentences("#1 said so.") == ["#1 said so."]
