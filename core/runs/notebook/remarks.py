"""How a notebook's script differs from its run, in sentences."""

from __future__ import annotations

from typing import Any

from core.runs.notebook.materials import Materials
from core.runs.notebook.script import Script
from core.runs.notebook.searching import reranked
from core.runs.notebook.widening import WIDENS
from core.runs.record import Record
from core.skills import SKILLS
from core.skills.base import MODEL
from core.skills.rerank import RERANK
from core.strategies.base import AnyStrategy
from core.strategies.lessons import lesson


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
    reranks = ["rerank"] if reranked(script, params) else []
    unknown = set(params) - {*script.takes, "k", *WIDENS, *reranks}
    if changed := [name for name in params if name in unknown and params[name] != defaults[name]]:
        notes.append(f"The script is shorter than the strategy and does not know: {', '.join(changed)}.")
    if params.get("give") == "everything":
        notes.append("Nothing is searched: here are the documents that the run was given.")
    elif strategy.retrieves and not materials.whole_corpus:
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
