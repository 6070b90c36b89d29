"""What the tables of docs/results.md are made from."""

from __future__ import annotations

import pytest

from benchmarks.results import PARTS, SETS, searched, settings_of
from core.skills.answer import ANSWER
from core.skills.base import MODEL
from core.skills.reword import SEARCH_QUERIES
from core.strategies import get_strategy
from core.strategies.nodes import EVAL_CUTOFF


@pytest.mark.parametrize("name", SETS)
def test_the_first_list_of_several_is_never_all_that_is_judged(name: str) -> None:
    for part in PARTS:
        settings = settings_of(name, part)
        assert settings[0].strategy == "plain"
        assert len({setting.label for setting in settings}) == len(settings)
        for setting in settings:
            strategy = get_strategy(setting.strategy)
            deep = strategy.parse(setting.params).k >= EVAL_CUTOFF
            assert deep != strategy.appends
            assert strategy.appends == (part == "listed" and setting.strategy != "plain")


def test_settings_are_the_same_whether_defaults_are_written_out_or_not() -> None:
    short = settings_of("scifact", "ranked")[6]
    strategy = get_strategy(short.strategy)
    full = short.model_copy(update={"params": strategy.parse(short.params).model_dump()})
    assert searched(full, True, False) == searched(short, True, False)
    other = full.model_copy(update={"params": {**full.params, "k": 4}})
    assert searched(other, True, False) != searched(short, True, False)
    assert searched(settings_of("scifact", "ranked")[5], True, False) != searched(short, True, False)


def test_what_other_methods_wrote_is_not_taken_for_what_those_in_force_write() -> None:
    now = settings_of("scifact", "ranked")[6]

    def alike(methods: dict[str, str], builtin: bool, as_it_came: bool = False) -> bool:
        chosen = now.model_copy(update={"methods": methods})
        return searched(chosen, builtin, as_it_came) == searched(now, builtin, False)

    default = SEARCH_QUERIES.default_method(True)
    assert alike({SEARCH_QUERIES.key: default, ANSWER.key: MODEL}, True)
    assert not alike({SEARCH_QUERIES.key: MODEL}, True)
    assert alike({SEARCH_QUERIES.key: MODEL}, False)
    # Without the adapter it is another search exactly where another method is in force.
    assert alike({}, True, as_it_came=True) == (SEARCH_QUERIES.default_method(True, True) == default)


def test_some_strategies_can_be_asked_for_beside_the_baseline() -> None:
    assert [one.strategy for one in settings_of("scifact", "ranked", ["rag-fusion"])] == [
        "plain",
        "rag-fusion",
    ]
    assert [one.strategy for one in settings_of("scifact", "listed", ["rag-fusion"])] == ["plain"]
