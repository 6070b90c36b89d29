"""What the tables of docs/results.md are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.datasets import DATA, read_folder
from core.evaluation.pairs import check_settings
from core.evaluation.plan import Setting
from core.skills.answer import ANSWER
from core.skills.base import CAPABLE, MODEL, TINY, ModelKind
from core.skills.reword import SEARCH_QUERIES
from core.strategies import get_strategy
from core.trace.artefacts import EVAL_CUTOFF
from research.results import (
    BASELINE,
    Noted,
    Row,
    asks_to_search,
    pieces,
    read_noted,
    searched,
    settings,
    table,
    write_noted,
)


def of(key: str) -> Setting:
    return next(one for one in settings() if one.strategy == key)


def test_the_first_list_of_several_is_never_all_that_is_judged() -> None:
    for setting in settings():
        strategy = get_strategy(setting.strategy)
        assert (strategy.parse(setting.params).k >= EVAL_CUTOFF) != strategy.appends


def test_every_row_can_be_judged_and_those_without_a_model_come_first() -> None:
    check_settings(settings(), retrieval_only=True)
    assert settings()[0].label == BASELINE
    asking = [setting.strategy for setting in settings() if asks_to_search(setting)]
    assert asking == [setting.strategy for setting in settings()][-len(asking) :]
    assert {"rag-fusion", "self-rag"} < set(asking)
    # With the built-in model its thoughts are sentences of the passages; with an endpoint the model thinks.
    assert "ircot" not in asking
    assert asks_to_search(of("ircot"), CAPABLE)


def test_settings_are_the_same_whether_defaults_are_written_out_or_not() -> None:
    short = of("hyde")
    strategy = get_strategy(short.strategy)
    full = short.model_copy(update={"params": strategy.parse(short.params).model_dump()})
    assert searched(full, TINY) == searched(short, TINY)
    other = full.model_copy(update={"params": {**full.params, "k": 4}})
    assert searched(other, TINY) != searched(short, TINY)
    assert searched(of("multi-query"), TINY) != searched(short, TINY)


def test_what_other_methods_wrote_is_not_taken_for_what_those_in_force_write() -> None:
    now = of("rag-fusion")

    def alike(methods: dict[str, str], kind: ModelKind) -> bool:
        chosen = now.model_copy(update={"methods": methods})
        return searched(chosen, kind) == searched(now, kind)

    default = SEARCH_QUERIES.default_method(TINY)
    assert alike({SEARCH_QUERIES.key: default, ANSWER.key: MODEL}, TINY)
    assert not alike({SEARCH_QUERIES.key: MODEL}, TINY)
    assert alike({SEARCH_QUERIES.key: MODEL}, CAPABLE)


def test_a_larger_sample_begins_with_the_pieces_of_a_smaller_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research.results.PIECE", 20)
    dataset = read_folder(DATA / "2wiki_demo60")

    def drawn(*limits: int | None) -> list[set[str]]:
        return [{one.id for one in piece.questions} for piece in pieces(dataset, limits, 0)]

    assert drawn(None, 40) == drawn(60)[:2]
    assert [len(piece) for piece in drawn(None, None)] == [20, 20, 20]
    assert len(set.union(*drawn())) == 60


def test_a_table_compares_the_questions_that_both_have_and_corrects_for_all_rows() -> None:
    best, *others = settings()[:4]
    found: dict[str, Mapping[str, float]] = {
        f"q{number}": {"nDCG@10": 0.5, "R@10": 0.5, "calls": 0} for number in range(8)
    }
    better: dict[str, Mapping[str, float]] = {
        key: {"nDCG@10": 0.7, "R@10": 1.0, "calls": 2} for key in list(found)[:6]
    }
    baseline, row = Row(best, found), Row(others[0], better)
    lines = list(table([baseline, row]))
    assert lines[2] == f"| {BASELINE} |  | baseline | 0.500 (0.500 to 0.500) | 0.500 | 0.0 | 8 |"
    # Six equal differences: 2 of 64 assignments of signs are as extreme, p = 0.031; twice that is above 0.05.
    assert "| +0.200 (+0.200 to +0.200) | **better** | 0.700 (0.700 to 0.700) | 1.000 | 2.0 | 6 |" in lines[3]
    again = replace(row, setting=others[1])
    assert "no significant difference" in list(table([baseline, row, again]))[3]


def test_what_was_noted_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "noted.tsv"
    assert read_noted(file) == {}
    noted: Noted = {("one", "Plain, hybrid"): {"q2": {"nDCG@10": 1 / 3, "R@10": 1.0, "calls": 2.0}}}
    write_noted(file, noted)
    assert read_noted(file) == {
        ("one", "Plain, hybrid"): {"q2": {"nDCG@10": 0.333333, "R@10": 1.0, "calls": 2.0}}
    }
