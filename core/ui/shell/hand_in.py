"""“Hand in”, beside the other actions of a run, a comparison or a data set of one's own, for members of a class."""

from __future__ import annotations

import streamlit as st

from core.classroom.handing_in import MAX_NOTE, Kind, hand_ins
from core.classroom.store import class_store
from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.changing import done
from core.ui.shell.local_time import moment
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover

SECONDS = 5.0
"""Time for which a session remembers the class that its browser joined."""


def offer_hand_in(bench: Workbench, kind: Kind, target: str, owner: str) -> None:
    """Draw the popover for what belongs to `owner`, if that is this browser and it joined a class that is not over: of
    several, the newest."""
    member = session.owner()
    if owner != member:
        return
    store = class_store(bench.settings.database)
    classes = session.recall("hand-in-classes", member, lambda: store.classes_of(member), SECONDS)
    if not classes:
        return
    folded = popover("Hand in", key="hand-in", icon=":material/assignment_return:")
    if not folded.open:
        return
    with folded:
        classroom, hand_in_store = classes[0], hand_ins(bench.settings.database)
        mark = (classroom.id, member, kind, target)
        own = hand_in_store.get(*mark)
        if own is not None:
            when = moment(own.created, "%H:%M")
            st.markdown(f"Handed in to “{literal(classroom.name, 60)}” at {when}.")
        note = st.text_area(
            "Note to your teacher",
            own.note if own else "",
            max_chars=MAX_NOTE,
            key=f"hand-in-note-{classroom.id}-{target}",
        )
        with st.container(horizontal=True, gap="small"):
            label = "Hand in again" if own else f"Hand in to “{literal(classroom.name, 40)}”"
            if st.button(label, key="hand-in-do", type="secondary" if own else "primary") and done(
                lambda: hand_in_store.hand_in(*mark, note)
            ):
                st.rerun()
            if own and st.button("Take back", key="hand-in-undo", icon=":material/undo:", type="tertiary"):
                hand_in_store.take_back(*mark)
                st.rerun()
        st.caption("Your teacher can open it and read all of it, until you take it back.")
