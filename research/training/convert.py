"""Write what was learned as the adapter that the app's server loads.

    python -m research.training.convert WORK_FOLDER [FILE] [--name checkpoint]

FILE is the app's own by default. About 10 MB of 16-bit numbers in the GGUF format of llama.cpp.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import gguf
import numpy as np
import torch
from numpy.typing import NDArray

from core.services.chat import ADAPTER
from research.training.lora import ALPHA

HEADS, KEY_HEADS = 9, 3
"""Of SmolLM2-135M."""
NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""Layers, as transformers and as llama.cpp call them."""


def main() -> None:
    """Convert the checkpoint."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path)
    parser.add_argument("file", type=Path, nargs="?", default=ADAPTER)
    parser.add_argument("--name", default="checkpoint", help="of the run that is converted")
    arguments = parser.parse_args()
    state = torch.load(arguments.work / f"{arguments.name}.pt", map_location="cpu", weights_only=False)
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(arguments.file, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(ALPHA))
    for name, weight in sorted(state["weights"].items()):
        writer.add_tensor(*converted(name, weight.numpy()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    size = arguments.file.stat().st_size / 1e6
    print(f"{arguments.file}: {size:.1f} MB after {state['step']} steps")


def converted(name: str, weight: NDArray[np.float32]) -> tuple[str, NDArray[np.float16]]:
    """A part of an adapter under llama.cpp's name and in its order.

    Args:
        name: `model.layers.N.LAYER.a` or `.b`.
        weight: `a` of shape (rank, in), `b` of shape (out, rank).
    """
    match = re.fullmatch(r"model\.layers\.(\d+)\.([\w.]+)\.([ab])", name)
    if match is None:
        raise ValueError(f"{name} is no layer of an adapter.")
    block, layer, part = match.groups()
    heads = {"self_attn.q_proj": HEADS, "self_attn.k_proj": KEY_HEADS}.get(layer)
    if heads and part == "b":
        weight = interleaved(weight, heads)
    return f"blk.{block}.{NAMES[layer]}.weight.lora_{part}", np.ascontiguousarray(weight, np.float16)


def interleaved(weight: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows of a query or key layer from transformers' order to llama.cpp's.

    Rotary positions turn pairs of rows: transformers pairs the halves of a head, llama.cpp neighbours.
    """
    halves = weight.reshape(heads, 2, weight.shape[0] // heads // 2, *weight.shape[1:])
    return halves.swapaxes(1, 2).reshape(weight.shape)


if __name__ == "__main__":
    main()
