"""Keyword retrieval beside the BM25 library called directly on the same tokens, on a labelled data set.

    python -m research.keyword_quality FOLDER

No corpus is indexed and nothing is embedded: the chunks are cut as the built-in embeddings would have them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import bm25s
import numpy as np

from core.corpora.documents import Document
from core.corpora.entries import chunk_sizes
from core.corpora.splitting import Splitter, embedded_text
from core.evaluation.datasets import read_folder
from core.evaluation.ranking_scores import means, ranking_scores
from core.models.embeddings import BUILTIN_MAX_TOKENS, builtin_tokenizer
from core.retrieval.keyword import K1, B, KeywordIndex
from core.retrieval.tokens import tokens
from core.trace.artefacts import EVAL_CUTOFF


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a data set's folder")
    dataset = read_folder(parser.parse_args().folder)
    splitter = Splitter(builtin_tokenizer(), BUILTIN_MAX_TOKENS, *chunk_sizes(BUILTIN_MAX_TOKENS, None, None))
    titles = {one.id: one.title for one in dataset.documents}
    passages = [
        passage
        for one in dataset.documents
        for passage in splitter.split(Document(one.id, one.id, one.title, one.text, key=one.id))
    ]
    questions = {one.id: one.text for one in dataset.questions if one.gold}
    gold = {one.id: one.gold for one in dataset.questions if one.gold}
    print(f"{len(questions)} questions, {len(titles)} documents, {len(passages)} chunks")
    index = KeywordIndex(passages, titles)
    ours = {
        key: [passage.document for passage, _ in index.rank(text, EVAL_CUTOFF)]
        for key, text in questions.items()
    }
    show("the app, chunks", ours, gold)
    texts = [embedded_text(titles[one.document], one.text) for one in passages]
    show("the library, the same chunks", direct(texts, [one.document for one in passages], questions), gold)
    whole = [embedded_text(one.title, one.text) for one in dataset.documents]
    show("the library, whole documents", direct(whole, list(titles), questions), gold)


def direct(texts: list[str], ids: list[str], questions: Mapping[str, str]) -> dict[str, list[str]]:
    """What the library itself ranks first: the ids of the texts."""
    library = bm25s.BM25(method="lucene", k1=K1, b=B)
    library.index([tokens(text) for text in texts], show_progress=False)
    return {
        key: [
            ids[place] for place in np.argsort(-library.get_scores(tokens(text)), kind="stable")[:EVAL_CUTOFF]
        ]
        for key, text in questions.items()
    }


def show(name: str, rankings: Mapping[str, Sequence[str]], gold: Mapping[str, Mapping[str, int]]) -> None:
    """One line."""
    found = means(ranking_scores(rankings, gold).values())
    print(f"{name:<30} nDCG@10 {found['nDCG@10']:.4f}   R@10 {found['R@10']:.4f}")


if __name__ == "__main__":
    main()
