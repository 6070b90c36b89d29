"""Makes the data of the explorables anew, from the gallery and the demo world: `python -m tools.explorables`.

`--check` writes nothing and fails where a file is not what would be made.
"""

from __future__ import annotations

import argparse
import sys

from core.explorables import FOLDER
from tools.explorables import explorable, stems, to_text


def main() -> int:
    """Write or check the files that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*stems(), []], help="lessons; none: all")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    stale = 0
    for stem in asked.names or stems():
        file, text = FOLDER / f"{stem}.json", to_text(explorable(stem).make())
        if not asked.check:
            file.write_text(text, encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != text:
            stale += 1
            print(f"{file.name} is not what would be made", file=sys.stderr)
        print(f"{stem}: {len(text.encode()) / 1000:.0f} kB")
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
