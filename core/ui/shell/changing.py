"""Naming, pinning and deleting what is stored: the same controls wherever something is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import streamlit as st

from core.owned import OwnedRows
from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.widgets import errors_shown


class Owned(Protocol):
    """A row that is stored for an owner."""

    @property
    def id(self) -> str: ...

    @property
    def owner(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def pinned(self) -> bool: ...


def change(
    bench: Workbench,
    store: OwnedRows,
    stored: Owned,
    key: str,
    what: str,
    warning: str,
    *,
    empty: str = "",
    deletable: bool = True,
    remove: Callable[[], object] | None = None,
) -> bool:
    """Draw a menu with the changes that this session may make to something that has an owner.

    `key` begins the keys of the widgets, `what` is for example "run", `warning` says what is lost when it is deleted,
    and what is not, and `empty` stands in place of an empty name. `remove` deletes it where its store alone does not
    delete all of it. Returns True if it was deleted just now; the page is
    to be drawn anew then.
    """
    teacher = session.user(bench).teacher
    if not teacher and stored.owner not in session.owners(bench):
        return False
    with st.popover("More", icon=":material/more_horiz:", key=f"{key}-more"):
        _rename_form(key, stored.id, stored.name, store.rename, empty)
        if teacher:
            st.button(
                "Unpin" if stored.pinned else "Pin",
                key=f"{key}-pin",
                icon=":material/keep:",
                on_click=store.pin,
                args=(stored.id, not stored.pinned),
                help=f"A pinned {what} is listed for everybody.",
            )
        if not deletable:
            return False
        with st.expander("Delete", icon=":material/delete:", key=f"{key}-delete"):
            return _delete_sure(key, f"this {what}", warning, remove or (lambda: store.delete(stored.id)))


def done(change: Callable[[], object]) -> bool:
    """Make a change, and return True; an expected error is drawn."""
    with errors_shown():
        change()
        return True
    return False


def rename(key: str, stored: str, name: str, save: Callable[[str, str], object], *, empty: str = "") -> None:
    """Draw a popover with a field for another name; the text stays when it cannot be saved.

    Arguments as for `change`, but `stored` is an id; a LoupeError of `save` says what is wrong with the name.
    """
    with st.popover("Rename", icon=":material/edit:", key=f"{key}-rename"):
        _rename_form(key, stored, name, save, empty)


def _rename_form(key: str, stored: str, name: str, save: Callable[[str, str], object], empty: str) -> None:
    with st.form(f"{key}-rename-form", border=False):
        typed = st.text_input("Name", name, key=f"{key}-name-{stored}", placeholder=empty[:80])
        if st.form_submit_button("Save", key=f"{key}-rename-save") and done(lambda: save(stored, typed)):
            st.rerun()


def delete(key: str, what: str, warning: str, act: Callable[[], object]) -> bool:
    """Draw a popover that asks once more, and then acts; arguments and result as for `change`."""
    with st.popover("Delete", icon=":material/delete:", key=f"{key}-delete"):
        return _delete_sure(key, what, warning, act)


def _delete_sure(key: str, what: str, warning: str, act: Callable[[], object]) -> bool:
    st.markdown(warning)
    return st.button(f"Delete {what}", key=f"{key}-delete-sure", type="primary") and done(act)
