"""Indexing in plain LangChain: load, split, embed, store. Every other script searches the retriever that comes out.

Save it beside the script of a lesson, and ask, in the environment OPENAI_API_KEY (with OPENAI_BASE_URL: of another
endpoint), CHAT_MODEL and EMBEDDING_MODEL:

    python indexing.py multi_query my_texts "Who wrote this?"
"""

import os
import sys
from importlib import import_module
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStoreRetriever
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from semantic_text_splitter import TextSplitter


def load(folder: Path) -> list[Document]:
    """Every text file in a folder; the name of the file is the title."""
    return [
        Document(path.read_text(encoding="utf-8"), metadata={"title": path.stem})
        for path in sorted(folder.rglob("*.txt"))
    ]


def split(documents: list[Document], tokens: int = 300, overlap: int = 50) -> list[Document]:
    """Chunks that end where a sentence or a paragraph ends; what does not fit into one stands in the next again.

    A chunk begins with the title, so that it is embedded with it: "He was born in Vienna" alone is nobody.
    """
    splitter = TextSplitter.from_tiktoken_model(
        "text-embedding-3-small", tokens, overlap
    )  # whose tokens count
    return [
        Document(f"{document.metadata['title']}\n\n{text}")
        for document in documents
        for text in splitter.chunks(document.page_content)
    ]


def index(folder: Path, embeddings: Embeddings, k: int = 4) -> VectorStoreRetriever:
    """What finds the k chunks that are nearest to a question, by the cosine of their vectors."""
    store = InMemoryVectorStore(embeddings)
    store.add_documents(split(load(folder)))
    return store.as_retriever(search_kwargs={"k": k})


if __name__ == "__main__":
    script, texts, question = sys.argv[1:]
    llm = ChatOpenAI(model=os.environ["CHAT_MODEL"], temperature=0)
    model = OpenAIEmbeddings(model=os.environ["EMBEDDING_MODEL"], check_embedding_ctx_length=False)
    answer, passages = import_module(script).ask(question, llm, index(Path(texts), model))
    print(answer)
    for number, passage in enumerate(passages, 1):
        print(f"\n[{number}] {passage.page_content}")
