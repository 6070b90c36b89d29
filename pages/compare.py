"""One question, several strategies side by side."""

from core.ui.shell import navigation

navigation.ensure("compare")

from core.ui.compare import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
