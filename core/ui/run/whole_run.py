"""A run on the page: diagram, outcome, answer, and the stage with its steps. Live and stored runs alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.cards.fork import ForkView, fork_view
from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.kinds.evidence import TINY
from core.cards.models import asked_with
from core.cards.outcome import MISSING, VERDICTS, Outcome, outcome
from core.cards.passages import MEANING
from core.cards.recorded import tiny_wrote
from core.cards.stage import MAP, MISSED, PASSAGES, PLAYBACK, Entry, centre, entries, of_node
from core.cards.status import costs_line, retries, status_line, stopped_before, totals_view
from core.models.timing import Speed
from core.runs.record import Fork, Record
from core.runs.run_notes import cut_off
from core.settings import get_settings
from core.strategies import node_titles, strategies
from core.trace.gold import Gold
from core.ui.cards.parts import draw_parts
from core.ui.cards.rows import draw_answer, draw_draft, draw_row
from core.ui.run.citations import choose, follow_links, open_entry, opened
from core.ui.run.diagram import draw_diagram
from core.ui.run.edit import edit_cards
from core.ui.run.embedding_map import draw_embedding_map
from core.ui.run.machinery import draw_machinery
from core.ui.run.missed import draw_missed, looked_up
from core.ui.run.network import draw_playback
from core.ui.shell import address
from core.ui.shell.safe import literal, opening
from core.ui.shell.scrolling import scroll_place, scroll_to

UNKNOWN_COLOUR = "#56B4E9"
WHOLE = "all-steps"
"""Key of the switch that shows every step at once."""
VERDICT_COLOURS = {"right": "green", "wrong": "red"}
"""Verdict -> the colour of its mark; the others have none."""


def draw_run(
    record: Record,
    *,
    parent: Record | None = None,
    editable: bool = False,
    gold: Sequence[Gold] | None = None,
    replayed: str = "",
    speed: Speed | None = None,
    titled: bool = True,
) -> None:
    """Draw a run as far as it is.

    A fork is compared with its `parent`, unless that is gone; where it is `editable`, artefacts can be changed and run
    on from. `gold` is as of `Scene`, `speed` as of `status_line`. `replayed` says, as raw text, what happens in the
    scene of a replay, or where it is stopped; empty: it is at its end, or no replay, and the page says itself where a
    run is stopped. `titled` is False where the page has the question as its title.
    """
    if record.started is None:
        st.caption("Getting ready…")
        return
    strategy = strategies().get(record.started.strategy)
    titles = node_titles(record.started)
    colour = strategy.colour if strategy else UNKNOWN_COLOUR
    key = record.started.run
    scene, result, found = _drawn(Scene(record, colour, key, gold))
    editing = key if editable and strategy is not None else ""
    with st.container(key="run"):
        side, main = st.columns([1, 3.2], gap="medium")
        with side, st.container(key="diagram"):
            if strategy:
                draw_diagram(
                    strategy,
                    "run",
                    record.steps,
                    record.started.params,
                    waiting=record.next,
                    read=next((entry.nodes for entry in found if entry.key == _on_stage(found, scene)), ()),
                    choose=lambda node: _choose(found, scene, node),
                )
        with main, st.container(gap="small"):
            name, *searched = (literal(part, 200) for part in asked_with(record.started))
            st.markdown(" · ".join([f"**{name}**", *(f":gray[{part}]" for part in searched)]))
            if titled:
                st.markdown(f"### {literal(record.started.question)}")
            _outcome(scene, result)
            attempts = get_settings().model_attempts
            doing = "" if record.state == "paused" else status_line(record, titles, attempts, speed)
            _state(record, replayed or (stopped_before(record, titles) if record.lacking else doing))
            if record.fork is not None:
                _fork(parent, record, record.fork)
            _answer(scene)
            for text in retries(record):
                st.markdown(f":material/replay: {literal(text, 300)}")
            _stage(found, scene, result, editing)
            follow_links(key, lambda what: _follow(scene, what))


def _follow(scene: Scene, what: str) -> None:
    """Open the passage of a citation by its number, or what was missed."""
    given = scene.record.context.given_passages if scene.record.context else ()
    if what == MISSED:
        looked_up(scene.record)  # first, so that the page has its length when it is scrolled
        open_entry(scene.key, MISSED)
        scroll_to(scene.key)
    elif what.isdecimal() and 0 < int(what) <= len(given):
        choose(scene.key, given[int(what) - 1].chunk)


def _drawn(scene: Scene) -> tuple[Scene, Outcome | None, list[Entry]]:
    """The scene, its outcome and the entries of its stage; of a run that is drawn again, as they were made before."""
    kept: tuple[Scene, Outcome | None, list[Entry]] | None = st.session_state.get("drawn-run")
    if kept is None or kept[0].record is not scene.record or kept[0].gold != scene.gold:
        kept = st.session_state["drawn-run"] = (scene, outcome(scene.record), entries(scene))
    return kept


def _state(record: Record, doing: str) -> None:
    """Draw the step that runs, or the error that ended the run; below it the costs so far."""
    match record.state:
        case "running":
            st.caption(f":material/progress_activity: {literal(doing)}")
        case "paused" if doing:
            st.caption(f":material/pause: {literal(doing)}")
        case "failed":
            st.error(literal(record.error), title="This run failed", icon=":material/error:")
            st.caption("What was done up to there is kept below.")
        case "stopped":
            st.warning(literal(record.error), title="This run was stopped", icon=":material/stop_circle:")
    icon = "check" if record.state == "finished" else "schedule"
    explained = "\n".join(f"- **{figure.label}**: {literal(figure.help)}" for figure in totals_view(record))
    with st.container(key=f"costs-{record.started.run if record.started else ''}"):
        st.caption(f":material/{icon}: {literal(costs_line(record), 700)}", help=explained)


def _answer(scene: Scene) -> None:
    record = scene.record
    answer, started = record.answer, record.started
    if answer is None:
        if started and started.retrieval_only:
            st.caption(":material/block: Retrieval only: it ends before the answer.")
        elif record.draft or record.state == "running":
            draw_draft(record.draft, scene.key, waits=record.state == "paused")
        return
    draw_answer(answer, scene)
    if tiny_wrote(record):
        st.caption(f":material/science: {TINY}")
    if cut := cut_off(record):
        st.caption(f":material/info: {literal(cut, 600)}")


def _fork(parent: Record | None, run: Record, fork: Fork) -> None:
    """The change, and what became of evidence and answer, if the run that was left is still stored."""
    with st.container(border=True, key="fork", gap="small"):
        st.markdown(
            f":material/call_split: **Forked from another run, with other {KINDS[fork.after.kind].title.lower()}**"
        )
        view = fork_view(parent or run, run)
        if fork.after.kind == "context" and parent:  # by its lines, every later rank would be a change
            _exchanged(view)
        else:
            for change in view.changes:
                mark = ":red-badge[−]" if change.sign == "-" else ":green-badge[+]"
                st.markdown(f"{mark} {literal(change.text, 300)}")
        if parent is None:
            st.caption("The run that it was forked from is not stored here any more.")
            return
        st.page_link(
            "pages/playground.py",
            label="The run before the change",
            icon=":material/arrow_back:",
            query_params={address.RUN: fork.parent},
        )
        if run.state == "finished":
            _became(view, fork)


def _exchanged(view: ForkView) -> None:
    """The passages that came in and those that were dropped."""
    lines = [f":green-badge[+ passage] {literal(title, 80)}" for title in view.came_in]
    lines += [f":red-badge[− passage] {literal(title, 80)}" for title in view.dropped]
    if view.moved:
        lines.append(f"Passages given both times, now at another rank: {view.moved}.")
    if not lines:
        lines.append("The answer was given the same passages in the same order.")
    st.markdown("  \n".join(lines))


def _became(view: ForkView, fork: Fork) -> None:
    """Draw the changes of evidence, passages and answer; the new answer itself stands below."""
    if view.evidence:
        st.markdown(f"**{view.evidence}**")
    if fork.after.kind != "context":  # else they are the change, which stands above
        _exchanged(view)
    if view.answer_before == view.answer_after:
        st.markdown("**The answer is the same, word for word.**")
        return
    before, after = (f", by {literal(name)}" if name else "" for name in (view.by_before, view.by_after))
    st.markdown(f":gray[Answer before{before}]  \n{literal(view.answer_before, 1200)}")
    st.markdown(f":gray[Answer after{after}: below]")


def _outcome(scene: Scene, made: Outcome | None) -> None:
    """One line: evidence found, plain retrieval beside it, and the verdict; nothing before the end."""
    if made is None:
        return
    parts = (_evidence(made), literal(made.beside), _verdict(made))
    with st.container(key=f"outcome-{scene.key}"):
        st.markdown(" · ".join(filter(None, parts)), help=_help(made))


def _evidence(made: Outcome) -> str:
    if not made.of:
        return f":material/library_books: {literal(made.passages)}" if made.given else ""
    lost = made.of - made.found
    gone = opening(MISSING * lost if made.stars else f"{lost} missed", MISSED) if lost else ""
    found = f"**{made.stars.rstrip(MISSING)}**" if made.found and made.stars else ""
    words = f"**{literal(made.evidence)}**"
    return " ".join(filter(None, (found, gone, words) if made.stars else (words, gone)))


def _verdict(made: Outcome) -> str:
    if made.verdict is None:
        return ""
    icon, words = VERDICTS[made.verdict]
    mark = f":material/{icon}: {words}"
    if made.verdict != "unclear":  # else no verdict that could be read at a glance
        mark = f":{VERDICT_COLOURS.get(made.verdict, 'gray')}-badge[{mark}]"
    return " · ".join(filter(None, (mark, literal(made.right, 100))))


def _help(made: Outcome) -> str:
    said = [MEANING] if made.of else []
    if made.shared is not None:
        said.append(
            "Plain retrieval is one search with the question, by the same retriever, for as many passages: "
            f"{literal(made.passages)}. It is not counted in calls and seconds."
        )
    if made.verdict is not None:
        said.append(
            "Right or wrong: whether the answer says one of the right answers, as in Evaluate; where the right one is "
            "long, words do not tell, so it stands here to be compared."
        )
    return " ".join(said)


def _baseline(scene: Scene, made: Outcome | None) -> None:
    """Draw the finds of plain retrieval, folded below the passages."""
    baseline = scene.record.baseline
    if baseline is None or made is None or made.shared is None:
        return
    card = card_of(baseline, scene)
    title = f"{card.title}: {made.shared} of its {card.subtitle} are above" if made.shared else card.title
    with st.expander(literal(title), icon=f":material/{card.icon}:", key=f"baseline-{scene.key}"):
        draw_parts(card.parts, f"baseline-{scene.key}")


def _on_stage(found: Sequence[Entry], scene: Scene) -> str:
    """Key of what is open; empty: nothing is."""
    chosen = opened(scene.key)
    known = {entry.key for entry in found}
    return str(chosen) if chosen == "" or chosen in known else centre(found, scene)


def _choose(found: Sequence[Entry], scene: Scene, node: str) -> None:
    """Open what a node of the diagram leads to; clicked again, the next of its steps."""
    if key := of_node(found, node, _on_stage(found, scene)):
        open_entry(scene.key, key)
        scroll_to(scene.key)


def _stage(found: Sequence[Entry], scene: Scene, result: Outcome | None, editing: str) -> None:
    """The steps; `editing` as `run` of `core.ui.run.edit.edit_cards`."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("### Step by step", width="content")
        whole = st.toggle(
            "All steps open",
            key=WHOLE,
            persist_state="session",
            help="Every step at once, one below the other.",
        )
    shown = _on_stage(found, scene)
    with st.container(gap="xxsmall", key=f"steps-{scene.key}"):
        for entry in found:
            if entry.key == shown:
                scroll_place(scene.key)
            if whole and entry.key != MAP:
                _unfolded(entry, scene, result, editing)
            else:
                _folding(entry, scene, result, editing, opened=entry.key == shown)
        draw_machinery(scene.record, scene.key)


