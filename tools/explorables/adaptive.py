"""Adaptive RAG with handles: the reader sends each question a way, and sees what came of all ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.cards.kinds.route import WAYS
from core.strategies.adaptive import STRATEGY, Params, ways
from tools.explorables.forked import forked

ASKED = ("q01", "q03", "q11")
"""A question that one search answers; one in two steps; one that looks easy and sends the router wrong: a search misses
the passage, and what the model knows by heart would do."""
HOW = (
    "Be the router: for each question choose the cheapest way that you think will do. What came of every way "
    "appears, and which one the router chose."
)


def make() -> dict[str, Any]:
    """For each question what each way came to, and what the router's did."""
    runs = forked().runs
    costs = runs[f"{STRATEGY.key} {ASKED[0]}"]["data"]["ways"]
    return {
        "question": "Which way is cheap, and good enough?",
        "about": "Recorded runs on Pellamar, with Claude: each question in each way, and through the router.",
        "how": HOW,
        "ways": [
            {"key": key, "name": name, "about": about, "strategy": cost["strategy"], "cost": cost["cost"]}
            for (key, (name, about)), cost in zip(WAYS.items(), costs, strict=True)
        ],
        "asked": [_asked(question) for question in ASKED],
    }


def _asked(question: str) -> dict[str, Any]:
    runs = forked().runs
    routed = runs[f"{STRATEGY.key} {question}"]
    return {
        "question": routed["question"],
        "right": routed["right"],
        "of": routed["of"],
        "router": {name: routed[name] for name in ("way", "reason", "calls", "verdict")},
        "runs": {
            way: {name: run[name] for name in ("answer", "verdict", "calls", "found")}
            | {
                "given": len(run["given"]),
                "stars": [
                    f"{one['card']['title']} {one['detail']}".strip()
                    for one in run["given"]
                    if one["card"].get("starred")
                ],
            }
            for way, run in _runs(question).items()
        },
    }


def _runs(question: str) -> dict[str, Mapping[str, Any]]:
    """Way -> the run of its strategy."""
    return {way: forked().runs[f"{strategy.key} {question}"] for way, (strategy, _) in ways(Params()).items()}


def computed(_data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`totals`: how many answers are `right` and how many `calls` they took, of the questions that were sent a way.

    They are those of the reader's ways (`you`), of the `router`, and of each way for all of them.

    Args:
        values: `way1` and so on: a way, or nothing.
    """
    sent = [(key, way) for place, key in enumerate(ASKED, 1) if (way := values[f"way{place}"])]
    taken = {
        "you": [_runs(key)[way] for key, way in sent],
        "router": [forked().runs[f"{STRATEGY.key} {key}"] for key, _ in sent],
    } | {way: [_runs(key)[way] for key, _ in sent] for way in WAYS}
    return {"totals": {name: _total(runs) for name, runs in taken.items()}}


def _total(runs: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {
        "right": sum(run["verdict"] == "right" for run in runs),
        "calls": sum(run["calls"] for run in runs),
    }
