"""Names of passages where there is little room."""

from core.cards.passages import shortened


def test_what_tells_a_passage_from_others_is_kept() -> None:
    name = "Ferry Passengers Regulation 2011, as it was amended · p. 4"
    short = shortened(name, 40)
    assert short == "Ferry Passengers Regulation 2011… · p. 4"
    assert len(short) <= 40
    assert shortened("Port Ansel · p. 4", 40) == "Port Ansel · p. 4"


def test_a_name_without_such_a_part_is_left_to_be_cut_at_its_end() -> None:
    long = "A title that has no page, no heading and nothing else"
    assert shortened(long, 20) == long
    assert shortened(f"Duck · {long}", 40) == f"Duck · {long}"
