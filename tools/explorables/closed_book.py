"""Closed book with handles: two models, with documents and without; first one says what will come from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.strategies.base import BASELINE
from core.strategies.closed_book import STRATEGY
from tools.explorables.forked import TEXT, forked

ASKED = ("q86", "q11", "q03", "q01")
MODELS = {
    "large": ("Claude", ""),
    "small": ("the tiny built-in model", " built-in"),
}
"""Key -> what a model is called, and the end of its runs' titles."""
HOW = (
    "The documents are about an island that does not exist. Choose what a model will say from memory, and its answer "
    "appears. Then give it documents, or ask the other model."
)


def make(asked: Sequence[str] = ASKED) -> dict[str, Any]:
    """Return the answers of two models to these questions, without documents and with them."""
    return {
        "question": "What does a model know by itself?",
        "about": "Recorded runs: Claude, and the model that comes with the app. With documents: plain retrieval on "
        "Pellamar.",
        "how": HOW,
        "models": [{"key": key, "name": name} for key, (name, _) in MODELS.items()],
        "asked": [
            {
                "key": question,
                "question": _run(question, "large", "without")["question"],
                "right": _run(question, "large", "without")["right"],
                "runs": {
                    model: {
                        documents: _told(_run(question, model, documents))
                        for documents in ("without", "with")
                    }
                    for model in MODELS
                },
            }
            for question in asked
        ],
    }


def _run(question: str, model: str, documents: str) -> Mapping[str, Any]:
    strategy = BASELINE if documents == "with" else STRATEGY.key
    run: Mapping[str, Any] = forked().runs[f"{strategy} {question}{MODELS[model][1]}"]
    return run


def _told(run: Mapping[str, Any]) -> dict[str, Any]:
    given = [one for one in run["given"] if one["card"].get("starred")]
    evidence = [one["card"] | {TEXT: forked().texts[one["card"]["id"]]} for one in given]
    return {name: run[name] for name in ("answer", "verdict", "found", "of")} | {
        "given": len(run["given"]),
        "evidence": evidence,
    }


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `verdict` on what is said from memory and, with documents, on that answer (`beside`); whether that was
    foreseen (`hit`); where nothing is foreseen all are empty.

    Args:
        data: As `make` gives it.
        values: `asked`, `model`, `documents`, and `memory`: of which question and model, and the verdict that is
            foreseen.
    """
    question = data["asked"][int(values["asked"])]["key"]
    about, _, foreseen = values["memory"].rpartition(".")
    if about != f"{question}.{values['model']}":
        return {"verdict": "", "beside": "", "hit": False}
    verdict = _run(question, values["model"], "without")["verdict"]
    beside = _run(question, values["model"], "with")["verdict"] if values["documents"] == "with" else ""
    return {"verdict": verdict, "beside": beside, "hit": foreseen == verdict}
