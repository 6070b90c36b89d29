# The passages that share words with a query, by BM25. Words count without case and, in English, without endings; what
# is written without blanks between words is cut into pairs of characters.
import re
import unicodedata
from typing import Any

import bm25s
import Stemmer
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with s t"
)
STOP_WORDS = set(_STOP_WORDS.split())
UNSPACED = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af]+)")
STEMMER = Stemmer.Stemmer("english")


def terms(text: str) -> list[str]:
    text = unicodedata.normalize("NFKC", text).casefold()
    text = "".join(" " if unicodedata.category(char)[0] in "PSZC" else char for char in text)
    parts = [part for word in text.split() for part in UNSPACED.split(word) if part not in STOP_WORDS]
    words: list[str] = []
    for part in filter(None, parts):
        if UNSPACED.match(part):
            words += [part[place : place + 2] for place in range(max(1, len(part) - 1))]
        else:
            words.append(STEMMER.stemWord(part) if part.isascii() else part)
    return words


class Keyword(BaseRetriever):
    passages: list[dict[str, str]]
    k: int
    index: Any = None

    def model_post_init(self, context: Any) -> None:
        self.index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        parts = ((item["indexed_title"], item.get("context"), item["text"]) for item in self.passages)
        texts = ["\n\n".join(filter(None, some)) for some in parts]
        self.index.index([terms(text) for text in texts], show_progress=False)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if not terms(query):
            return []
        scores = self.index.get_scores(terms(query))
        best = [(i, self.passages[i]) for i in (-scores).argsort(kind="stable")[: self.k]]
        return [
            Document(
                id=item["chunk"],
                page_content=item["text"],
                metadata={"title": item["title"], "score": float(scores[i])},
            )
            for i, item in best
            if scores[i] > 0
        ]
