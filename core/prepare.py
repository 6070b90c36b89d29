"""Made once, when the app is installed, so that it starts and answers faster. The app works without.

`python -m core.prepare`, which `make` calls.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from pathlib import Path
from typing import Any

import core.cli
import core.ui
from core.models import embeddings
from core.runs.backends import import_graphs, import_vectors
from core.services.chat import FAST_WEIGHTS, shipped_weights


def main() -> int:
    """Make what is not there; where it cannot be made, say so and go on."""
    compile_used()
    for make, without in (
        (prepare_weights, "Prompts are read more slowly."),
        (embeddings.prepare_encoder, "Every start takes some seconds longer."),
    ):
        try:
            make()
        except OSError as error:
            sys.stderr.write(
                f"What makes the app faster could not be written ({error.strerror}). {without}\n"
            )
    return 0


_OF_THE_HEADER = ("GGUF.", "general.architecture", "general.file_type")
"""Fields that the writer makes itself, or that are no longer true."""


def convert(source: Path, target: Path) -> None:
    """Write a model's 4-bit weights again with 8 bits; all else stays as it is. A kill leaves no half file.

    The package that carries the built-in model has them with 4 bits each (Q4_1), for which llama.cpp has slow kernels.
    With 8 bits each (Q8_0), they take another 145 MB on disk, and prompts are read 1.6 times as fast. No number moves
    by more than a 127th of the largest one of its tensor.

    Raises:
        OSError: The file could not be read or written.
    """
    import gguf

    reader = gguf.GGUFReader(source)
    partial = target.with_suffix(".partial")
    target.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(partial, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if not name.startswith(_OF_THE_HEADER):
            whole, *of = field.types
            writer.add_key_value(name, field.contents(), whole, of[-1] if of else None)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    for tensor in reader.tensors:
        data: Any = tensor.data
        kind = tensor.tensor_type
        if kind == gguf.GGMLQuantizationType.Q4_1:
            kind = gguf.GGMLQuantizationType.Q8_0
            data = gguf.quantize(gguf.dequantize(data, tensor.tensor_type), kind)
        writer.add_tensor(tensor.name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(target)


def prepare_weights() -> None:
    """Convert the weights of the built-in model, unless that is done.

    Raises:
        OSError: The file could not be read or written.
    """
    if not FAST_WEIGHTS.is_file():
        convert(shipped_weights(), FAST_WEIGHTS)


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
