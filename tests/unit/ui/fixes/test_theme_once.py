"""The theme that sessions are told is Streamlit's own, worked out once."""

from __future__ import annotations

from collections import Counter

import pytest
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from core.ui.fixes import streamlit_patches

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each section of the settings is read."""
    counted = Counter[str]()
    options = config.get_options_for_section

    def counting(section: str) -> dict[str, object]:
        counted[section] += 1
        return options(section)

    monkeypatch.setattr(config, "get_options_for_section", counting)
    monkeypatch.setattr(app_session, "_populate_theme_msg", streamlit_patches._work_out)
    streamlit_patches.theme.cache_clear()
    return counted


def test_streamlit_works_it_out_anew(read: Counter[str]) -> None:
    for _ in range(3):
        app_session._populate_theme_msg(CustomThemeConfig())
    assert read["theme"] == 3


@pytest.mark.parametrize("section", SECTIONS)
def test_it_is_the_same_and_read_once(read: Counter[str], section: str) -> None:
    expected, plain = CustomThemeConfig(), CustomThemeConfig()
    streamlit_patches._work_out(expected, section)
    read.clear()
    streamlit_patches.keep_theme()
    for message in (plain, CustomThemeConfig()):
        app_session._populate_theme_msg(message, section)
        assert message == expected
    assert read[section] == 1


def test_a_section_without_settings_is_not_mentioned(read: Counter[str]) -> None:
    streamlit_patches.keep_theme()
    message = CustomThemeConfig()
    app_session._populate_theme_msg(message.sidebar, "theme.sidebar")
    assert not message.HasField("sidebar")
