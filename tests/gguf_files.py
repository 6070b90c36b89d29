"""Small files in the format GGUF: each of a kind that somebody may have among models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"


def write_gguf(
    path: Path,
    architecture: str = "llama",
    *,
    template: str = TEMPLATE,
    kind: str = "model",
    numbers: Mapping[str, int] | None = None,
    tensors: int = 1,
) -> Path:
    """A file that is whole; what it holds is no model that llama.cpp would load.

    Args:
        path: Where.
        architecture: Of the model.
        template: For chats; empty: none.
        kind: `general.type`.
        numbers: Further fields.
        tensors: How many, of 4 kB each.
    """
    path.parent.mkdir(exist_ok=True)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type(kind)
    writer.add_name("A small model")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_K_M)
    writer.add_token_list([f"token {number}" for number in range(300)])
    if template:
        writer.add_chat_template(template)
    for name, number in (numbers or {}).items():
        writer.add_uint32(name, number)
    for number in range(tensors):
        writer.add_tensor(f"tensor {number}", np.full((32, 32), number, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
