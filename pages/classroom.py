"""A class: open it, show it on the projector, see who asked what."""

from core.ui.shell import navigation

navigation.ensure("classroom")

from core.ui.classroom import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
