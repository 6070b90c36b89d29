"""RAG Loupe: the engine behind the app; `core.ui` is the only part that knows Streamlit."""

__version__ = "0.1.0"
