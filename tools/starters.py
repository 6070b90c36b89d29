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
    """What a strategy is asked, at most `MEANT + KNOWN + OTHERS` questions: those it is known to answer come first, and
    of these one of each kind.

    Args:
        strategy: Its key.
        questions: That it can be asked.
        known: Ids of those that it was seen to answer.
    """
    answerable = [question for question in questions if question.answers]
    meant = [question for question in answerable if strategy in question.strategies]
    meant = [
        *_kinds_first(question for question in meant if question.id in known),
        *(question for question in meant if question.id not in known),
    ]
    others = _kinds_first(
        question for question in answerable if question.id in known and strategy not in question.strategies
    )
    unanswerable = sorted(
        (question for question in questions if not question.answers),
        key=lambda question: strategy not in question.strategies,
    )
    rest = [question for question in answerable if question not in meant and question not in others]
    best = [*meant[:MEANT], *others[:KNOWN], *unanswerable[:OTHERS]]
    return [*best, *rest[: max(0, MEANT + KNOWN - len(best))]]


def _kinds_first(questions: Iterable[Question]) -> list[Question]:
    """Return the first question of each kind, then the others."""
    kinds: dict[str, list[Question]] = {}
    for question in questions:
        kinds.setdefault(question.type, []).append(question)
    firsts = [same[0] for same in kinds.values()]
    return firsts + [question for same in kinds.values() for question in same[1:]]


def tried(asking: Asking, who: Who, strategy: str, question: Question) -> Starter | None:
    """Ask, and count; None: nobody can say whether the answer is right.

    Raises:
        Unfinished: The run did not reach its end.
    """
    run = record(asking.events(demo_request(question.text, strategy)))
    verdict = judged(run, question)
    if verdict is None or run.started is None:
        return None
    result = outcome(run)
    return Starter(
        who=who,
        strategy=strategy,
        question=question.id,
        found=result.found if result else 0,
        of=result.of if result else 0,
        plain=result.plain if result else None,
        verdict=verdict,
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
    result = outcome(run)
    return None if result is not None and result.verdict == "unclear" else "wrong"


def cards_of(asking: Asking, who: Who, strategy: str) -> list[Starter]:
    """The cards that the questions of a strategy make, the best first; what comes out of each is printed."""
    questions = [
        question
        for question in asking.questions
        if asking.known is None or (strategy, question.text) in asking.known
    ]
    if who == "builtin":
        questions = candidates(strategy, questions, answered([strategy]))
    cards = []
    for question in questions:
        try:
            card = tried(asking, who, strategy, question)
        except Unfinished as problem:
            print(f"{who} {strategy} {question.id}: {problem}", flush=True)
            continue
        if card is not None:
            cards.append(card)
            counts = f"{card.found}/{card.of}, plain {card.plain}, {card.calls} calls"
            print(f"{who} {strategy} {question.id}: {card.verdict}, {counts}: {card.sentence}", flush=True)
    by_id = {question.id: question for question in questions}
    whole = recorded_for_all(asking.runs)
    # From a card that was recorded with more settings one can go on changing one at a time.
    ways = Counter(run.question for run in asking.runs if run.strategy == strategy)

    def order(card: Starter) -> tuple[object, ...]:
        text = by_id[card.question].text
        return text not in whole, -ways[text], worth(card, by_id[card.question])

    return sorted(cards, key=order)


def worth(card: Starter, question: Question) -> tuple[bool, bool, int]:
    """Which of those that show the same comes first: one that was written for the strategy, short enough for a card,
    with more of the evidence beside what plain retrieval finds."""
    gain = card.found - (card.plain or 0)
    return card.strategy not in question.strategies, len(question.text) > LONG, -gain


def keep(cards: Sequence[Starter], who: Who, strategy: str) -> None:
    """Write what was chosen of a strategy in place of what was there."""
    every.cache_clear()
    others = [card for card in every() if (card.who, card.strategy) != (who, strategy)]
    order = list(strategies())
    lines = sorted([*others, *cards], key=lambda card: (card.who != "recording", order.index(card.strategy)))
    FILE.write_text("".join(f"{card.model_dump_json()}\n" for card in lines), encoding="utf-8")
    every.cache_clear()


def main() -> None:
    """Try and write what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--who", choices=[who for who in WHO if who != "endpoint"], action="append")
    parser.add_argument("--strategy", choices=list(strategies()), action="append")
    arguments = parser.parse_args()
    for who in arguments.who or ("recording", "builtin"):
        asking = Asking(who)
        able = [key for key, definition in strategies().items() if not definition.lacking(who == "builtin")]
        for strategy in [key for key in able if key in (arguments.strategy or able)]:
            keep(chosen(cards_of(asking, who, strategy)), who, strategy)
        asking.close()


if __name__ == "__main__":
    main()
