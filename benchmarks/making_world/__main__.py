"""The command; see the package."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.making_world.making import make_documents
from benchmarks.making_world.parsing import FOLDERS, parse_world, passages_of
from benchmarks.making_world.vectors import make_vectors
from core.corpora.parsed import dump_parsed
from core.models.embeddings import Embedder, open_embedder
from core.settings import Settings

WORLD = Path(__file__).parents[2] / "data" / "demo_world"
MOST_MB = 6
"""Most that the world may weigh."""


def main() -> None:
    """Make everything, and print how much there is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.making_world", description=__doc__)
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
        print(f"{make_vectors(world / 'vectors.npz', corpora, embedder)} vectors")
    weight = sum(file.stat().st_size for file in world.rglob("*") if file.is_file()) / 1e6
    print(f"{weight:.2f} MB")
    if weight > MOST_MB:
        raise SystemExit(f"That is more than {MOST_MB} MB.")


def builtin() -> Embedder:
    """The built-in embeddings, whatever the environment says."""
    return open_embedder(Settings(_env_file=None, embedding_base_url="", embedding_model=""))


if __name__ == "__main__":
    main()
