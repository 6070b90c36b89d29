"""The demo world: its documents, graph and questions agree with its facts."""
