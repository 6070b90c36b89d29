"""Which strategy is better here: labelled questions, several settings, differences with intervals."""

from core.ui.shell import navigation

navigation.ensure("evaluate")

from core.ui.evaluate import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
