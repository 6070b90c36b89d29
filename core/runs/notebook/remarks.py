"""How a notebook's script differs from its run, in sentences."""

from __future__ import annotations

from typing import Any

from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.runs.notebook.searching import nearest, searches
from core.runs.record import Record
from core.skills import SKILLS
from core.skills.base import MODEL
from core.skills.rerank import RERANK
from core.strategies.base import AnyStrategy
from core.strategies.lessons import lesson
from core.trace.artefacts import Ranking
from core.trace.events import RunStarted

_NOT_SEARCHED_SO = {"rerank", "give", "neighbours", "most_tokens"}
"""Parameters of a search that a notebook does not do, each with a sentence of its own."""


def deviations(
    strategy: AnyStrategy, run: Record, materials: Materials, params: dict[str, Any], script: Script
) -> list[str]:
    """How the script differs from the run, in sentences; written by us, with nothing of the run's text."""
    started = run.started
    if started is None:
        return []
    notes: list[str] = []
    asked = [
        skill
        for skill in strategy.skills
        if skill != RERANK.key and started.methods.get(skill, MODEL) != MODEL
    ]
    if asked:
        titles = ", ".join(f"“{SKILLS[skill].title}”" for skill in asked)
        notes.append(
            f"In the run these were done by other methods: {titles}. The script asks the model for them."
        )
    defaults = strategy.params().model_dump()
    unknown = set(params) - {*script.takes, "k", *_NOT_SEARCHED_SO}
    if changed := [name for name in params if name in unknown and params[name] != defaults[name]]:
        notes.append(f"The script is shorter than the strategy and does not know: {', '.join(changed)}.")
    notes += _plainer(run, started, params, script)
    if strategy.retrieves and not materials.whole_corpus:
        notes.append(
            "The corpus is large, or no longer here as it was: here are only the passages that the run found. A "
            "search with other words may find less than it would in the whole corpus."
        )
        if started.retriever not in (None, "dense"):
            notes.append("Keyword search weighs words by the whole corpus, so its order may differ here.")
    if started.where and materials.whole_corpus:
        notes.append(
            "The run searched only the documents that its filter leaves: here are their passages alone."
        )
        if started.retriever != "dense":
            notes.append("Keyword search weighs words by the whole corpus, so its order may differ here.")
    if any(source.passage.indexed_with for source in materials.sources):
        notes.append(
            "Passages are searched with the contexts that a model wrote for the index. Where one is too long for the "
            "embedding model beside its text, the app cuts the context; here the end of the text is lost."
        )
    if params.get("resolve_references"):
        notes.append(
            "Which sub-questions point at an earlier answer is told by a simpler rule than in the run."
        )
    if "graph" in script.needs:
        whole = "All triples of the graph" if materials.whole_graph else "The triples of the run's way"
        notes.append(f"{whole} are here, to be walked in memory.")
    notes += [
        remark.says
        for remark in lesson(strategy.key).remarks
        if not remark.retrievers or (started.retriever in remark.retrievers and started.dense_share is None)
    ]
    if run.fork is not None:
        notes.append("Somebody edited this run on the way; the script goes the way without that.")
    if run.totals.played:
        notes.append(
            "In the run, replies were played from a recording; the script asks the model at your endpoint, which may "
            "reply otherwise."
        )
    if started.builtin:
        notes.append(
            "The tiny built-in model answered in the run; it cannot follow the prompts of the script."
        )
    return notes


def _plainer(run: Record, started: RunStarted, params: dict[str, Any], script: Script) -> list[str]:
    """Where the script searches more plainly than the run."""
    notes: list[str] = []
    kinds = [kind for kind in searches(script, started, params) if kind]
    if "linked" in kinds:
        notes.append(
            "Where the run searched along mentions of titles, the script merges dense and keyword search, with which "
            "such a walk begins."
        )
    if any(hit.before for ranking in run.find(Ranking) for hit in ranking.hits):
        notes.append("The run put what it found in the order of a second judge; the script does not.")
    if params.get("give") == "everything":
        notes.append("The run gave all documents without a search; the script gives what it finds.")
    elif params.get("give", "passages") != "passages":
        notes.append(
            "The run gave more than it found, its surroundings or whole documents; the script gives what it finds."
        )
    if any(nearest(kind) != "dense" for kind in kinds):
        notes.append(
            "Keyword search cuts text into words by simpler rules than the app, so its order may differ here."
        )
    return notes
