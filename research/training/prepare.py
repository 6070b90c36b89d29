"""Make the examples.

    python -m research.training.prepare DATA_FOLDER WORK_FOLDER

DATA_FOLDER holds `ragtasks`, `scifact` and `2wiki_train500`. Written are `examples.jsonl` (trained on) and
`kept.jsonl` (never trained on), a line per example, to be read by people too.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from research.training.examples import examples

SEED = 0


def main() -> None:
    """Make and count them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    made = list(dict.fromkeys(examples(arguments.data, SEED)))
    for name, kept in (("examples", False), ("kept", True)):
        some = [one for one in made if one.kept == kept]
        lines = (json.dumps(asdict(one), ensure_ascii=False) for one in some)
        (arguments.work / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(some):,}", dict(Counter(one.task for one in some)))


if __name__ == "__main__":
    main()
