"""Indexing in plain LangChain: load, split, embed, store. Every other script searches the retriever that comes out.

Save it beside the script of a lesson, and ask the .txt files of a folder. The environment has OPENAI_API_KEY (with
OPENAI_BASE_URL: of another endpoint), CHAT_MODEL and EMBEDDING_MODEL:

    python multi_query.py my_texts "Who wrote this?"

By itself, `python indexing.py my_texts "Who wrote this?"` shows what a search finds.
"""

import os
import sys
from functools import cached_property
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from semantic_text_splitter import TextSplitter


def files(folder: Path) -> list[Path]:
    """Every text file in a folder."""
    return sorted(folder.rglob("*.txt"))


def load(folder: Path) -> list[Document]:
    """The text files of a folder; the name of a file is its title."""
    return [
        Document(path.read_text(encoding="utf-8"), metadata={"title": path.stem}) for path in files(folder)
    ]


def split(documents: list[Document], tokens: int = 300, overlap: int = 50) -> list[Document]:
    """Chunks that end where a sentence or a paragraph ends; what does not fit into one stands in the next again."""
    model = "text-embedding-3-small"  # whose tokens count
    splitter = TextSplitter.from_tiktoken_model(model, tokens, overlap)
    chunks = [(text, doc.metadata) for doc in documents for text in splitter.chunks(doc.page_content)]
    return [Document(text, id=str(place), metadata=metadata) for place, (text, metadata) in enumerate(chunks)]


def index(chunks: list[Document], embeddings: Embeddings, k: int = 4) -> VectorStoreRetriever:
    """A retriever of the k chunks that are nearest to a question, by the cosine of their vectors.

    A chunk is embedded with its title: "He was born in Vienna" alone is nobody.
    """
    store = InMemoryVectorStore(embeddings)
    store.add_documents([chunk.model_copy(update={"page_content": titled(chunk)}) for chunk in chunks])
    for chunk in chunks:  # what a model reads has the title in its metadata, and not in the text
        store.store[str(chunk.id)]["text"] = chunk.page_content
    return store.as_retriever(search_kwargs={"k": k})


def titled(document: Document) -> str:
    """A text under its title."""
    return f"{document.metadata['title']}\n\n{document.page_content}"


class Start:
    """The words and models that a script is started with."""

    def __init__(self, source: str, question: str) -> None:
        self.source, self.question = Path(source), question
        self.llm = ChatOpenAI(model=os.environ["CHAT_MODEL"], temperature=0)
        self.embeddings = OpenAIEmbeddings(
            model=os.environ["EMBEDDING_MODEL"], check_embedding_ctx_length=False
        )

    @cached_property
    def passages(self) -> list[Document]:
        """The chunks of all documents."""
        return split(load(self.source)) or sys.exit(f"No .txt file with a text is in {self.source}.")

    def retriever(self, k: int = 4) -> VectorStoreRetriever:
        """The search in them."""
        return index(self.passages, self.embeddings, k)


def start() -> Start:
    """Reads the command line."""
    if len(sys.argv) != 3:
        sys.exit(f'Ask like this: python {sys.argv[0]} FOLDER "QUESTION"')
    return Start(*sys.argv[1:])


def show(answer: str, passages: list[Document]) -> None:
    """Prints an answer, and what it was made from."""
    print(answer)
    for number, passage in enumerate(passages, 1):
        print(f"\n[{number}] {titled(passage)}")


if __name__ == "__main__":
    setup = start()
    show(setup.question, setup.retriever().invoke(setup.question))
