"""The scores of the skills' benchmark, by cases that can be worked out by hand."""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.models.endpoint import NO_KEY, ChatEndpoint
from core.runs.workbench import Workbench
from core.settings import Settings
from core.skills.answer import ANSWER
from core.skills.base import SkillContext
from research.skills.__main__ import main, measure
from research.skills.extracting import matched, scored
from research.skills.ground import Case, Ground, Task, items
from research.skills.keeping import Kept, outcomes_in
from research.skills.measuring import AUC, Outcome, Seen, auc, auc_interval, halves, measures
from research.skills.querying import compared, distinct_faithful, enough
from research.skills.report import differences_table


def outcome(group: str, label: bool | None = None, score: float = 0.0, **values: float) -> Outcome:
    return Outcome(
        task="answer", method="model", model="", data="data", group=group, half="tuning",
        values=values, label=label, score=score, seconds=1.0, calls=0,
    )  # fmt: skip


def test_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    # Positives 0.9 and 0.4 against negatives 0.5 and 0.1: three of four pairs are in order.
    assert auc([True, True, False, False], [0.9, 0.4, 0.5, 0.1]) == 0.75
    assert auc([True, False], [0.5, 0.5]) == 0.5
    assert auc([True, False], [0.0, 1.0]) == 0.0
    assert math.isnan(auc([True, True], [0.1, 0.2]))


def test_a_perfect_grader_has_a_perfect_interval_and_none_without_both_labels() -> None:
    judged = [outcome(str(n), bool(n % 2), float(n % 2)) for n in range(20)]
    found = auc_interval(judged)
    assert found is not None
    assert (found.mean, found.low, found.high, found.questions) == (1.0, 1.0, 1.0, 20)
    assert auc_interval(judged[::2]) is None
    assert auc_interval([outcome("a", right=1.0)]) is None


def test_each_group_counts_the_same_however_many_cases_it_has() -> None:
    found = measures(
        [outcome("a", right=1.0), outcome("a", right=0.0), outcome("a", right=0.0), outcome("b", right=1.0)]
    )
    assert found["right"].mean == pytest.approx((1 / 3 + 1) / 2)
    assert AUC not in found


def test_halves_are_alike_in_size_and_a_larger_sample_holds_the_smaller() -> None:
    groups = [f"q{n}" for n in range(11)]
    found = halves(groups, 0)
    assert sorted(found.values()).count("tuning") == 6
    assert found == halves(reversed(groups), 0)
    assert list(found) != list(halves(groups, 1))


def test_each_gold_triple_takes_one_found_triple_in_either_direction() -> None:
    gold = [("Jaws", "Steven Spielberg"), ("Jaws", "1975"), ("Emma", "Jane Austen")]
    assert matched([("Spielberg", "Jaws"), ("Jaws", "Peter Benchley")], gold) == 1
    assert matched([("Jaws", "1975")], [("Jaws", "1975"), ("Jaws", "1975")]) == 1
    assert scored([("Jaws", "1975"), ("Emma", "Bath")], gold) == {
        "precision": 0.5,
        "recall": pytest.approx(1 / 3),
        "F1": pytest.approx(2 * 1 / 5),
        "triples": 2.0,
    }
    assert "precision" not in scored([], gold)


def test_a_gain_is_the_difference_to_the_question_alone() -> None:
    found = compared({"nDCG@10": 0.5, "R@5": 1.0, "R@10": 1.0}, {"nDCG@10": 0.75, "R@5": 0.5, "R@10": 1.0})
    assert (found["nDCG@10 gain"], found["R@5 gain"], found["R@10 gain"]) == (0.25, -0.5, 0.0)


def test_a_rewording_counts_if_it_holds_all_names_and_is_like_no_other() -> None:
    question = "Who directed Jaws?"
    written = [
        "Which person made Jaws?",
        "Which person made it?",
        "Who is it that directed Jaws?",
        "Who made Jaws?",
    ]
    cosines = np.full((5, 5), 0.9)
    assert distinct_faithful(question, written, cosines) == 3
    cosines[1, 4] = cosines[4, 1] = 0.99
    assert distinct_faithful(question, written, cosines) == 2
    cosines[0, 3] = cosines[3, 0] = 0.985
    assert distinct_faithful(question, written, cosines) == 1


