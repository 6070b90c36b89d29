"""The overview of a class for its teacher: who asked what, what was handed in, and all of it as an archive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.classroom.archive import DELETED, KINDS, archive
from core.classroom.handing_in import HandIn
from core.classroom.overview import Overview
from core.classroom.store import Classroom
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import files_of, to_zip
from core.report.site import pages
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.fixes.ticking import ticking
from core.ui.shell import address, session
from core.ui.shell.classes import store
from core.ui.shell.hand_out import make_zip
from core.ui.shell.listing import MARKS, listing, numbers
from core.ui.shell.safe import literal
from core.ui.shell.widgets import choice, download, errors_shown, file_name
from core.wording import counted

TICK_SECONDS = 5.0
PAGES = {"run": ("pages/playground.py", address.RUN), "comparison": ("pages/compare.py", address.COMPARISON)}
"""The page that opens each kind of thing, and the query parameter for its id."""


def draw_overview(bench: Workbench, classroom: Classroom) -> None:
    """Draw the tables, again and again until the class is over, and below them the archive; for the teacher only."""
    ticking(None if classroom.ended else TICK_SECONDS)(_draw_tables)(bench, classroom.id)
    _draw_archive(Overview(bench, classroom, session.user(bench)))


@errors_shown()
def _draw_tables(bench: Workbench, classroom: str) -> None:
    # Read again with every tick: the class may have ended meanwhile.
    overview = Overview(bench, store(bench).get(classroom), session.user(bench))
    tables = {"Runs": _draw_runs, "Handed in": _draw_hand_ins, "Members": _draw_members}
    tables[choice("What is listed", list(tables), "class-listed")](overview)


def _draw_runs(overview: Overview) -> None:
    names, lines, known = overview.names(), overview.runs(), strategies()
    if not lines:
        st.info("No run yet. What members ask from now on is listed in this table.")
        return
    priced = any(line.dollars for line in lines)
    clicked = _clicked(
        "class-runs",
        [("run", line.run.id) for line in lines],
        {
            "Who": [names.get(line.run.owner, "") for line in lines],
            "Question or name": [line.run.title for line in lines],
            "Strategy": [known[key].title if (key := line.run.strategy) in known else key for line in lines],
            "State": [MARKS[line.run.state] for line in lines],
            "Calls": numbers(line.totals.calls for line in lines),
            "Tokens": numbers(line.totals.tokens_in + line.totals.tokens_out for line in lines),
            "Seconds": [line.run.seconds for line in lines],
            **({"Cost": [line.dollars for line in lines]} if priced else {}),
            "Asked": [line.run.created for line in lines],
        },
        alt="Runs of this class",
        hint=f"{counted(len(lines), 'run')}. Click one to open it.",
        config={
            "Who": 130,
            "Question or name": 300,
            "Strategy": 135,
            "State": 110,
            "Tokens": st.column_config.Column(
                width=80, help="Sent and written, as far as they were counted."
            ),
            "Seconds": st.column_config.NumberColumn(format="%.1f", width=80),
            "Cost": st.column_config.NumberColumn(
                format="$%.4f", width=90, help="Tokens times the prices that were set for the model."
            ),
        },
    )
    if clicked is not None:
        page, parameter = PAGES["run"]
        st.switch_page(page, query_params={parameter: clicked[1]})


def _draw_hand_ins(overview: Overview) -> None:
    names, hand_ins = overview.names(), overview.hand_ins()
    if not hand_ins:
        st.info(
            "Nothing was handed in yet. Members find “Hand in” beside their runs, comparisons and data sets."
        )
        return
    clicked = _clicked(
        "class-hand-ins",
        [(one.kind, one.target) for one in hand_ins],
        {
            "Who": [names.get(one.member, "") for one in hand_ins],
            "What": [KINDS[one.kind] for one in hand_ins],
            "Question or name": [one.title or DELETED for one in hand_ins],
            "Note": [one.note for one in hand_ins],
            "Handed in": [one.created for one in hand_ins],
        },
        alt="Hand-ins of this class",
        hint="Click one to read the whole note, and to open what was handed in.",
        config={"Who": 130, "What": 100, "Question or name": 300, "Note": 300},
    )
    if clicked is not None:
        st.session_state["class-hand-in"] = clicked
    for one in hand_ins:
        if (one.kind, one.target) == st.session_state.get("class-hand-in"):
            _draw_hand_in(overview, one, names.get(one.member, ""))


def _draw_hand_in(overview: Overview, one: HandIn, who: str) -> None:
    """Draw one hand-in with its whole note, and the way to what was handed in."""
    with st.container(border=True, key="class-hand-in-open"):
        st.markdown(f"**{literal(who)}**: {literal(one.title or DELETED, 300)}")
        st.markdown("  \n".join(map(literal, one.note.splitlines())))
        if one.kind == "dataset" and one.title:
            sets, file = data_sets_of(overview.bench), file_name(one.title, "data-set")
            download(
                "Export (ZIP)",
                lambda: to_zip(files_of(sets.open(one.target))),
                f"{file}.zip",
                "class-data-set",
            )
        elif one.title:
            page, parameter = PAGES[one.kind]
            st.page_link(
                page, label="Open", icon=":material/open_in_new:", query_params={parameter: one.target}
            )


def _draw_members(overview: Overview) -> None:
    members = overview.members()
    listing(
        "class-members",
        {"Who": [one.nickname for one in members], "Joined": [one.joined for one in members]},
        alt="Members of this class",
        hint=f"{counted(len(members), 'member')}.",
    )


def _clicked(
    key: str, things: Sequence[tuple[str, str]], columns: Mapping[str, Iterable[object]], **look: Any
) -> tuple[str, str] | None:
    """Draw a list of things, by their kinds and ids, and return what was clicked just now: of the rows that the browser
    had, as others may have come since."""
    before, last = st.session_state.get(f"{key}-shown", (things, None))
    place = listing(key, columns, tall=True, **look)
    st.session_state[f"{key}-shown"] = (things, place)
    return before[place] if place is not None and place != last and place < len(before) else None


def _draw_archive(overview: Overview) -> None:
    """Draw the button that makes the archive, its progress, and the finished file."""
    name = overview.classroom.name
    every = st.toggle("Runs that were not handed in, too", key="class-archive-runs")
    make_zip(
        f"class-archive-{overview.classroom.id}",
        lambda: list(pages([], archive(overview, every_run=every))),
        f"{file_name(name, 'class')}.zip",
    )
    st.caption(
        "A report of each run and comparison, data sets, and a table of who asked what. Reports hold the passages in "
        "full."
    )
