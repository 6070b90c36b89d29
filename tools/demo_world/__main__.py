"""The command; see the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.corpora.demo import VECTORS, WORLD
from core.knowledge.store.demo_graphs import GRAPH_VECTORS
from tools.demo_world.dataset import make_dataset
from tools.demo_world.graph import make_triples, names_in
from tools.demo_world.making import MOST_MB, make_documents, weight
from tools.demo_world.parsing import FOLDERS, dump_parsed, parse_world, passages_of
from tools.demo_world.vectors import builtin, make_vectors, texts_of


def main() -> None:
    """Make everything, and print how much there is."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo_world", description=__doc__)
    parser.add_argument("--world", type=Path, default=WORLD, help="the world's folder")
    parser.add_argument("--documents", action="store_true", help="make and read the documents only")
    arguments = parser.parse_args()
    world: Path = arguments.world
    for target in make_documents(world):
        print(f"made {target.relative_to(world)}")
    corpora, embedder = parse_world(world), builtin()
    for folder in FOLDERS:
        count = len(passages_of(corpora[folder], embedder))
        print(f"{folder}: {len(corpora[folder])} documents, {count} passages")
    if not arguments.documents:
        (world / "parsed.jsonl").write_text(dump_parsed(corpora), encoding="utf-8", newline="\n")
        texts = (text for documents in corpora.values() for text in texts_of(documents, embedder))
        print(f"{make_vectors(world / VECTORS.name, texts, embedder)} vectors")
        passages, questions = make_dataset(world, corpora[FOLDERS[0]], embedder)
        print(f"data set: {passages} passages, {questions} questions")
        triples = make_triples(world, corpora[FOLDERS[0]], embedder)
        names = make_vectors(world / GRAPH_VECTORS.name, names_in(triples), embedder, coarse=True)
        print(f"graph: {len(triples)} triples, {names} names")
    print(f"{weight(world):.2f} MB")
    if weight(world) > MOST_MB:
        raise SystemExit(f"That is more than {MOST_MB} MB.")


if __name__ == "__main__":
    main()
