"""What a recording covers, looked up in what it noted of its runs."""

from __future__ import annotations

from typing import Any

from core.models.recordings.covers import Cover, cover, recorded_for_all
from core.models.recordings.items import KeptRun
from tests.cases import cases
from tests.unit.models.recordings.samples import run

PLAIN = run(calls=1, verdict="right")
MORE = run(params={"k": 10})
HYDE = run(strategy="hyde", params={"k": 6, "n": 1})
CLOSED = run(strategy="closed-book", params={}, mark="")
BUILT = run("", strategy="graph", params={})
RUNS = (PLAIN, MORE, HYDE, CLOSED, run("Where?"), BUILT)


@cases("asked", [PLAIN, MORE, HYDE, CLOSED, BUILT, run(searched_only=True), run(params={})])
def test_what_was_recorded_is_found(asked: KeptRun) -> None:
    found = cover(RUNS, asked)
    assert found.run is not None
    assert not found.reason


def test_a_method_of_a_skill_that_is_gone_does_not_count() -> None:
    earlier = run(methods={"answer": "model", "by_rule": "model"})
    assert cover((earlier,), run(methods={"answer": "model"})).run is earlier
    assert "other methods" in cover((earlier,), run(methods={"answer": "copied"})).reason


def test_the_run_that_is_found_says_what_came_of_it() -> None:
    found = cover(RUNS, run()).run
    assert found is not None
    assert (found.calls, found.verdict) == (1, "right")


@cases(
    ("changes", "reason", "nearest", "strategies"),
    [
        ({"question": "When?"}, "this question was not recorded.", None, ()),
        ({"strategy": "ircot"}, "with other strategies only", None, ("plain", "hyde", "closed-book")),
        ({"mark": "others"}, "with other documents", None, ("closed-book",)),
        ({"retriever": "keyword"}, "another retriever", PLAIN, ("hyde", "closed-book")),
        ({"params": {"k": 9}}, "it was recorded with k = 6 or 10.", PLAIN, ("hyde", "closed-book")),
        (
            {"strategy": "hyde", "params": {"k": 9, "n": 3}},
            "with other settings (k, n).",
            HYDE,
            ("plain", "closed-book"),
        ),
        (
            {"params": {"k": 10}, "methods": {"answer": "copied"}},
            "other methods",
            MORE,
            ("hyde", "closed-book"),
        ),
        ({"edited": ("answer.model",)}, "other prompts", PLAIN, ("hyde", "closed-book")),
    ],
)
def test_what_was_not_says_why_and_what_is_nearest(
    changes: dict[str, Any], reason: str, nearest: object, strategies: tuple[str, ...]
) -> None:
    found = cover(RUNS, run(**changes))
    assert reason in found.reason
    assert (found.run, found.nearest, found.strategies) == (None, nearest, strategies)


def test_a_graph_is_built_as_it_was_or_not_at_all() -> None:
    assert cover(RUNS[:-1], BUILT).reason == "no graph was built when it was recorded."
    assert cover((), run()) == Cover(reason="this question was not recorded.")


def test_a_search_alone_does_not_cover_an_answer() -> None:
    alone = (run(searched_only=True),)
    assert cover(alone, run()).reason == "only its search was recorded."
    assert cover(alone, alone[0]).run == alone[0]


def test_questions_that_went_through_every_strategy_of_the_recording() -> None:
    assert recorded_for_all(RUNS) == {"Who?"}
    assert recorded_for_all(
        (*RUNS, run("Where?", strategy="hyde"), run("Where?", strategy="closed-book"))
    ) == {
        "Who?",
        "Where?",
    }
    assert recorded_for_all(()) == frozenset()
