"""Ask a question and see everything that happens."""

from core.ui.shell import navigation

navigation.ensure("playground")

from core.ui.playground import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
