"""The starter cards of the Playground, by running:

    python -m tools.starters [--who recording|builtin] [--strategy KEY ...]

Each strategy is asked some of the demo questions with default settings: with the recording that comes with the app
those that it knows, with the built-in model some that were written for it, some that it was seen to answer
(`data/demo_world/answered.tsv`), and some that the documents do not answer. What came out is printed;
`core.cards.starters` chooses among it, and what is chosen is written to `data/demo_world/cards.jsonl`, of each strategy
as soon as it is tried. Runs are kept in `.examples`, as those of `tools.examples` are, so that a command that was
stopped goes on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence

from core.cards.outcome import outcome
from core.cards.starters import FILE, Judged, Starter, Who, chosen, every
from core.corpora.entries import Question
from core.models.recordings.covers import recorded_for_all
from core.runs.gallery import answered, demo_request
from core.runs.record import Record, record
from core.skills.refusals import abstains
from core.strategies import strategies
from tools.examples.asking import WHO, Asking, Unfinished
from tools.verdicts import right

LONG = 100
"""Characters of a question beyond which another one is the better card."""
MEANT, KNOWN, OTHERS = 4, 3, 2
"""Questions tried of those written for a strategy, of others it was seen to answer, and of those not answerable."""


def candidates(strategy: str, questions: Sequence[Question], known: frozenset[str]) -> list[Question]:
    """What a strategy is asked, at most `MEANT + KNOWN + OTHERS` questions: kinds alternate, those it is known to
    answer come first.

    Args:
        strategy: Its key.
        questions: That it can be asked.
        known: Ids of those that it was seen to answer.
    """
    told = [one for one in questions if one.answers]
    mine = [one for one in told if strategy in one.strategies]
    mine = [
        *_one_of_a_kind(one for one in mine if one.id in known),
        *(one for one in mine if one.id not in known),
    ]
    others = _one_of_a_kind(one for one in told if one.id in known and strategy not in one.strategies)
    untold = sorted(
        (one for one in questions if not one.answers), key=lambda one: strategy not in one.strategies
    )
    rest = [one for one in told if one not in mine and one not in others]
    tried = [*mine[:MEANT], *others[:KNOWN], *untold[:OTHERS]]
    return [*tried, *rest[: max(0, MEANT + KNOWN - len(tried))]]


def _one_of_a_kind(questions: Iterable[Question]) -> list[Question]:
    """The first of each kind, then the others."""
    found: dict[str, list[Question]] = {}
    for one in questions:
        found.setdefault(one.type, []).append(one)
    firsts = [same[0] for same in found.values()]
    return firsts + [one for same in found.values() for one in same[1:]]


def tried(asking: Asking, who: Who, strategy: str, question: Question) -> Starter | None:
    """Ask, and count; None: nobody can say whether the answer is right.

    Raises:
        Unfinished: The run did not reach its end.
    """
    run = record(asking.events(demo_request(question.text, strategy)))
    said = judged(run, question)
    if said is None or run.started is None:
        return None
    came = outcome(run)
    return Starter(
        who=who,
        strategy=strategy,
        question=question.id,
        found=came.found if came else 0,
        of=came.of if came else 0,
        plain=came.plain if came else None,
        verdict=said,
        told=bool(question.answers),
        calls=run.totals.calls,
        retriever=run.started.retriever if run.started.corpus else "",
    )


def judged(run: Record, question: Question) -> Judged | None:
    """The verdict on an answer: a reader's where there is one, else by its words; None: they do not tell."""
    if run.answer is None or run.answer.abstained or abstains(run.answer.text):
        return "refusal"
    if right(run, question):
        return "right"
    came = outcome(run)
    return None if came is not None and came.verdict == "unclear" else "wrong"


def worth(card: Starter, question: Question) -> tuple[bool, bool, int]:
    """Which of those that show the same comes first: one that was written for the strategy, short enough for a card,
    with more of the evidence beside what plain retrieval finds."""
    gain = card.found - (card.plain or 0)
    return card.strategy not in question.strategies, len(question.text) > LONG, -gain


def keep(cards: Sequence[Starter], who: Who, strategy: str) -> None:
    """Write what was chosen of a strategy in place of what was there."""
    every.cache_clear()
    kept = [one for one in every() if (one.who, one.strategy) != (who, strategy)]
    order = list(strategies())
    lines = sorted([*kept, *cards], key=lambda one: (one.who != "recording", order.index(one.strategy)))
    FILE.write_text("".join(f"{one.model_dump_json()}\n" for one in lines), encoding="utf-8")
    every.cache_clear()


def main() -> None:
    """Try and write what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--who", choices=[one for one in WHO if one != "endpoint"], action="append")
    parser.add_argument("--strategy", choices=list(strategies()), action="append")
    arguments = parser.parse_args()
    for who in arguments.who or ("recording", "builtin"):
        asking = Asking(who)
        able = [key for key, one in strategies().items() if not one.lacking(who == "builtin")]
        for strategy in [key for key in able if key in (arguments.strategy or able)]:
            known = answered([strategy]) if who == "builtin" else frozenset()
            questions = [
                one
                for one in asking.questions
                if asking.known is None or (strategy, one.text) in asking.known
            ]
            found = []
            for question in candidates(strategy, questions, known) if who == "builtin" else questions:
                try:
                    one = tried(asking, who, strategy, question)
                except Unfinished as problem:
                    print(f"{who} {strategy} {question.id}: {problem}", flush=True)
                    continue
                if one is not None:
                    found.append(one)
                    counts = f"{one.found}/{one.of}, plain {one.plain}, {one.calls} calls"
                    print(
                        f"{who} {strategy} {question.id}: {one.verdict}, {counts}: {one.sentence}", flush=True
                    )
            known_questions = {one.id: one for one in asking.questions}
            whole = recorded_for_all(asking.runs)
            # From a card that was recorded with more settings one can go on changing one at a time.
            ways = Counter(run.question for run in asking.runs if run.strategy == strategy)
            found.sort(
                key=lambda one: (
                    known_questions[one.question].text not in whole,
                    -ways[known_questions[one.question].text],
                    worth(one, known_questions[one.question]),
                )
            )
            keep(chosen(found), who, strategy)
        asking.close()


if __name__ == "__main__":
    main()
