"""Upload documents and see what is indexed."""

from core.ui import navigation

navigation.ensure("documents")

from core.ui import documents  # noqa: E402  # heavy imports come after the first redraw

documents.page()
