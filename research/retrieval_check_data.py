"""Makes data/retrieval_check: passages and questions on which `core.retrieval.check` measures an embeddings endpoint.

    python -m research.retrieval_check_data DATA_FOLDER

DATA_FOLDER holds `xquad`, `jsquad_valid_ja` and `belebele_ko_en`, whose licence allows that; the same seed draws
the same.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from core.evaluation.datasets import DATA, read_folder

FOLDER = DATA / "retrieval_check"
SOURCES = {
    "Chinese": "xquad/zh",
    "English": "xquad/en",
    "Japanese": "jsquad_valid_ja",
    "Korean": "belebele_ko_en/ko",
}
PASSAGES, QUESTIONS = 120, 60
LONGEST = 1200
"""Characters; a longer passage may have more tokens than an embedding model reads."""


def main() -> None:
    """Draw and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    folder = parser.parse_args().folder
    FOLDER.mkdir(exist_ok=True)
    for language, source in SOURCES.items():
        lines = drawn(folder / source)
        file = FOLDER / f"{language.lower()}.jsonl"
        file.write_text(
            "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
        )
        print(f"{file.name}: {len(lines)} passages, {file.stat().st_size / 1000:.0f} kB")


def drawn(folder: Path) -> list[dict[str, str]]:
    """Passages, the first `QUESTIONS` of which have a question each."""
    dataset = read_folder(folder)
    random.seed(0)
    documents = {one.id: one for one in dataset.documents if len(one.text) <= LONGEST}
    # Of Belebele only those questions that can be asked without their options.
    asked = [one for one in dataset.questions if one.type != "multiple-choice"]
    random.shuffle(asked)
    question = {
        next(iter(one.gold)): one.text
        for one in asked
        if len(one.gold) == 1 and next(iter(one.gold)) in documents
    }
    first = list(question)[:QUESTIONS]
    others = sorted(documents.keys() - set(first))
    random.shuffle(others)
    return [
        {"title": documents[key].title.replace("_", " "), "text": documents[key].text}
        | ({"question": question[key]} if key in first else {})
        for key in [*first, *others[: PASSAGES - QUESTIONS]]
    ]


if __name__ == "__main__":
    main()
