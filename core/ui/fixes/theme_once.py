"""The theme is worked out once, not by every run of a script and of every part that ticks.

Fault (Streamlit 1.67): each run begins with a message that holds all of the theme, and reads it anew from the settings,
option by option and with regular expressions: a sixth of the processor time of a server with many runs under way.
Needed as long as tests/unit/ui/test_theme_once.py::test_streamlit_works_it_out_anew passes.
"""

from __future__ import annotations

from functools import cache

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

_work_out = app_session._populate_theme_msg


def keep_theme() -> None:
    """Have every session of this process use it; once is enough, more often does no harm. Settings are read when the
    process starts, so the theme stays as it is."""
    app_session._populate_theme_msg = _fill_in


def _fill_in(msg: CustomThemeConfig, section: str = "theme") -> None:
    """In place of Streamlit's own function."""
    found = theme(section)
    if found.ByteSize():  # merging with nothing would say that there is such a section
        msg.MergeFrom(found)


@cache
def theme(section: str) -> CustomThemeConfig:
    """What the settings say of a section; nobody may change it."""
    found = CustomThemeConfig()
    _work_out(found, section)
    return found
