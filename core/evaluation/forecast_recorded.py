"""How much of an evaluation the recording that plays covers, and how many calls are new: looked up, never played."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from core.evaluation.dataset_indexing import NotIndexed, indexed_for
from core.evaluation.datasets import DataSet
from core.evaluation.forecast import calls_of
from core.evaluation.pairs import asks_model, request_of
from core.evaluation.plan import Indexed, Setting
from core.jobs import Job
from core.models.choice import BUILTIN, ChatChoice
from core.models.recordings.covers import cover
from core.models.recordings.items import KeptRun
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.recorded import mark_of
from core.runs.covered import as_noted
from core.runs.workbench import Workbench
from core.wording import counted


@dataclass(frozen=True)
class Covered:
    """How much of an evaluation a recording covers."""

    questions: int
    """Number of questions; 0: the documents are not indexed yet, so nobody knows."""
    whole: int
    """Number of them that it covers through every setting that asks a model."""
    new: int
    """Expected number of new calls, by whoever gives what is new."""


class CoveredJob(Job[Covered]):
    """It being looked up in the background. No model is asked, and nothing is stored."""

    def __init__(
        self,
        bench: Workbench,
        open_: Callable[[], DataSet],
        settings: Sequence[Setting],
        *,
        retrieval_only: bool,
        chat: ChatChoice,
    ) -> None:
        """
        Args:
            open_: Gives the data set with the questions of the evaluation; called in a thread.
            settings: Valid settings, see `check_settings`.
            retrieval_only: Whether the answer is left out.
            chat: Plays the recording.
        """
        super().__init__(_covered(bench, open_, settings, retrieval_only=retrieval_only, chat=chat))


async def _covered(
    bench: Workbench,
    open_: Callable[[], DataSet],
    settings: Sequence[Setting],
    *,
    retrieval_only: bool,
    chat: ChatChoice,
) -> Covered:
    dataset = await asyncio.to_thread(open_)
    asking = [one for one in settings if asks_model(one, retrieval_only)]
    try:
        # Documents of the app are made ready in any case.
        corpus, asking_in = await indexed_for(dataset, asking, bench.corpora, make=bool(dataset.corpus))
    except NotIndexed:
        return Covered(0, 0, 0)

    def look() -> Covered:
        if chat.play is None:
            raise ValueError("only what plays can be looked up")
        runs = defaultdict[str, list[KeptRun]](list)
        for run in bench.recordings.store.runs(chat.play.recording.id):
            runs[run.question].append(run)
        lacking, new = set[str](), 0
        for setting in asking_in:
            where = setting.indexed or corpus
            request = request_of(setting, "", where.name, retrieval_only=retrieval_only, chat=chat)
            noted = as_noted(bench, request, _mark(bench, where))
            asked = {one.id: noted.model_copy(update={"question": one.text}) for one in dataset.questions}
            missing = {key for key, one in asked.items() if not cover(runs[one.question], one).run}
            usual, _ = calls_of(bench, setting, retrieval_only=retrieval_only, chat=_who_else(bench, chat))
            lacking |= missing
            new += usual * len(missing)
        return Covered(len(dataset.questions), len(dataset.questions) - len(lacking), new)

    return await asyncio.to_thread(look)


def _mark(bench: Workbench, corpus: Indexed) -> str:
    catalogue = bench.corpora.catalogue
    return mark_of(SearchableCorpus(catalogue.corpus(corpus.name), catalogue, ""))


def _who_else(bench: Workbench, chat: ChatChoice) -> ChatChoice:
    """Who gives what the recording lacks."""
    if chat.play is not None and chat.play.missing == "builtin":
        return replace(
            chat, play=None, endpoint=None, file="", model=BUILTIN if bench.settings.has_own_model else ""
        )
    return chat


def covered_sentence(found: Covered, calls: int, chat: ChatChoice) -> str:
    """How much it is, in words; our own, but for the name of the recording, which is raw.

    Args:
        found: What was looked up.
        calls: Expected in the evaluation.
        chat: Plays the recording.
    """
    play = chat.play
    if play is None:
        return ""
    name = f"the recording “{play.recording.name}”"
    if not found.questions:
        return f"How many calls are new to {name} is known once the documents are indexed."
    if found.whole == found.questions:
        every = "the question" if found.questions == 1 else f"all {found.questions} questions"
        return f"{name[0].upper()}{name[1:]} covers {every} through every setting: no call is new."
    whole = f"Of {counted(found.questions, 'question')}, {name} covers {found.whole or 'none'} through every setting"
    if play.missing in ("fail", "ask"):
        return f"{whole}: the others end where a reply is missing."
    if play.missing == "builtin":  # its methods need other numbers of calls than those of the recording
        own = f"in about {counted(found.new, 'call')}" if found.new else "without a call"
        return f"{whole}: the built-in model does what is new, {own}."
    then = "and sent to the endpoint" + (", whose replies are kept" if play.keeps else "")
    most = max(calls, found.new)
    return f"{whole}: about {found.new:,} of {counted(most, 'call')} are new, {then}."
