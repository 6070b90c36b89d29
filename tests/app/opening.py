"""Pages opened by their own address, lists clicked on, and what they let one take home."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.ui.shell.another_model import mark
from core.ui.shell.models import Option
from core.ui.shell.safe import JOINER
from tests.app.pages import APP, said, unfolded
from tests.app.test_run_view import texts, without_ours
from tests.unit.ui.shell.test_safe import harmless as plain


def opened(path: str, owner: str = "me", **query: str) -> AppTest:
    """A page that was opened by its address, drawn without an exception.

    Args:
        path: File of the page, as `pages/runs.py`.
        owner: Whose browser it is.
        query: Of the address.
    """
    page = unfolded(AppTest.from_file(str(APP), default_timeout=60), query.get("run", "")).switch_page(path)
    page.session_state["owner"] = owner
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    page._page_hash = ""  # from here on it is where it led to by itself
    return drawn(page)


def drawn(page: AppTest) -> AppTest:
    """The page, in which nothing unexpected went wrong."""
    assert not page.exception, page.exception
    return page


def click(page: AppTest, key: str) -> AppTest:
    """Press a button."""
    return drawn(page.button(key=key).click().run())


def open_models(page: AppTest) -> AppTest:
    """Open the dialog with the models, unless it is open."""
    if "look-again" not in keys(page):
        click(unfolded(page).run(), "another-model")
        unfolded(page)  # the dialog takes the place of what it was opened from
    return page


def use_model(page: AppTest, one: Option) -> AppTest:
    """Choose a model that is not chosen yet, one of `core.ui.shell.models.options`."""
    return click(open_models(page), f"use-{mark(one)}")


def click_row(page: AppTest, key: str, row: int) -> AppTest:
    """Click a row of a list."""
    page.session_state[key] = {"selection": {"rows": [], "columns": [], "cells": [(row, "")]}}
    return drawn(page.run())


def table(page: AppTest, key: str) -> dict[str, list[Any]]:
    """Title -> cells of a table in which something can be chosen."""
    return cells(page.dataframe(key=key).value)


def cells(frame: Any) -> dict[str, list[Any]]:
    """Title -> cells."""
    found: dict[str, list[Any]] = frame.to_dict("list")
    return found


def keys(page: AppTest, kind: str = "button") -> set[str]:
    """Keys of the widgets of a kind."""
    return {str(one.key) for one in page.get(kind) if one.key}


def value(page: AppTest, name: str) -> str:
    """What stands in the page's address under a name; empty: nothing."""
    found = page.query_params.get(name, "")
    return str(found[0] if isinstance(found, list) else found)


def drawings(page: AppTest, slot: str) -> list[dict[str, Any]]:
    """Data of those of our own components that have a value of this name."""
    every = [json.loads(item.proto.json) for item in page.get("bidi_component") if item.proto.json]
    return [data for data in every if slot in data]


def scenes(page: AppTest) -> list[str]:
    """What the scenes of the replay on the page are called."""
    (shown,) = drawings(page, "titles")
    return list(shown["titles"])


def turn(page: AppTest, key: str, scene: int) -> AppTest:
    """Go to a scene of a replay, from 0, as a click on it does."""
    page.session_state[f"scene-{key}"] = scene
    return drawn(page.run())


def links(page: AppTest) -> list[str]:
    """Addresses that the page leads to."""
    return [f"{one.proto.page}?{one.proto.query_string}" for one in page.get("page_link")]


def has(page: AppTest, text: str) -> bool:
    """Whether the page says it in words."""
    return text in said(page).replace(JOINER, "")


def harmless(page: AppTest) -> bool:
    """Whether all text of the page that is Markdown does nothing but format."""
    for text in texts(page):
        for line in text.splitlines():
            plain(without_ours(line))
    return True


class TakenHome:
    """The files that the pages offer, by the key of the button."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._files: dict[str, tuple[str, Any]] = {}
        offer = st.download_button

        def noted(label: str, data: Any, file_name: str, *args: Any, **options: Any) -> bool:
            self._files[options["key"]] = (file_name, data)
            return offer(label, data, file_name, *args, **options)

        patch.setattr(st, "download_button", noted)

    def name(self, key: str) -> str:
        """What the file is called."""
        return self._files[key][0]

    def content(self, key: str) -> str | bytes:
        """What is in the file, made now where it is made when it is asked for."""
        data = self._files[key][1]
        return cast("str | bytes", cast("Callable[[], Any]", data)() if callable(data) else data)

    def data(self, key: str) -> bytes:
        """A binary file's content."""
        found = self.content(key)
        assert isinstance(found, bytes)
        return found

    def text(self, key: str) -> str:
        """A text file's content."""
        found = self.content(key)
        return found if isinstance(found, str) else found.decode()