def _unfolded(entry: Entry, scene: Scene, result: Outcome | None, editing: str) -> None:
    """With its own frame and heading."""
    if entry.row is None:
        st.markdown(f"### {literal(entry.title)}")
        _draw(entry, scene, result, editing)
        return
    framed = [replace(shown, card=replace(shown.card, framed=True)) for shown in entry.row.shown]
    draw_row(replace(entry.row, shown=tuple(framed)), scene, editing)


def _folding(entry: Entry, scene: Scene, result: Outcome | None, editing: str, *, opened: bool) -> None:
    """A line, and below it what it leads to, if that is open."""
    key = f"step-{scene.key}-{entry.key}"
    st.session_state[key] = opened
    took = f" :gray[:small[{entry.seconds:.2f} s]]" if entry.seconds is not None else ""
    summary = f" · {literal(entry.summary)}" if entry.summary else ""
    edited = " :gray-badge[:material/edit: edited here]" if entry.edited else ""
    with st.expander(
        f"**{literal(entry.title)}**{took}{edited}{summary}",  # the end of a long line is cut
        icon=f":material/{entry.icon}:",
        key=key,
        on_change=_toggled,
        args=(scene.key, entry.key, key),
    ):
        if opened:
            _draw(entry, scene, result, editing)


def _toggled(run: str, entry: str, key: str) -> None:
    open_entry(run, entry if st.session_state[key] else "")


