"""What the tables of docs/results.md are made from."""

from __future__ import annotations

import pytest

from benchmarks.results import PARTS, SETS, same, settings_of
from core.skills.answer import ANSWER
from core.skills.base import MODEL
from core.skills.reword import SEARCH_QUERIES
from core.strategies import get_strategy
from core.strategies.nodes import JUDGED_DEPTH


@pytest.mark.parametrize("name", SETS)
def test_the_first_list_of_several_is_never_all_that_is_judged(name: str) -> None:
    for part in PARTS:
        settings = settings_of(name, part)
        assert settings[0].strategy == "plain"
        assert len({setting.label for setting in settings}) == len(settings)
        for setting in settings:
            strategy = get_strategy(setting.strategy)
            deep = strategy.parse(setting.params).k >= JUDGED_DEPTH
            assert deep != strategy.appends
            assert strategy.appends == (part == "listed" and setting.strategy != "plain")


def test_settings_are_the_same_whether_defaults_are_written_out_or_not() -> None:
    short = settings_of("scifact", "ranked")[4]
    strategy = get_strategy(short.strategy)
    full = short.model_copy(update={"params": strategy.parse(short.params).model_dump()})
    assert same(full, short, True)
    assert not same(full.model_copy(update={"params": {**full.params, "k": 4}}), short, True)
    assert not same(settings_of("scifact", "ranked")[3], short, True)


def test_what_other_methods_wrote_is_not_taken_for_what_those_in_force_write() -> None:
    now = settings_of("scifact", "ranked")[4]
    default = SEARCH_QUERIES.default_method(True)
    assert same(
        now.model_copy(update={"methods": {SEARCH_QUERIES.key: default, ANSWER.key: MODEL}}), now, True
    )
    assert not same(now.model_copy(update={"methods": {SEARCH_QUERIES.key: MODEL}}), now, True)
    assert same(now.model_copy(update={"methods": {SEARCH_QUERIES.key: MODEL}}), now, False)
