# The judge is late interaction (MaxSim): each word of the query looks for its nearest in the passage.
import unicodedata
from collections.abc import Callable

import numpy as np
from langchain_core.documents import Document

from core.retrieval.late_interaction import Vectors, asks, joined, maxsim
from core.runs.notebook.cells.builtin_embeddings import BuiltinEmbeddings


def not_latin(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    others = sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return others > 0.3 * len(letters)


def by_tokens(encoder: BuiltinEmbeddings) -> Callable[[str, list[Document]], list[Document]]:
    def read(text: str) -> tuple[Vectors, list[str]]:
        tokens = encoder.tokenizer.encode(text)
        tokens.truncate(256)
        ids = np.array([tokens.ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        own = [place for place, mark in enumerate(tokens.special_tokens_mask) if not mark]
        vectors = encoder.minilm.run(None, inputs)[0][0][own]
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), [tokens.tokens[i] for i in own]

    def likeness(query: Vectors, document: Document) -> float | None:
        text = "\n\n".join(filter(None, (document.metadata.get("title"), document.page_content)))
        return None if not_latin(text) else maxsim(query, read(text)[0].astype(np.float16))

    def order(query: str, documents: list[Document]) -> list[Document]:
        vectors, tokens = read(query)
        asking = vectors[[place for place, token in enumerate(tokens) if asks(token)] or slice(None)]
        near = [likeness(asking, document) for document in documents]
        scores = joined([document.metadata["score"] for document in documents], near)
        return [documents[place] for place in np.argsort(-scores, kind="stable")]

    return order
