"""Each strategy's idea as a short script in plain LangChain, and what all of them search: `indexing`."""

from importlib import resources


def indexing() -> str:
    """The script that makes what the others search: load, split, embed, store."""
    return (resources.files(__name__) / "indexing.py").read_text(encoding="utf-8")
