"""What the strategies are, and a lesson for each."""

from core.ui.shell import navigation

navigation.ensure("learn")

from core.ui.learn import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
