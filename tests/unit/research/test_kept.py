"""What is scored as kept out of training."""

import pytest

from research.training.kept import kept_out


@pytest.mark.parametrize("data", ["ragtasks", "ragtasks:claims"])
def test_every_tenth_record_is_kept_out_however_its_set_is_used(data: str) -> None:
    ids = [f"arts-{number:04}" for number in range(1, 31)]
    assert [id for id in ids if kept_out(data, id)] == ["arts-0010", "arts-0020", "arts-0030"]


def test_of_claims_and_questions_about_a_fifth_is_kept_out_and_always_the_same() -> None:
    # Worked out with `sha1sum`: the split must never move.
    for data in ("scifact", "scifact:others", "2wiki_train500"):
        assert [number for number in range(20) if kept_out(data, f"train-{number}")] == [9, 15]
    share = sum(kept_out("2wiki_demo60", str(number)) for number in range(2000)) / 2000
    assert share == pytest.approx(0.2, abs=0.03)


def test_a_set_that_nothing_is_trained_on_is_kept_out_as_a_whole() -> None:
    assert all(kept_out(data, "5a77ec115542992a6e59dff7") for data in ("hotpotqa_train100", "xquad/en"))
