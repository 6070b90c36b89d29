"""A run as a notebook: the tutorial script of its strategy, with this run's prompts, parameters and passages."""

from core.runs.notebook.materials import Materials, gather
from core.runs.notebook.writing import check, notebook, notebook_name

__all__ = ["Materials", "check", "gather", "notebook", "notebook_name"]
