"""What the strategies are, and a lesson for each."""

from core.ui import navigation

navigation.ensure("learn")

from core.ui import learn  # noqa: E402  # heavy imports come after the first redraw

learn.page()
