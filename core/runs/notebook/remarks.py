"""In what a notebook's script cannot do as its run did, in sentences; and what a script has and takes."""

from __future__ import annotations

import ast
from typing import Any

from core.runs.notebook.materials import Materials
from core.runs.record import Record
from core.skills import SKILLS
from core.skills.base import MODEL
from core.strategies.base import Strategy


def prompt_names(script: str) -> set[str]:
    """Names of the prompts of a script."""
    found: set[str] = set()
    for node in ast.parse(script).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def arguments(script: str) -> set[str]:
    """What `ask` of a script takes."""
    for node in ast.parse(script).body:
        if isinstance(node, ast.FunctionDef) and node.name == "ask":
            return {argument.arg for argument in node.args.args}
    return set()


def deviations(
    strategy: Strategy[Any], run: Record, materials: Materials, params: dict[str, Any], script: str
) -> list[str]:
    """In what the script cannot be the run, in sentences; written by us, with nothing of the run's text."""
    started = run.started
    if started is None:
        return []
    notes: list[str] = []
    asked = [skill for skill in strategy.skills if started.methods.get(skill, MODEL) != MODEL]
    if asked:
        titles = ", ".join(f"“{SKILLS[skill].title}”" for skill in asked)
        notes.append(
            f"In the run these were done by other methods: {titles}. The script asks the model for them."
        )
    defaults = strategy.params().model_dump()
    unknown = set(params) - arguments(script) - {"k"}
    if changed := [name for name in params if name in unknown and params[name] != defaults[name]]:
        notes.append(f"The script is shorter than the strategy and does not know: {', '.join(changed)}.")
    if strategy.retrieves and not materials.whole_corpus:
        notes.append(
            "The corpus is large, or no longer here as it was: here are only the passages that the run found. A "
            "search with other words may find less than it would in the whole corpus."
        )
        if started.retriever not in (None, "dense"):
            notes.append("Keyword search weighs words by the whole corpus, so its order may differ here.")
    if params.get("resolve_references"):
        notes.append(
            "Which sub-questions point at an earlier answer is told by a simpler rule than in the run."
        )
    if strategy.key == "decomposition-independent":
        notes.append(
            "Words that stand in a sub-question for an answer that is not there yet come from a simpler rule than in "
            "the run."
        )
    if started.retriever == "hybrid" and strategy.key == "rag-fusion":
        notes.append(
            "The run fused dense and keyword rankings of all queries at once; here each query's two are first."
        )
    if started.retriever not in (None, "dense") and strategy.key == "hyde":
        notes.append("The run searched by keywords too; the script searches with vectors.")
    if strategy.key == "kg-rag":
        whole = "All triples of the graph" if materials.whole_graph else "The triples of the run's way"
        notes.append(
            f"{whole} are here, to be walked in memory. The script plans and chooses in a simpler way than the run, "
            "with prompts of its own but for the last: its way may differ."
        )
    if strategy.key == "agentic":
        notes.append(
            "The graph's tools need the database, so they are not here: the model may search the documents, and what "
            "the graph gave to the run lies among them. It will not go the run's way."
        )
    if run.fork is not None:
        notes.append("Somebody edited this run on the way; the script goes the way without that.")
    if started.builtin:
        notes.append(
            "The tiny built-in model answered in the run; it cannot follow the prompts of the script."
        )
    return notes