def test_of_usable_sub_questions_there_must_be_one_for_each_gold_passage_and_three_at_most() -> None:
    assert enough(2, 2)
    assert enough(3, 4)
    assert not enough(2, 4)
    assert not enough(0, 1)


async def test_only_what_was_kept_out_is_drawn_and_its_half_stays_what_it_was(tmp_path: Path) -> None:
    ids = [f"arts-{number:04}" for number in range(1, 101)]

    async def cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
        async def run(context: SkillContext) -> Seen:
            return Seen({"right": 1.0})

        return [Case(group, run) for group in groups]

    task = Task("answer", ANSWER, "right", "", ("ragtasks",), cases, lambda ground, data: ids)
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path)
    ground = Ground(tmp_path, Workbench(settings), ChatEndpoint("http://localhost", NO_KEY, "none"))
    every = await items(ground, task, "ragtasks:claims", limit=100, seed=0)
    found = await items(ground, task, "ragtasks:claims", limit=100, seed=0, only_kept_out=True)
    assert {one.case.group for one in found} == set(ids[9::10])
    halves_of = {one.case.group: one.half for one in every}
    assert {one.case.group: one.half for one in found}.items() <= halves_of.items()


def test_what_is_kept_is_there_again_but_for_a_line_that_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    Kept(file).add(outcome("a", True, 0.25, right=1.0))
    with file.open("a", encoding="utf-8") as lines:
        lines.write('{"task":"answer","meth')
    again = Kept(file)
    assert [one.group for one in again] == ["a"]
    again.add(outcome("b", right=0.0))
    again.add(outcome("b", right=1.0).model_copy(update={"prompt": "another"}))
    assert len(list(Kept(file))) == 3
    assert [one.values["right"] for one in outcomes_in(file)] == [1.0, 1.0]


def test_two_methods_are_compared_over_the_cases_that_both_have() -> None:
    own = [outcome(group, right=1.0).model_copy(update={"model": "m"}) for group in "abc"]
    rule = [outcome(group, right=0.0).model_copy(update={"method": "rule"}) for group in "bcd"]
    own[0] = own[0].model_copy(update={"unusable": 1})
    line = differences_table([*own, *rule], {"answer": "right"}).splitlines()[-1]
    assert line == "| answer | m | rule | +1.00, 2 | 3 | 1 | 0 | 0.0 | 0.0 |"


async def test_what_takes_longer_than_is_left_is_not_begun(tmp_path: Path) -> None:
    async def cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
        async def run(context: SkillContext) -> Seen:
            return Seen({"right": 1.0})

        return [Case(group, run) for group in groups]

    task = Task("answer", ANSWER, "right", "", ("ragtasks",), cases, lambda ground, data: ["1", "2"])
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path)
    ground = Ground(tmp_path, Workbench(settings), ChatEndpoint("http://localhost", NO_KEY, "none"))
    options = argparse.Namespace(minutes=5, method=[], data=[], limit=2, seed=0, kept_out=False)
    kept = Kept()
    slow = outcome("an earlier one", right=1.0).model_copy(update={"model": "none", "seconds": 400.0})
    kept.add(slow)
    await measure(ground, [task], kept, options)
    assert list(kept) == [slow]
    await measure(ground, [task], kept, argparse.Namespace(**{**vars(options), "method": ["extractive"]}))
    assert [one.group for one in kept if one != slow] == ["1", "2"]


@pytest.mark.parametrize(
    ("option", "name", "known"),
    [("--data", "scifact", "scifact:abstracts"), ("--method", "guess", "embedding")],
)
def test_a_name_that_no_task_has_is_refused(
    option: str,
    name: str,
    known: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["skills", "folder", "--task", "relevance", option, name])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    _, offered = capsys.readouterr().err.split(f"none of these tasks has {name}.")
    assert known in offered
