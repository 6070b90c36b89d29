"""Everything that was asked: open it, replay it, take it home."""

from core.ui.shell import navigation

navigation.ensure("runs")

from core.ui.runs import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
