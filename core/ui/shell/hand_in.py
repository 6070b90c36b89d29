"""“Hand in”, beside the other actions of a run, a comparison or a data set of one's own, for members of a class."""

from __future__ import annotations

import streamlit as st

from core.classroom.handing_in import MAX_NOTE, HandIn, HandIns, Kind, hand_ins
from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.changing import done
from core.ui.shell.local_time import moment
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover

SECONDS = 5.0
"""How long a session remembers the classes that its browser joined."""
_CHANCES = "hand-in-chances"


def offer_hand_in(bench: Workbench, kind: Kind, target: str, owner: str) -> None:
    """Draw the popover for what belongs to `owner`, if that is this browser and it joined a class that is not over."""
    member = session.owner()
    if owner != member:
        return
    store = hand_ins(bench.settings.database)
    mark = (member, kind, target)
    chances = session.recall(_CHANCES, mark, lambda: store.chances(*mark), SECONDS)
    if not chances:
        return
    handed_in = any(own for *_, own in chances)
    icon = ":material/assignment_turned_in:" if handed_in else ":material/assignment_return:"
    folded = popover("Handed in" if handed_in else "Hand in", key="hand-in", icon=icon)
    if not folded.open:
        return
    with folded:
        names = {key: name for key, name, _ in chances}
        classroom = next(iter(names))
        if len(names) > 1:
            classroom = st.selectbox(
                "Class", list(names), format_func=names.__getitem__, key=f"hand-in-class-{target}"
            )
        own = next(own for key, _, own in chances if key == classroom)
        _draw(store, classroom, names[classroom], mark, own)


def _draw(store: HandIns, classroom: str, name: str, mark: tuple[str, Kind, str], own: HandIn | None) -> None:
    """Draw the note and the buttons for one class; `own` is what was handed in there."""
    if own is not None:
        st.markdown(f"Handed in to “{literal(name, 60)}” at {moment(own.created, '%H:%M')}.")
    note = st.text_area(
        "Note to your teacher",
        own.note if own else "",
        max_chars=MAX_NOTE,
        key=f"hand-in-note-{classroom}-{mark[2]}",
    )
    with st.container(horizontal=True, gap="small"):
        again = own is not None
        label = "Hand in again" if again else f"Hand in to “{literal(name, 40)}”"
        if st.button(label, key="hand-in-do", type="secondary" if again else "primary") and done(
            lambda: store.hand_in(classroom, *mark, note)
        ):
            _drawn_anew()
        if again and st.button("Take back", key="hand-in-undo", icon=":material/undo:", type="tertiary"):
            store.take_back(classroom, *mark)
            _drawn_anew()
    st.caption("Your teacher can open it and read all of it, until you take it back.")


def _drawn_anew() -> None:
    del st.session_state[_CHANCES]
    st.rerun()
