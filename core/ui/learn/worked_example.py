"""The worked example of a lesson: a question where the strategy finds more, and one where not."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.runs.workbench import Workbench
from core.strategies import get_strategy
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.lessons import Example, Examples, Observed, examples
from core.ui.forms.prefill import ask_demo, show_playground
from core.ui.shell.safe import literal
from core.wording import counted

WORKED_EXAMPLE = "Worked example: a question where it helps and one where it does not"
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


def draw_worked_example(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw both questions with their observations, each with a button that asks it in the Playground."""
    observed = examples(strategy.key)
    if not observed:
        return
    with st.expander(WORKED_EXAMPLE, icon=":material/play_circle:", key="worked-example"):
        found = _chosen(observed)
        st.caption(
            f"Found by running, not invented: {found.tried} of the demo questions were tried with {_model(found)}, the "
            f"built-in embeddings, {found.retriever} retrieval and default parameters. "
            f"{PLAYED if found.recording else ASKED_ANEW}"
        )
        with st.grid(2, min_column_width=320, gap="small"):
            for kind in ("helps", "fails"):
                _question(bench, strategy, found, kind)


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


def _question(bench: Workbench, strategy: AnyStrategy, found: Examples, kind: str) -> None:
    """Draw a card: the question, the observation, and the button that asks it."""
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
        if st.button("Ask it in the Playground", key=f"ask-{kind}", icon=":material/play_arrow:"):
            ask_demo(bench, strategy, example.question, found.retriever)
            show_playground()


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
