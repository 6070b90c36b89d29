"""A file of weights like the built-in model's, but tiny."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

Q4, Q8, PLAIN = gguf.GGMLQuantizationType.Q4_1, gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.F32
KINDS = {"token_embd.weight": Q8, "blk.0.attn_norm.weight": PLAIN, "blk.0.ffn_down.weight": Q4, "blk.0.k": Q4}


def write_tiny_weights(path: Path) -> Path:
    """Write it: every kind of field and tensor that the model has."""
    source = np.random.default_rng(1)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny — ☃")
    writer.add_languages(["en"])
    writer.add_block_count(1)
    writer.add_rope_freq_base(100000.0)
    writer.add_add_bos_token(False)
    writer.add_token_list(["<s>", "Ġthe", "\n", "雪"])
    writer.add_token_types([3, 1, 1, 1])
    writer.add_token_merges(["Ġt he", "a b"])
    writer.add_chat_template("{% for message in messages %}{{ message }}{% endfor %}")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    for name, kind in KINDS.items():
        numbers = source.normal(0, 1, (8, 64)).astype(np.float32)
        data = numbers if kind == PLAIN else gguf.quantize(numbers, kind)
        writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
