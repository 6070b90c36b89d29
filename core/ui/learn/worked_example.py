"""The worked example of a lesson: a question where the strategy finds more, one where not, and both to be run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.charts.shared_evidence import gold_rows
from core.corpora.demo import DEMO_CORPUS
from core.errors import LoupeError
from core.jobs import Job
from core.runs.budget import given_passages, known_gold
from core.runs.gallery import demo_request
from core.runs.record import Record
from core.runs.workbench import Workbench
from core.strategies import get_strategy
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.lessons import Example, Examples, Observed, examples
from core.trace.artefacts import Ranking
from core.trace.gold import Gold
from core.trace.passages import Passage
from core.ui.fixes.ticking import ticking
from core.ui.run.live import END_SECONDS, TICK_SECONDS, find_run, live
from core.ui.run.whole_run import compare_link, draw_run
from core.ui.shell import address, session
from core.ui.shell.progress import watch_demo
from core.ui.shell.safe import literal
from core.wording import counted

WORKED_EXAMPLE = "Worked example: a question where it helps and one where it does not, to be run here"
TITLES = {"helps": "Where it finds more evidence", "fails": "Where it does not find more evidence"}
BASELINE_TITLES = {"helps": "Where it finds all the evidence", "fails": "Where it misses evidence"}
ALONE_TITLES = {
    "helps": "Where it knows what the search did not bring",
    "fails": "Where the search brings what it does not know",
}
EXPLORING_TITLES = {
    "helps": "Where it is right and plain retrieval is not",
    "fails": "Where it is not right",
}
"""Titles where answers are compared: of strategies whose evidence is no passages, and where both found the same
(see `tools.examples.lessons`)."""
NONE_FOUND = "Among the {tried} demo questions tried there was none. That is a finding too: "
NONE_WITH = "it is about {model}, and another one may tell another story."
NONE_KNOWN = "the country in the demo documents is invented, and no model was taught about it."


PLAYED = "With another model it may come out differently."
ASKED_ANEW = "Each was run once. The model writes new text each time, so your run may come out differently."


@dataclass(frozen=True)
class StartedRun:
    """The run that was started in a lesson."""

    run: str
    gold: tuple[Gold, ...]
    search: Job[Ranking] | None
    """Plain retrieval's search for the same question; it asks no model."""


