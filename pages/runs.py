"""Everything that was asked: open it, replay it, take it home."""

from core.ui import navigation

navigation.ensure("runs")

from core.ui import runs  # noqa: E402  # heavy imports come after the first redraw

runs.page()
