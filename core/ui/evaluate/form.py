"""The form of a new evaluation: its questions, the settings that they go through, and what is judged."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.charts.evaluation_verdict import expected_precision, paired_spread
from core.corpora.demo import WORLD
from core.errors import LoupeError
from core.evaluation.dataset_catalogue import RECORDED, data_sets_of
from core.evaluation.dataset_indexing import default_of, to_index
from core.evaluation.datasets import sample
from core.evaluation.measures import LEADING
from core.evaluation.pairs import check_settings
from core.evaluation.plan import Setting
from core.evaluation.runner import ONLY_THE_TEACHER, evaluations_of, may_evaluate
from core.evaluation.set_store import DataSetEntry
from core.evaluation.sweeps import settings_to_run
from core.retrieval.defaults import Default
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate import setting_rows
from core.ui.evaluate.cached_results import BY_DATABASE, results_of
from core.ui.evaluate.forecast_line import Draft, draw_covered, forecast_line
from core.ui.evaluate.jobs import EVALUATION, begin, chat_for, draw_noted, note_errors
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.wording import counted

KEPT_SECONDS = 20.0
"""Seconds for which numbers of earlier evaluations are used before the store is asked again."""
QUESTIONS = 20
"""A sample that shows something within minutes, also with the built-in model."""
SEARCH, ANSWERS = "Search", "Answers too"
STRATEGIES, VALUES = "Strategies", "Values of one parameter"
WEAK = (
    "The tiny built-in model answers. What a weak model writes can lead a search astray, so a strategy may come out "
    "worse than it would with a strong model. The results show where."
)


def new_evaluation(bench: Workbench) -> None:
    """Draw the form; when it is sent, its job begins."""
    setting_rows.ROWS.begin()
    with st.container(border=True, key="evaluation-questions"):
        data, count, only = _questions(bench)
    chat = chat_for(bench, data.id)
    kind = bench.backends.kind(chat)

    def usual(strategy: str) -> Default:
        return default_of(bench, data.id, strategy, chat)

    if _comparison() == VALUES:
        base, sweep, problem = None, None, ""
        with st.container(border=True, key="evaluation-settings", gap="small"):
            try:
                base, sweep = setting_rows.parameter_form(kind, usual, bench.backends.embedder.max_tokens)
            except LoupeError as error:
                problem = str(error)
            with _fold():
                seed = _seed()
        runs = settings_to_run(base, sweep, retrieval_only=only) if base and sweep else ()
        draft = Draft(data, count, seed, runs, only, chat, base=base, sweep=sweep, problem=problem)
        _send(bench, draft, builtin=kind.builtin)
        return
    setting_rows.ROWS.chooser()
    with st.container(border=True, key="evaluation-settings", gap="small"):
        settings = setting_rows.settings(kind, usual)
        with _fold():
            baseline, seed = _baseline(settings), _seed()
            alone = None if only else _beside(data.id, settings)
        if alone:
            settings.append(alone)
            st.caption(f":material/psychology: {alone.label} runs beside them: see Options.")
    _send(bench, Draft(data, count, seed, settings, only, chat, baseline), builtin=kind.builtin)


def data_set_choice(bench: Workbench, key: str, last: str = "") -> DataSetEntry:
    """A choice among the data sets with questions that a visitor may use: those that come with the app stand first, and
    the one with the key `last` at the end."""
    entries = data_sets_of(bench).described(session.owners(bench))
    ordered = sorted(entries, key=lambda entry: (entry.id == last, entry.origin != "shipped"))
    by_id = {entry.id: entry for entry in ordered if entry.questions}
    chosen = st.selectbox(
        "Data set",
        list(by_id),
        format_func=lambda key: f"{by_id[key].name} ({by_id[key].questions:,})",
        key=key,
        persist_state="session",
        help="Questions with labels: the documents that hold the evidence, and the right answers.",
    )
    return by_id[chosen]


def _fold() -> DeltaGenerator:
    return st.expander("Options", icon=":material/tune:", key="evaluation-options")


def _seed() -> int:
    return int(
        st.number_input(
            "Seed",
            min_value=0,
            max_value=9999,
            value=0,
            key="evaluation-seed",
            persist_state="session",
            width=200,
            help="The same seed draws the same questions; a larger sample of one seed holds the smaller one.",
        )
    )


def _beside(data: str, settings: Sequence[Setting]) -> Setting | None:
    """Draw the choice of closed book beside the settings; returns its setting, None where it is not wanted.

    At first it is, but for the demo's data sets: no model knows an invented country by heart.
    """
    alone = next((strategy for strategy in strategies().values() if strategy.alone), None)
    if alone is None or any(setting.strategy == alone.key for setting in settings):
        return None
    beside = st.toggle(
        f"{alone.title} beside them",
        value=data not in (RECORDED, WORLD.name),
        key=f"evaluation-closed-{data}",
        persist_state="session",
        help="The model alone, without any document. A model may have been trained on a public data set: anything that "
        "closed book gets right was known by heart, and is no merit of a search.",
    )
    return Setting(label=alone.title, strategy=alone.key) if beside else None


def _questions(bench: Workbench) -> tuple[DataSetEntry, int, bool]:
    with st.grid(3, min_column_width=200, vertical_alignment="top"):
        plays = session.chat(bench).play is not None
        data = data_set_choice(bench, "evaluation-data", last="" if plays else RECORDED)
        count = st.number_input(
            "Questions",
            min_value=1,
            max_value=data.questions,
            value=min(QUESTIONS, data.questions),
            key=f"evaluation-count-{data.id}",
            persist_state="session",
            help="A random sample of this size. More questions tell smaller differences from chance.",
        )
        usual = ANSWERS if data.id == RECORDED and plays else SEARCH
        judged = st.segmented_control(
            "Judge",
            (SEARCH, ANSWERS),
            default=None if "evaluation-judge" in st.session_state else usual,
            required=True,
            key="evaluation-judge",
            persist_state="session",
            help="Search stops before the answer: it is faster, and needs no model where none writes queries. “Answers "
            "too” judges both.",
        )
    return data, int(count), judged == SEARCH


def _comparison() -> str:
    """Draw the choice between `STRATEGIES` and `VALUES` of one parameter, and return it."""
    chosen = st.segmented_control(
        "Compare",
        (STRATEGIES, VALUES),
        default=None if "evaluation-compare" in st.session_state else STRATEGIES,
        required=True,
        key="evaluation-compare",
        persist_state="session",
        on_change=_judge_search,
        help="Values of one parameter: the same questions through one strategy with several values of one setting, "
        "to see "
        "how much it matters.",
    )
    return str(chosen or STRATEGIES)


def _judge_search() -> None:
    """Values are judged by their search at first: only evidence can be recomputed, and answers take a run for each."""
    if st.session_state["evaluation-compare"] == VALUES:
        st.session_state["evaluation-judge"] = SEARCH


def _baseline(settings: Sequence[Setting]) -> str:
    labels = list(dict.fromkeys(setting.label for setting in settings))
    chosen = st.selectbox(
        "Baseline: the others are compared with it",
        range(len(labels)),
        format_func=lambda place: labels[place] if place < len(labels) else "",
        key=f"evaluation-baseline-{len(labels)}",
        width=420,
    )
    return labels[chosen]


def _send(bench: Workbench, draft: Draft, *, builtin: bool) -> None:
    """Draw the forecast, the reason why it cannot start, and the button Start."""
    may = may_evaluate(bench.settings, session.user(bench))
    problem = draft.problem if may else ONLY_THE_TEACHER
    try:
        if not problem:
            check_settings(draft.settings, draft.only, builtin=builtin)
    except LoupeError as error:
        problem = str(error)
    settled = bool(problem) or draw_covered(bench, draft)
    with st.container(horizontal=True, vertical_alignment="center", key="evaluation-send"):
        start = st.button(
            "Start",
            type="primary",
            key="evaluation-start",
            icon=":material/play_arrow:",
            disabled=bool(problem) or not settled,
        )
        if not problem:
            words = [forecast_line(bench, draft), *_of_values(bench, draft)]
            st.caption(f":material/speed: {'. '.join(words)}")
    if problem:
        st.warning(literal(problem), icon=":material/error:")
    else:
        _smallest_difference(bench, draft)
        if builtin and draft.asks:
            st.caption(f":material/info: {WEAK}")
    draw_noted()
    if start:
        with note_errors():
            st.session_state[EVALUATION] = begin(bench, draft.new(bench), draft.chat)
        st.rerun()


def _of_values(bench: Workbench, draft: Draft) -> list[str]:
    """Sentences on the values of a sweep that need no run, and on the documents that are indexed for it."""
    if draft.sweep is None:
        return []
    sentences, values = [], len(draft.sweep.values)
    if spared := values - len(draft.settings):
        are = "is" if spared == 1 else "are"
        sentences.append(
            f"**{spared} of {values} values {are} recomputed from stored runs, with no model call.**"
        )
    try:
        dataset = data_sets_of(bench).open(draft.data.id)
        sizes = to_index(dataset, draft.settings, bench.corpora)
    except LoupeError:  # where it matters, the page says what is wrong with the store or the data set
        return sentences
    if sizes:
        count = len(dataset.documents)
        documents = counted(count, "document of the data set is", "documents of the data set are")
        times = f", in {sizes} sizes of chunks" if sizes > 1 else ""
        sentences.append(f"The {documents} indexed first{times}, which may take some minutes.")
    return sentences


def _smallest_difference(bench: Workbench, draft: Draft) -> None:
    """Draw the smallest difference that the evaluation will tell from chance."""
    owner = session.user(bench).owner
    try:
        looks, spread = _earlier(bench, draft.data.id, draft.count, draft.seed, owner)
    except LoupeError:  # where it matters, the page says what is wrong with the store or the data set
        return
    if sentence := expected_precision(draft.count, draft.comparisons, looks + 1, spread):
        st.caption(f":material/straighten: {sentence}")


@st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False, hash_funcs=BY_DATABASE)
def _earlier(bench: Workbench, data: str, count: int, seed: int, owner: str) -> tuple[int, float | None]:
    """The number of earlier looks at these questions, and the spread of their differences the last time."""
    store = evaluations_of(bench).store
    last = store.last_judged(data, owner)
    if last is None:
        return 0, None
    spread = None
    if not store.get(last).spec.sweep:
        results = results_of(bench, last)
        spread = paired_spread(results.scores, results.evaluation.spec.baseline, LEADING[0])
    dataset = sample(data_sets_of(bench).open(data), count, seed)
    return store.looks(data, [question.id for question in dataset.questions], owner), spread
