"""Verdicts of the capable model in the recording on labelled passages, and the method without a model on the same.

    python -m research.skills.recorded [--keep FILE]

The labelled cases of `research.skills` are of other data, so the recording has no reply to them; but in its runs the
model judged passages of the demo world, whose questions have their evidence marked. The runs of Corrective RAG and
Self-RAG on questions with evidence are played, and each verdict is compared with that, once for a question and a
passage. A passage without marked evidence may still be related to the question: the label is strict.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

from core.corpora.demo import DEMO_CORPUS
from core.jobs import run_blocking
from core.models.chat_models import RecordedModel
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.recordings.files import import_recording
from core.runs.budget import gold_of
from core.runs.request import COMMAND_LINE
from core.skills.base import MODEL
from core.skills.evaluate_passage import EVALUATE_PASSAGE
from core.skills.grade_relevance import GRADE_RELEVANCE
from core.trace.artefacts import Grade
from core.trace.gold import holds_evidence
from research.skills.ground import Ground, Item, Task, outcome
from research.skills.judging import TASKS, passage_case, seen
from research.skills.keeping import Kept
from research.skills.measuring import Outcome
from research.skills.report import mains, report
from tools.recording import FILE, LIMIT, PLAN, open_home, planned, play_all

DATA = "pellamar"
JUDGES = ("corrective", "self-rag")


def main() -> None:
    """Play, compare, keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    kept, plan = Kept(arguments.keep), tomllib.loads(PLAN.read_text(encoding="utf-8"))
    tasks = {task.skill.key: task for task in TASKS if task.skill in (EVALUATE_PASSAGE, GRADE_RELEVANCE)}
    with tempfile.TemporaryDirectory() as home:
        bench = open_home(False, Path(home))
        recording = import_recording(
            FILE.name, FILE.read_bytes(), bench.recordings.store, COMMAND_LINE, LIMIT
        )
        wanted = [one for one in planned(plan, bench) if one[1].strategy in JUDGES]
        wanted = [one for one in wanted if one[1].corpus in (None, DEMO_CORPUS)]
        played = run_blocking(play_all(bench, wanted, RecordedModel(recording), 8))
        known = {one.text: one for one in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
        ground = Ground(Path(home), bench, ChatEndpoint("http://localhost", NO_KEY, plan["model"]))
        judged: dict[tuple[str, str, str], tuple[Grade, str, bool]] = {}
        for (_, request), one in zip(wanted, played, strict=True):
            question = known[request.question]
            gold = gold_of(question, {})
            for grade in one.run.find(Grade):
                if gold and grade.passage and grade.skill in tasks and grade.method == MODEL:
                    label = holds_evidence(gold, grade.passage)
                    key = grade.skill, question.id, grade.passage.chunk
                    judged.setdefault(key, (grade, question.text, label))
        run_blocking(compare(ground, kept, tasks, judged))
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    print(report([one for one in kept if one.data == DATA], mains()))


async def compare(
    ground: Ground,
    kept: Kept,
    tasks: dict[str, Task],
    judged: dict[tuple[str, str, str], tuple[Grade, str, bool]],
) -> None:
    """Keep the verdict of the recording and that of the method that asks no model, for each passage."""
    places: Counter[tuple[str, str]] = Counter()
    for (skill, group, _), (grade, text, label) in sorted(judged.items(), key=lambda one: one[0]):
        task, place = tasks[skill], places[skill, group]
        places[skill, group] += 1
        assert grade.passage is not None
        item = Item(DATA, place, "held-out", passage_case(task.skill, group, text, grade.passage, label))
        for one in (
            _recorded(ground, task, item, grade, label),
            await outcome(ground, task, item, task.skill.spare),
        ):
            if kept.get(one.key) is None:
                kept.add(one)


def _recorded(ground: Ground, task: Task, item: Item, grade: Grade, label: bool) -> Outcome:
    found = seen(grade, label)
    return Outcome(
        task=task.key,
        method=MODEL,
        model=ground.endpoint.model,
        data=item.data,
        group=item.case.group,
        place=item.place,
        half=item.half,
        values=dict(found.values),
        label=found.label,
        score=found.score,
        seconds=0.0,
        calls=0,
    )


if __name__ == "__main__":
    main()
