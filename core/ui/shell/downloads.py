"""Files that are taken home."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Literal

import streamlit as st

_MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".jsonl": "application/x-ndjson",
    ".zip": "application/zip",
}


def download(
    label: str,
    data: str | bytes | Callable[[], str | bytes],
    file: str,
    key: str,
    help: str = "",
    *,
    icon: str = "download",
    width: Literal["content", "stretch"] = "content",
    disabled: bool = False,
) -> None:
    """A button that gives the browser a file; the page is not drawn anew.

    Args:
        label: On the button.
        data: What is in the file, or what makes it when it is asked for.
        file: Its name; its ending is one of those above.
        key: Of the button.
        help: What the file is for.
        icon: Name of a Material symbol.
        width: Of the button.
        disabled: Whether it cannot be pressed.
    """
    st.download_button(
        label,
        data,
        file,
        _MEDIA_TYPES[PurePath(file).suffix],
        icon=f":material/{icon}:",
        on_click="ignore",
        key=key,
        width=width,
        disabled=disabled,
        help=help or None,
    )
