"""An example of a package that adds to RAG Loupe, see docs/plugins.md."""
