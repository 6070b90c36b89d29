"""What is a sentence."""

from core.corpora.sentence_spans import copied_sentences, sentence_at, sentences


def test_a_heading_is_not_copied() -> None:
    text = "# Gannet Holm\n\nIt is an island. Nobody lives there.\n\n## #1 of its kind\nA stack of basalt."
    assert copied_sentences(text) == ["It is an island.", "Nobody lives there.", "A stack of basalt."]
    assert copied_sentences("#1 said so.") == ["#1 said so."]
    assert copied_sentences("Gannet  Holm\nIt is an island.", "gannet holm", "") == ["It is an island."]


def test_a_line_that_ends_within_a_sentence_is_a_blank() -> None:
    ragged = "It was built in 1998, repaired by her, in 2023\nand 2024, after the storm. It\nis old."
    wanted = ["It was built in 1998, repaired by her, in 2023 and 2024, after the storm.", "It is old."]
    assert sentences(ragged) == wanted
    assert sentence_at(ragged, ragged.index("and")) == wanted[0]
    wide = "The proprietor shall furnish a return of the nights by 31\nJanuary of the next year.\n(2) No levy is due."
    assert sentences(wide) == [
        "The proprietor shall furnish a return of the nights by 31 January of the next year.",
        "(2) No levy is due.",
    ]


def test_lines_of_lists_and_records_stay_apart() -> None:
    record = "name of the ship: Ada of Port Ansel\nyear of building: 1998\n\nroses are red\nviolets are blue"
    assert sentences(record) == [line for line in record.split("\n") if line]


def test_a_clause_with_a_number_is_no_parenthesis() -> None:
    assert sentences("(2) It is due. It is paid. (3) It is not.") == [
        "(2) It is due.",
        "It is paid.",
        "(3) It is not.",
    ]
