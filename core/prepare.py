"""Made once, when the app is installed, so that it starts and answers faster. The app works without.

`python -m core.prepare`, which `make` calls.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys

import core.cli
import core.ui
from core.models import builtin_embeddings
from core.runs.backends import import_graphs, import_vectors
from core.services import weights


def main() -> int:
    """Make what is not there; where it cannot be made, say so and go on."""
    compile_used()
    for make, without in (
        (weights.prepare, "Prompts are read more slowly."),
        (builtin_embeddings.prepare_encoder, "Every start takes some seconds longer."),
    ):
        try:
            make()
        except OSError as error:
            sys.stderr.write(
                f"What makes the app faster could not be written ({error.strerror}). {without}\n"
            )
    return 0


def compile_used() -> None:
    """Import what pages, commands and runs need, so that Python compiles it now and not while somebody waits."""
    import plotly.graph_objects

    import_graphs()
    import_vectors()
    for package in (core.ui, core.cli):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    plotly.graph_objects.Figure(
        [{"type": "bar"}, {"type": "scatter"}, {"type": "heatmap"}], {"xaxis": {}, "legend": {}}
    )


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # Streamlit warns that there is no server
    sys.exit(main())
