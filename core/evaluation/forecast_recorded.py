"""How many calls of an evaluation are new to the recording that plays: known only by trying, on a sample."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.evaluation.dataset_indexing import NotIndexed, indexed_for
from core.evaluation.datasets import DataSet, sample
from core.evaluation.pairs import asks_model, request_of
from core.evaluation.plan import Setting
from core.jobs import WatchedJob
from core.models.choice import ChatChoice
from core.runs.forecast import run_forecast
from core.runs.rehearsal import rehearse
from core.runs.workbench import Workbench
from core.wording import counted

TRIED = 20
"""Questions that are tried at most."""
SEED = 0


@dataclass(frozen=True)
class Tried:
    """What trying questions with a recording told."""

    questions: int
    """Number of questions tried; 0: the documents are not indexed yet, so nothing could be tried."""
    whole: int
    """Number of them that it plays whole, through every setting."""
    new: int
    """Estimated number of new calls of the whole evaluation, by whoever gives what is new."""


class Trying(WatchedJob[Tried, tuple[int, int]]):
    """A sample being tried; its progress are the runs tried so far, and all that will be."""

    def __init__(
        self,
        bench: Workbench,
        open_: Callable[[], DataSet],
        settings: Sequence[Setting],
        *,
        retrieval_only: bool,
        chat: ChatChoice,
    ) -> None:
        """Begin in the background. No model is asked, and nothing is stored.

        Args:
            open_: Gives the data set with the questions of the evaluation; called in a thread.
            settings: Valid settings, see `check_settings`.
            retrieval_only: Whether the answer is left out.
            chat: Plays the recording.
        """
        super().__init__(
            _tried(bench, open_, settings, retrieval_only=retrieval_only, chat=chat, tell=self.tell), (0, 0)
        )


async def _tried(
    bench: Workbench,
    open_: Callable[[], DataSet],
    settings: Sequence[Setting],
    *,
    retrieval_only: bool,
    chat: ChatChoice,
    tell: Callable[[tuple[int, int]], None],
) -> Tried:
    dataset = await asyncio.to_thread(open_)
    asking = [one for one in settings if asks_model(one, retrieval_only)]
    try:
        corpus, asking_in = await indexed_for(dataset, asking, bench.corpora, make=False)
    except NotIndexed:
        return Tried(0, 0, 0)
    every = len(dataset.questions)
    questions = sample(dataset, min(TRIED, every), SEED).questions
    whole = new = done = 0
    tell((0, len(questions) * len(asking_in)))
    for question in questions:
        lacking = 0
        for setting in asking_in:
            request = request_of(
                setting,
                question.text,
                (setting.indexed or corpus).name,
                retrieval_only=retrieval_only,
                chat=chat,
            )
            found = await rehearse(bench, request)
            lacking += bool(found.missing)
            new += run_forecast(bench, request, found).calls_expected - found.known_calls
            done += 1
            tell((done, len(questions) * len(asking_in)))
        whole += not lacking
    return Tried(len(questions), whole, math.ceil(new * every / len(questions)) if questions else 0)


def tried_sentence(found: Tried, questions: int, calls: int, chat: ChatChoice) -> str:
    """What it told, in words; our own, but for the name of the recording, which is raw.

    Args:
        questions: Of the evaluation.
        calls: Expected in it.
        chat: Plays the recording.
    """
    play = chat.play
    if play is None:
        return ""
    name = f"the recording “{play.recording.name}”"
    if not found.questions:
        return f"How many calls are new to {name} is known once the documents are indexed."
    of = "all" if found.questions == questions else "a sample of"
    tried = f"Of {of} {found.questions} question{'s' if found.questions > 1 else ''} tried with {name}, "
    if found.whole == found.questions:
        few = "no call is new" if of == "all" else "so hardly a call should be new"
        return f"{tried}{found.whole} {'are' if found.whole > 1 else 'is'} played whole: {few}."
    whole = f"{tried}{found.whole or 'none'} {'is' if found.whole < 2 else 'are'} played whole"
    if play.missing == "fail":
        return f"{whole}: the others end where a reply is missing."
    if play.missing == "builtin":  # its methods need other numbers of calls than those of the recording
        own = f"in about {counted(found.new, 'call')}" if found.new else "without a call"
        return f"{whole}: the built-in model does what is new, {own}."
    then = "and sent to the endpoint" + (", whose replies are kept" if play.keeps else "")
    most = max(calls, found.new)
    return f"{whole}: about {found.new:,} of {counted(most, 'call')} are new, {then}."
