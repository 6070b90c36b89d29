"""Look around in a knowledge graph, ask it in Cypher, export it."""

from core.ui.shell import navigation

navigation.ensure("knowledge_graph")

from core.ui.knowledge import page  # noqa: E402  # heavy imports come after the first redraw

page.page()
