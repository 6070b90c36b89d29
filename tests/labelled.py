"""A small labelled data set: a few questions of the Wikipedia set, their evidence, and passages that distract."""

from __future__ import annotations

import csv
import json
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "data" / "2wiki_demo60"


def small_data_set(folder: Path, questions: int = 5, distracting: int = 25) -> Path:
    """Write it into a folder that does not exist yet."""
    folder.mkdir()
    lines = (SOURCE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    by_id = {json.loads(line)["id"]: line for line in lines}
    with (SOURCE / "qrels.tsv").open(encoding="utf-8", newline="") as rows:
        labels = [row for row in csv.reader(rows, delimiter="\t") if row[0] in by_id]
    # As the judgements have them: the order of the questions is that of a list of examples, and may change.
    ids = list(dict.fromkeys(row[0] for row in labels))[:questions]
    chosen, judged = [by_id[id_] for id_ in ids], [row for row in labels if row[0] in ids]
    gold = {row[1] for row in judged}
    passages = (SOURCE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    evidence = [line for line in passages if json.loads(line)["id"] in gold]
    others = [line for line in passages if line not in evidence][:distracting]
    write(folder / "queries.jsonl", chosen)
    write(folder / "corpus.jsonl", evidence + others)
    write(folder / "qrels.tsv", ["qid\tdocid\trel", *("\t".join(row) for row in judged)])
    return folder


def write(path: Path, lines: list[str]) -> None:
    """A text file of these lines."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