def _draw(entry: Entry, scene: Scene, result: Outcome | None, editing: str) -> None:
    if entry.row is not None:
        draw_row(entry.row, scene, editing)
    elif entry.key == PASSAGES:
        _passages(scene, result, editing)
    elif entry.key == MISSED:
        draw_missed(scene.record, scene.key)
    elif entry.key == MAP:
        draw_embedding_map(scene.record, scene.key)
    elif entry.key == PLAYBACK:
        draw_playback([artefact for _, artefact in scene.record.artefacts], scene.key, colour=scene.colour)
    else:
        draw_parts(entry.parts, scene.key)


def _passages(scene: Scene, result: Outcome | None, editing: str) -> None:
    """The passages given to the answer, and below them what plain retrieval finds in their place."""
    record = scene.record
    if record.context is None:
        return
    with st.container(key=f"evidence-{scene.key}", gap="small"):
        draw_parts(card_of(record.context, scene).parts, scene.key)
        edit_cards(
            [(step.id, made) for step, made in record.artefacts if made is record.context], editing, scene.key
        )
        _baseline(scene, result)


def compare_link(run: str) -> None:
    """To the page Compare, which takes over what the run was asked; `run` is its id."""
    st.page_link(
        "pages/compare.py",
        label="Compare with other strategies",
        icon=":material/compare:",
        query_params={address.LIKE: run},
        help="Puts the same question through several strategies, side by side.",
    )
