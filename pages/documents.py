"""Upload documents and see what is indexed."""

from core.ui.shell import navigation

navigation.ensure("documents")

from core.ui.documents import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