def draw_worked_example(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw both questions with their observations, and the run of the one that was started."""
    observed = examples(strategy.key)
    if not observed:
        return
    demo = session.demo(bench)
    indexed = demo.done and demo.error() is None
    shown: StartedRun | None = st.session_state.get(_key(strategy))
    job, run = find_run(bench, shown.run) if shown else (None, None)
    with st.expander(WORKED_EXAMPLE, icon=":material/play_circle:", key="worked-example"):
        found = _chosen(observed)
        st.caption(
            f"Found by running, not invented: {found.tried} of the demo questions were tried with {_model(found)}, the "
            f"built-in embeddings, {found.retriever} retrieval and default parameters. "
            f"{PLAYED if found.recording else ASKED_ANEW}"
        )
        with st.grid(2, min_column_width=320, gap="small"):
            for kind in ("helps", "fails"):
                _question(bench, strategy, found, kind, locked=not indexed or job is not None)
    if not indexed:
        watch_demo(bench)
    if error := st.session_state.get(f"{_key(strategy)}-error"):
        st.error(literal(error), title="The run could not be started", icon=":material/error:")
    if shown is None or run is None:
        return
    if job is not None:
        st.button("Stop", key="stop-example", icon=":material/stop:", on_click=job.stop, args=(END_SECONDS,))
        live(bench, job, lambda record: _marks(strategy, shown, record))
        return
    _final_marks(strategy, shown, run)
    with st.container(horizontal=True, gap="small"):
        st.page_link(
            "pages/playground.py",
            label="Open this run in the Playground, to edit it and run on",
            icon=":material/open_in_new:",
            query_params={address.RUN: shown.run},
        )
        compare_link(shown.run)
    if run.lacking:
        st.page_link(
            "pages/playground.py",
            label="Choose in the Playground which model does the rest",
            icon=":material/new_label:",
            query_params={address.RUN: shown.run},
        )
    draw_run(run, attempts=bench.settings.model_attempts)


def _key(strategy: AnyStrategy) -> str:
    return f"example-{strategy.key}"


def _chosen(observed: Sequence[Examples]) -> Examples:
    """Draw the choice of the model that answered, where several have been tried."""
    if len(observed) == 1:
        return observed[0]
    place: int = st.segmented_control(
        "Answers of",
        range(len(observed)),
        default=0,
        required=True,
        format_func=lambda place: _who(observed[place]),
        key="example-who",
        label_visibility="collapsed",
    )
    return observed[place]


def _who(found: Examples) -> str:
    """Return the model that answered, in a few words."""
    if found.builtin:
        return "The tiny built-in model"
    return f"{literal(found.model)}, recorded" if found.recording else literal(found.model)


def _model(found: Examples) -> str:
    """Return the model that answered, as a part of a sentence."""
    if found.recording:
        return f"replies of {literal(found.model)} that the recording “{literal(found.recording)}” holds"
    return f"{'the tiny built-in model' if found.builtin else 'the model'} ({literal(found.model)})"


def title(strategy: AnyStrategy, kind: str, example: Example | None) -> str:
    """Return the title of an example, which is of the kind `helps` or `fails`."""
    if strategy.key == BASELINE:
        return BASELINE_TITLES[kind]
    if strategy.alone:
        return ALONE_TITLES[kind]
    same = example is not None and example.strategy.gold <= example.plain.gold
    if strategy.explores or (kind == "helps" and same):
        return EXPLORING_TITLES[kind]
    return TITLES[kind]


def _question(bench: Workbench, strategy: AnyStrategy, found: Examples, kind: str, *, locked: bool) -> None:
    """Draw a card: the question, the observation, and the button that runs it."""
    example: Example | None = getattr(found, kind)
    with st.container(border=True, key=f"question-{kind}", gap="small"):
        icon = ":material/add_circle:" if kind == "helps" else ":material/do_not_disturb_on:"
        st.markdown(f"{icon} **{title(strategy, kind, example)}**")
        if example is None:
            why = NONE_KNOWN if strategy.alone else NONE_WITH.format(model=_model(found))
            st.markdown(NONE_FOUND.format(tried=found.tried) + why)
            return
        st.markdown(f"“{literal(example.question)}”")
        if example.shows:
            st.caption(f"The question is there to show: {literal(example.shows)}")
        st.markdown(observation(strategy, example))
        if st.button("Run it here", key=f"run-{kind}", icon=":material/play_arrow:", disabled=locked):
            _start(bench, strategy, example, found)
            st.rerun()


def observation(strategy: AnyStrategy, example: Example) -> str:
    """Return the observation of an example, as Markdown of our own."""
    plain = get_strategy(BASELINE)
    lines = [f"- **{literal(plain.title)}**: {_saw(example.plain, example)}"]
    if strategy.key != BASELINE:
        mine = _explored(example.strategy) if strategy.explores else _saw(example.strategy, example)
        lines.append(f"- **{literal(strategy.title)}**: {mine}")
    if strategy.retrieves and example.strategy.gold > example.plain.gold:
        searches = example.plain_as_many < example.strategy.gold
        reason = (
            "it is the searches that make" if searches else "more passages, and not better searches, make"
        )
        lines.append(
            f"- Given as many passages, plain retrieval would have had {example.plain_as_many}: so {reason} the "
            "difference."
        )
    answers = {plain.title: example.plain, strategy.title: example.strategy}
    right = "; ".join(f"{literal(title)} {'yes' if seen.right else 'no'}" for title, seen in answers.items())
    lines.append(f"- Right answer: {right}")
    return "\n".join(lines)


def _saw(seen: Observed, example: Example) -> str:
    if not seen.given:
        return f"evidence: 0 of {example.evidence}, because nothing was given to the answer"
    calls = counted(seen.calls, "model call") if seen.calls else "no model calls"
    given = counted(seen.given, "passage")
    return f"evidence: {seen.gold} of {example.evidence}, in {given} given to the answer; {calls}"


def _explored(seen: Observed) -> str:
    """Return the observation of a strategy with a graph, whose finds need not stand in passages."""
    calls = counted(seen.calls, "model call") if seen.calls else "no model calls"
    return f"given to its answer: {counted(seen.given, 'passage, fact or table', 'passages, facts or tables')}; {calls}"


def _start(bench: Workbench, strategy: AnyStrategy, example: Example, found: Examples) -> None:
    """Begin the run, and beside it plain retrieval's search; keep the error of one that cannot begin."""
    error = f"{_key(strategy)}-error"
    try:
        session.check_runs(bench)
        corpus = bench.corpora.catalogue.corpus(DEMO_CORPUS)
        gold = known_gold(bench.corpora.catalogue, corpus.name, example.question)
        job = bench.launcher.start(
            demo_request(
                example.question,
                strategy.key,
                retriever=found.retriever,
                chat=session.chat_as_observed(bench, found.recording),
                owner=session.owner(),
            )
        )
    except LoupeError as problem:
        st.session_state[error] = str(problem)
        return
    st.session_state[error] = ""
    search = Job(_search(bench, example.question, found.retriever)) if strategy.key != BASELINE else None
    st.session_state[_key(strategy)] = StartedRun(job.run, gold, search)


async def _search(bench: Workbench, question: str, kind: str) -> Ranking:
    """Search as plain retrieval does, without its answer."""
    params = get_strategy(BASELINE).params()
    retriever = await bench.corpora.retriever(DEMO_CORPUS, kind)
    return await retriever.search(question, params.k)


def _final_marks(strategy: AnyStrategy, shown: StartedRun, run: Record) -> None:
    """Draw the marks of a run that has ended; they wait for the search beside it, should that still be under way."""
    waiting = shown.search is not None and not shown.search.done

    def draw() -> None:
        _marks(strategy, shown, run)
        if waiting and shown.search is not None and shown.search.done:
            st.rerun()

    ticking(TICK_SECONDS if waiting else None)(draw)()


def _marks(strategy: AnyStrategy, shown: StartedRun, run: Record) -> None:
    """Draw the evidence that plain retrieval and the strategy give to the answer."""
    searches: dict[str, Sequence[Passage] | None] = {}
    if shown.search is not None:
        failed = not shown.search.done or shown.search.error() is not None
        hits = [] if failed else shown.search.result().used
        searches[get_strategy(BASELINE).title] = None if failed else [hit.passage for hit in hits]
    given = given_passages(run)
    searches[strategy.title] = given if given or run.context or not run.under_way else None
    with st.container(border=True, key="gold", gap="small"):
        st.markdown(
            ":material/flag: **Passages that hold the evidence**, and the strategies that give them to the answer"
        )
        for name, finders in gold_rows(shown.gold, searches):
            marks = " ".join(_badge(title, holds) for title, holds in finders.items())
            st.markdown(f"{marks} {literal(name, 160)}")
        if shown.search is not None and shown.search.error() is not None:
            st.caption("The search of plain retrieval beside it failed; the run below is not affected.")


def _badge(title: str, holds: bool | None) -> str:
    """Return the badge of a strategy that holds a passage or not; None: it has not searched yet."""
    if holds is None:
        return f":gray-badge[{literal(title)} …]"
    return f":green-badge[✓ {literal(title)}]" if holds else f":gray-badge[– {literal(title)}]"
