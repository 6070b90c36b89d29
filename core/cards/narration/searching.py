"""What a run searches with, in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.cards.narration.told import Told
from core.cards.narration.words import quoted
from core.trace.artefacts import DroppedQuery, HypotheticalDocuments, Queries, Rewrite, StepBack
from core.wording import counted


def queries(found: Sequence[Queries], told: Told) -> str:
    queries = found[-1].queries
    itself = any(query.origin == "question" for query in queries)
    if any(query.origin == "user" for query in queries):
        text = f"You chose what is searched with: {counted(len(queries), 'query', 'queries')}"
    elif len(queries) == 1:
        text = (
            "The question is searched as it is"
            if itself
            else f"It is searched with {quoted(queries[0].text)}"
        )
    else:
        text = f"The question becomes {len(queries)} queries" + (", itself the first" if itself else "")
    return f"{text}{_dropped(found[-1].dropped)}."


def _dropped(dropped: Sequence[DroppedQuery]) -> str:
    """How many variants were dropped, and why most of them were."""
    if not dropped:
        return ""
    (reason, times), *_ = Counter(one.reason.partition(" (")[0] for one in dropped).most_common(1)
    why = reason if times == len(dropped) else f"most of them: {reason}"
    return f"; {counted(len(dropped), 'more was', 'more were')} dropped ({why})"


def step_back(found: Sequence[StepBack], told: Told) -> str:
    made = found[-1]
    if made.general == made.question:
        return "No more general question was found, so the question is searched alone."
    return f"A step back: {quoted(made.general)} is searched beside the question."


def hypothetical(found: Sequence[HypotheticalDocuments], told: Told) -> str:
    count = len(found[-1].texts)
    if not count:
        return "No passage was made up, so the question is searched as it is."
    one = count == 1
    made = "A passage is made up" if one else f"{count} passages are made up"
    false = "It may be false: it only leads" if one else "They may be false: they only lead"
    return f"{made} that would answer the question. {false} to real ones."


def rewrite(found: Sequence[Rewrite], told: Told) -> str:
    return f"The question is put differently and searched again: {quoted(found[-1].after)}"
