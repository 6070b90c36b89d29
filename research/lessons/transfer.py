"""Score replies to the transfer questions: how often readers are right with a lesson and without.

    python -m research.lessons.transfer FILE

FILE has a reply on each line, as {"id": "rag-fusion-1", "reader": "anybody", "lesson": true, "option": "a"}: the
question, who answered it, whether with the lesson of its strategy, and what was chosen. Without an option, or with an
empty one, nobody chose: that is wrong.

Printed is a Markdown table by strategy and for all. A question counts by the share of its readers who are right, and a
difference is taken over the questions that were answered both ways, question by question; its interval of 95 % is by
the bootstrap over questions. A strategy has two questions, so that its own interval is no more than their range: the
last line is what can be told from chance. How much readers differ is not in it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

from core.errors import InputError
from core.evaluation.measures import Scores
from core.evaluation.statistics import differences
from core.trace.passages import Frozen
from research.lessons.questions import Option, TransferQuestion, read_lines, transfer_questions

WITH, WITHOUT = "with the lesson", "without"
RIGHT = "right"


class Reply(Frozen):
    """A reader's answer to one question."""

    id: str
    """Of the question."""
    reader: str
    lesson: bool
    """True if the reader had the lesson."""
    option: Option | Literal[""] = ""
    """The option that was chosen; empty: none."""


def main() -> None:
    """Read the replies and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="has a reply on each line")
    file = parser.parse_args().file
    try:
        for line in table(list(read_lines(file, Reply)), transfer_questions()):
            print(line)
    except InputError as error:
        parser.error(str(error))


def shares(replies: Sequence[Reply], questions: Sequence[TransferQuestion]) -> Scores:
    """With the lesson and without -> question -> the share of its readers who are right, from 0 to 1.

    Raises:
        InputError: A reply is to no question, or a reader answered one twice in the same way.
    """
    right = {question.id: question.right for question in questions}
    by_way: dict[str, dict[str, list[bool]]] = {WITH: defaultdict(list), WITHOUT: defaultdict(list)}
    seen: set[tuple[str, str, bool]] = set()
    for reply in replies:
        key = reply.id, reply.reader, reply.lesson
        if reply.id not in right:
            raise InputError(f"There is no question “{reply.id}”.")
        if key in seen:
            raise InputError(f"“{reply.reader}” answered “{reply.id}” twice {way_of(reply)}.")
        seen.add(key)
        by_way[way_of(reply)][reply.id].append(reply.option == right[reply.id])
    return {
        way: {question: {RIGHT: fmean(each)} for question, each in found.items()}
        for way, found in by_way.items()
    }


def way_of(reply: Reply) -> str:
    """With the lesson, or without."""
    return WITH if reply.lesson else WITHOUT


def table(replies: Sequence[Reply], questions: Sequence[TransferQuestion]) -> Iterator[str]:
    """A Markdown table with a line for each strategy that was asked about, in teaching order, and one for all.

    Raises:
        InputError: See `shares`.
    """
    scores = shares(replies, questions)
    strategy_of = {question.id: question.strategy for question in questions}
    yield (
        "| strategy | right with the lesson | right without | difference (95 %) | questions both ways | "
        "readers with | without |"
    )
    yield "|---|---|---|---|---|---|---|"
    asked = {strategy_of[reply.id] for reply in replies}
    for name in (*(key for key in dict.fromkeys(strategy_of.values()) if key in asked), ""):
        own: Scores = {
            way: {question: share for question, share in found.items() if name in ("", strategy_of[question])}
            for way, found in scores.items()
        }
        mine = [reply for reply in replies if name in ("", strategy_of[reply.id])]
        yield f"| {' | '.join([name or 'all', *_cells(own, mine)])} |"


def _cells(scores: Scores, replies: Sequence[Reply]) -> Iterator[str]:
    """The rest of a line: both shares, their difference, and how many questions and readers are behind it."""
    for found in (scores[WITH], scores[WITHOUT]):
        yield f"{fmean(share[RIGHT] for share in found.values()):.2f}" if found else "–"
    both = differences(scores, WITHOUT, RIGHT)
    if both:
        gain = both[0].interval
        yield f"{gain.mean:+.2f} ({gain.low:+.2f} to {gain.high:+.2f})".replace("-", "−")
    else:
        yield "–"
    yield str(both[0].interval.questions if both else 0)
    for way in (WITH, WITHOUT):
        yield str(len({reply.reader for reply in replies if way_of(reply) == way}))


if __name__ == "__main__":
    main()
