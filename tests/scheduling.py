"""Which worker does which file when: the longest first, and each worker as long as it can in one room.

A room is a folder of tests that share what is slow to start: a browser with its apps, databases. A worker that has
begun a room stays in it while there is work, so that each is furnished once rather than once per worker.

`python -m tests.scheduling REPORT.xml` notes how long files take, from a report of `pytest --junitxml`, which may be of
some tests alone: other files keep their seconds, and those that are gone lose them.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController

SECONDS = Path(__file__).parent / "seconds.txt"
ROOMS = ("browser", "servers", "app", "unit")
"""In the order in which they are begun: what takes longest to furnish first."""
NOTED_FROM = 1.0
"""Files below are not worth a line."""


def room(nodeid: str) -> str:
    """The folder below `tests` that a test or a file lies in."""
    return nodeid.split("/")[1] if "/" in nodeid else ""


def seconds() -> dict[str, float]:
    """File -> seconds that it took when that was noted."""
    lines = SECONDS.read_text(encoding="utf-8").splitlines()
    return {file: float(took) for took, file in (line.split() for line in lines)}


def order(nodeids: list[str]) -> list[int]:
    """Places of the tests in the order in which they are done: room by room, the longest files first.

    Args:
        nodeids: Of all tests; those of one file stay in their order.
    """
    took = seconds()

    def key(place: int) -> tuple[int, float, str, int]:
        file = nodeids[place].partition("::")[0]
        begun = ROOMS.index(room(file)) if room(file) in ROOMS else len(ROOMS)
        return begun, -took.get(file, 0.0), file, place

    return sorted(range(len(nodeids)), key=key)


class RoomScheduling(LoadFileScheduling):
    """Files go to workers one by one; a worker gets the next one of its room, else of a room where nobody is."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        at = {worker: room(list(files)[-1]) for worker, files in self.assigned_work.items() if files}
        mine = at.pop(node, "")
        waiting = list(self.workqueue)
        here = [file for file in waiting if room(file) == mine]
        free = [file for file in waiting if room(file) not in at.values()]
        self.workqueue.move_to_end((here or free or waiting)[0], last=False)
        super()._assign_work_unit(node)


def main() -> None:
    """Bring `SECONDS` up to date with a report."""
    took: defaultdict[str, float] = defaultdict(float)
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):  # our own report
        took[case.attrib["classname"].replace(".", "/") + ".py"] += float(case.attrib["time"])
    root = SECONDS.parents[1]
    known = {file: value for file, value in (seconds() | took).items() if (root / file).is_file()}
    ranked = sorted(known.items(), key=lambda item: -item[1])
    lines = [f"{value:.0f} {file}\n" for file, value in ranked if value >= NOTED_FROM]
    SECONDS.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
