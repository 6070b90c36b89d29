"""Pieces that many pages use: popovers that fold, dialogs that stay open, downloads, links, charts, expected errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import PurePath
from typing import Any, TypeVar

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from core.errors import LoupeError
from core.ui.shell.assets import component
from core.ui.shell.safe import literal

Key = TypeVar("Key", bound=Hashable)
_OPEN_DIALOG = "open-dialog"
"""Key, in the session, of the name of the dialog that is open."""
UNEXPECTED = "This ended with an unexpected error; the server's log says more."
_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".graphml": "application/xml",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".tsv": "text/tab-separated-values",
    ".zip": "application/zip",
}


@contextmanager
def errors_shown() -> Iterator[None]:
    """Draw an expected error where the drawing ends; everything else, Streamlit's own signals too, goes on."""
    try:
        yield
    except LoupeError as error:
        st.error(literal(str(error)), icon=":material/error:")


@contextmanager
def errors_noted(key: str) -> Iterator[None]:
    """Keep an expected error in the session, for `draw_noted`, where the page is drawn anew in any case; what was kept
    under this key before is gone."""
    st.session_state[key] = ""
    try:
        yield
    except LoupeError as error:
        st.session_state[key] = str(error)


def draw_noted(key: str) -> None:
    """Draw the error that `errors_noted` keeps, if there is one."""
    if error := st.session_state.get(key):
        st.error(literal(error), icon=":material/error:")


def problem(error: BaseException, more: str = "") -> str:
    """Return an error in words. Only our own errors speak for themselves; of others, which the log has, `more` says
    what is kept."""
    return str(error) if isinstance(error, LoupeError) else f"{UNEXPECTED} {more}".rstrip()


def popover(label: str, *, key: str, help: str | None = None, **look: Any) -> PopoverContainer:
    """Draw a popover whose content is drawn only while it is `open`, so that a page is drawn and sent the faster.

    It stays open when its label, `help` or `look` (further arguments of `st.popover`) change; `key` is that of its
    state in the session.
    """
    looks = f"{key}-looks"
    now = (label, help, *look.values())
    if st.session_state.get(looks) != now:
        # Streamlit knows a popover by its looks, too: with others it would be a new one, which is closed.
        st.session_state[looks] = now
        st.session_state[key] = bool(st.session_state.get(key))
    return st.popover(label, key=key, help=help, on_change="rerun", **look)


def choice(label: str, options: Sequence[str] | Mapping[str, str], key: str, **look: Any) -> str:
    """Draw options in a row, as themselves or as the Markdown that stands for each, and return the chosen one: the
    first until somebody chooses. `look` are further arguments of `st.segmented_control`."""
    titles = options if isinstance(options, Mapping) else dict(zip(options, options, strict=True))
    if st.session_state.get(key) not in titles:
        st.session_state[key] = next(iter(titles))
    chosen = st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        key=key,
        label_visibility="collapsed",
        **look,
    )
    return str(chosen)


def fill(key: str, value: object) -> None:
    """Give a widget a value before it is drawn.

    The value that it has is not written again: the browser would show it in place of a choice that is on its way.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def apart(titles: Mapping[Key, str]) -> dict[Key, str]:
    """Return titles with a number behind those that are the same as one before: a browser tells options apart by their
    titles."""
    known: dict[Key, str] = {}
    for key, title in titles.items():
        numbered = (title if number == 1 else f"{title} ({number})" for number in count(1))
        known[key] = next(one for one in numbered if one not in known.values())
    return known


def fold(key: str) -> None:
    """Close a popover with the next drawing of the page; a callback."""
    st.session_state[key] = False


def dialog_open(name: str, pressed: bool = False) -> bool:
    """Return True if a dialog is to be drawn; Streamlit drops one that the next run of the page does not draw again.

    The page runs by itself when a model becomes ready or a job ends, and what somebody types must outlive that. A name
    is unique among the dialogs of a session; `pressed` says that the button that opens it was pressed just now.
    """
    if pressed:
        open_dialog(name)
    return bool(st.session_state.get(_OPEN_DIALOG) == name)


def open_dialog(name: str) -> None:
    """Have a dialog drawn from now on; also a callback."""
    st.session_state[_OPEN_DIALOG] = name


def close_dialog() -> None:
    """Draw no dialog any more: it was dismissed, or has done its work."""
    st.session_state.pop(_OPEN_DIALOG, None)


def draw_chart(figure: object, key: str, alt: str, aid: str = "") -> None:
    """Draw a Plotly figure (`alt`: its content, for screen readers) above the sentence that tells how to read it, where
    its heading does not."""
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)
    if aid:
        reading_aid(aid)


def reading_aid(text: str) -> None:
    """Draw one sentence of our own that tells how to read a chart or a table."""
    st.caption(f":material/lightbulb: {text}")


def download(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    file: str,
    key: str,
    help: str = "",
    *,
    icon: str = "download",
    **look: Any,
) -> None:
    """Draw a button that gives the browser a file, without drawing the page anew.

    `data` is the content, or a function that makes it when the button is pressed. The name of the file ends with one of
    `_MEDIA_TYPES`; `icon` is a Material symbol, and `look` are further arguments of `st.download_button`.
    """
    st.download_button(
        label,
        data,
        file,
        _MEDIA_TYPES[PurePath(file).suffix],
        icon=f":material/{icon}:",
        on_click="ignore",
        key=key,
        help=help or None,
        **look,
    )


def file_name(name: str, otherwise: str) -> str:
    """Return a name as a file can have it on every system; `otherwise` where nothing of it is left."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or otherwise


def copy_link(name: str, value: str, what: str) -> None:
    """Draw a button that copies the address of the `what` on the page, for example a "run".

    The browser puts the address together of the query parameter's name and value, so it is right behind a proxy too;
    nothing is sent.
    """
    data = {"name": name, "value": value, "what": what}
    component("copy_link", "html", "css")(data=data, key=f"copy-link-{value}", width="content")
