"""Every strategy is found, described in full, and cheap to read."""

from typing import Any

import pytest

from core.errors import InputError
from core.skills import SKILLS, methods_in_force
from core.skills.base import CAPABLE, TINY
from core.strategies import get_strategy, strategies
from core.strategies.base import AnyStrategy

ALL = list(strategies().values())


def test_the_strategies_in_teaching_order() -> None:
    assert list(strategies())[:4] == ["closed-book", "plain", "multi-query", "rag-fusion"]


@pytest.mark.parametrize("strategy", ALL, ids=lambda strategy: strategy.key)
class TestEach:
    def test_it_is_described(self, strategy: AnyStrategy) -> None:
        assert all((strategy.title, strategy.idea, strategy.paper, strategy.helps, strategy.hurts))
        for field in strategy.params.model_fields.values():
            assert field.description
            assert field.title

    def test_its_graph_ends_in_answer_and_is_drawn_without_gaps(self, strategy: AnyStrategy) -> None:
        diagram = strategy.diagram()
        assert [edge.source for edge in diagram.edges if edge.target == "__end__"] == ["answer"]
        reached = {"__start__"}
        for _ in diagram.nodes:
            reached |= {edge.target for edge in diagram.edges if edge.source in reached}
        assert reached == set(diagram.nodes)
        assert all(title != key for key, title in diagram.nodes.items() if not key.startswith("__"))

    def test_its_skills_exist_and_the_forecast_follows_the_methods(self, strategy: AnyStrategy) -> None:
        assert set(strategy.skills) <= set(SKILLS)
        params = strategy.params()
        endpoint = strategy.forecast(params, methods_in_force(strategy.skills, CAPABLE, {}))
        stages = strategy.stages(params)
        usual = [stage for stage in stages if stage.way in ("", stages[-1].way)]
        assert endpoint.rounds == sum(stage.count > 0 and not stage.beside for stage in usual)
        assert endpoint.rounds <= endpoint.rounds_most <= max(endpoint.rounds, endpoint.calls_most)
        assert endpoint.calls_expected <= endpoint.calls_most
        if strategy.lacking(True):
            with pytest.raises(InputError, match="needs a model that reasons"):
                methods_in_force(strategy.skills, TINY, {})
        else:
            builtin = strategy.forecast(params, methods_in_force(strategy.skills, TINY, {}))
            assert builtin.rounds <= endpoint.rounds
        assert not strategy.lacking(False)

    def test_what_is_asked_with_the_question_alone_has_no_passages_in_its_prompts(
        self, strategy: AnyStrategy
    ) -> None:
        for stage in strategy.stages(strategy.params()):
            if stage.asked_with is not None:
                slots = {slot for method in SKILLS[stage.skill].methods for slot in method.slots}
                assert slots <= {"question", *stage.asked_with}
                assert strategy.params.model_fields.keys() >= set(stage.asked_with)

    def test_its_tutorial_is_a_script_of_its_own(self, strategy: AnyStrategy) -> None:
        code = compile(strategy.tutorial, strategy.key, "exec")
        names: dict[str, Any] = {}
        exec(code, names)
        assert callable(names["ask"])
        assert "from core" not in strategy.tutorial


def test_unknown_strategy_parameter_and_value_are_named() -> None:
    with pytest.raises(InputError, match="no strategy 'rag-fushion'. Choose one of: closed-book, plain"):
        get_strategy("rag-fushion")
    fusion = get_strategy("rag-fusion")
    with pytest.raises(InputError, match="no parameter 'rff_k'. Its parameters: k, context_size, rerank, n"):
        fusion.parse({"rff_k": "60"})
    with pytest.raises(InputError, match="'n': input should be less than or equal to 12, but it is 99"):
        fusion.parse({"n": "99"})
    with pytest.raises(InputError, match="'first_rank'"):
        fusion.parse({"first_rank": "7"})


@pytest.mark.parametrize("values", [{"n": "9" * 20_000}, {"n": "[" * 20_000}, {"x" * 20_000: "1"}])
def test_what_is_refused_is_quoted_in_short(values: dict[str, str]) -> None:
    with pytest.raises(InputError) as raised:
        get_strategy("rag-fusion").parse(values)
    assert len(str(raised.value)) < 400


def test_words_from_a_command_line_become_values() -> None:
    params = get_strategy("rag-fusion").parse({"n": "3", "first_rank": "0", "include_original": "false"})
    assert (params.n, params.first_rank, params.include_original) == (3, 0, False)
