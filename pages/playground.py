"""Ask a question and see everything that happens."""

from core.ui import navigation

navigation.ensure("playground")

from core.ui import playground  # noqa: E402  # heavy imports come after the first redraw

playground.page()
