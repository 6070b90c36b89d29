"""The page Knowledge graph, one module per section."""
