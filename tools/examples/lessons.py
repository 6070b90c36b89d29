"""The worked examples of the lessons: for each strategy a demo question where it helps, and one where it does not.

With the built-in model, questions that the strategy was seen to answer and plain retrieval was not come before all.
Then come those that were written for the strategy, one of each kind in turn, then those whose evidence plain retrieval
misses by the fewest ranks. What counts is how much of the evidence is in the passages given to the answer:

- *helps*: more than plain retrieval gave. Better still if the answer is right, and if it is also more than plain
  retrieval's own ranking holds down to the same number of passages (`plain_as_many`). An answer that is right where
  plain retrieval's is not counts as well, on the same evidence.
- *fails*: less than plain retrieval, or only as much; best where the answer is not right.

Where no evidence can be counted, answers are: closed book searches nothing, and a graph has no passages. Such a
strategy helps where its answer is right and plain retrieval's is not, and fails where its answer is not right; best
where plain retrieval's is. Plain retrieval helps where it gives all the evidence, and fails where it misses most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from core.corpora.entries import Question
from core.evaluation.words import holds
from core.runs.budget import KEPT_DEPTH, given_passages, gold_of
from core.runs.gallery import answered, demo_request
from core.runs.record import record
from core.strategies import get_strategy
from core.strategies.base import BASELINE
from core.strategies.lessons import Example, Examples, Observed
from core.trace.gold import pieces_held
from core.trace.passages import Passage
from tools.examples.asking import Asking, Unfinished, started_of
from tools.verdicts import right

POLARITIES = {"yes", "no"}
PATIENCE = 4
"""Questions tried for one where the answer is right as well."""


class Watched:
    """The demo questions, and what one strategy and plain retrieval made of those that were tried."""

    def __init__(self, asking: Asking, strategy: str, limit: int) -> None:
        self.asking, self.strategy, self.limit = asking, strategy, limit
        labelled = [
            question
            for question in asking.questions
            if question.evidence and (asking.known is None or (strategy, question.text) in asking.known)
        ]
        mine = [question for question in labelled if strategy in question.strategies]
        others = [question for question in labelled if strategy not in question.strategies]
        self.questions = [*kinds_in_turn(mine), *kinds_in_turn(others)]
        known = answered([strategy]) if asking.who == "builtin" else frozenset()
        self.alone_right = known - answered([BASELINE])
        """Ids of questions that the strategy was seen to answer, and plain retrieval was not."""
        self.questions.sort(
            key=lambda question: (question.id not in self.alone_right, question.id not in known)
        )
        self.tried: list[Example] = []
        self._rankings: dict[str, list[Passage]] = {}

    def plain_held(self, question: Question, given: int) -> int:
        """Evidence in plain retrieval's ranking down to a number of passages."""
        if question.id not in self._rankings:
            self._rankings[question.id] = self.asking.plain(question.text)
        return pieces_held(gold_of(question, {}), self._rankings[question.id][:given])

    def missing(self, question: Question) -> int:
        """Evidence that plain retrieval does not find."""
        return len(question.evidence) - self.plain_held(question, get_strategy(BASELINE).params().k)

    def next_rank(self, question: Question, given: int) -> int:
        """Rank at which plain retrieval, given more passages, would find more of the evidence; one too deep: never."""
        held = self.plain_held(question, given)
        deeper = range(given + 1, KEPT_DEPTH + 1)
        return next((rank for rank in deeper if self.plain_held(question, rank) > held), KEPT_DEPTH + 1)

    def observe(self, question: Question, strategy: str) -> Observed:
        """Ask, and count.

        Raises:
            Unfinished: The run did not reach its end.
        """
        run = record(self.asking.events(demo_request(question.text, strategy)))
        given = given_passages(run)
        return Observed(
            gold=pieces_held(gold_of(question, {}), given),
            given=len(given),
            calls=run.totals.calls,
            right=right(run, question),
        )

    def look(self, questions: Sequence[Question], enough: Callable[[], bool]) -> None:
        """Try these until it is enough."""
        for question in questions:
            if enough():
                return
            if any(question.id == one.id for one in self.tried):
                continue
            try:
                plain = self.observe(question, BASELINE)
                seen = self.observe(question, self.strategy)
            except Unfinished as problem:
                print(f"  {question.id}: {problem}", flush=True)
                continue
            self.tried.append(
                Example(
                    id=question.id,
                    question=question.text,
                    shows=question.shows,
                    evidence=len(question.evidence),
                    plain=plain,
                    plain_as_many=self.plain_held(question, max(plain.given, seen.given)),
                    strategy=seen,
                )
            )
            print(f"  {question.id} ({question.type}): {told(self.tried[-1])}", flush=True)


def worked_examples(asking: Asking, strategy: str, limit: int) -> Examples:
    """The worked examples of a strategy, found by running.

    Args:
        asking: Where it is asked.
        strategy: Its key.
        limit: Questions tried at most for one where it helps, and a third of them for one where it does not.
    """
    watched, found = Watched(asking, strategy, limit), get_strategy(strategy)
    how = (
        _baseline
        if strategy == BASELINE
        else _by_evidence
        if found.retrieves and not found.explores
        else _by_answer
    )
    helps, fails = how(watched)
    if not watched.tried:
        raise Unfinished("no question could be tried")
    started = started_of(asking.events(demo_request(watched.tried[0].question, strategy)))
    return Examples(
        model=started.chat_model,
        builtin=started.builtin,
        recording=started.recording,
        embeddings=started.embedding_model,
        retriever=asking.retriever(),
        tried=len(watched.tried),
        helps=helps,
        fails=fails,
    )


def _by_evidence(watched: Watched) -> tuple[Example | None, Example | None]:
    tried, limit = watched.tried, watched.limit

    def helped() -> bool:
        some = len(tried) >= PATIENCE
        return any(
            (gain(one) > 0 and better(one)) or (some and (gain(one) > 0 or better(one))) for one in tried
        )

    watched.look([one for one in watched.questions if one.id in watched.alone_right][:limit], helped)
    missed = [question for question in watched.questions if watched.missing(question)]
    mine = [question for question in missed if watched.strategy in question.strategies]
    watched.look(mine[:limit], helped)
    given = max((one.strategy.given for one in tried), default=get_strategy(BASELINE).params().k)
    others = [question for question in missed if question not in mine]
    others.sort(key=lambda question: watched.next_rank(question, given))
    watched.look(others[: limit - len(tried)], helped)
    seen = {one.id for one in tried}
    rest = [question for question in watched.questions if question.id not in seen]
    rest.sort(key=lambda question: watched.missing(question) > 0)
    watched.look(rest[: limit // 3], lambda: any(one.strategy.gold < one.plain.gold for one in tried))
    rest = [question for question in rest[limit // 3 :] if question.id not in watched.alone_right]
    watched.look(rest, lambda: chosen(tried)[1] is not None)
    return chosen(tried)


def chosen(tried: Sequence[Example]) -> tuple[Example | None, Example | None]:
    """Of what was tried, what shows best where a strategy helps, and where it does not, by its evidence."""

    def more(one: Example) -> bool:
        return one.strategy.gold > one.plain.gold

    helps = [one for one in tried if more(one) or better(one)]
    fails = [one for one in tried if one not in helps and not more(one)]
    return (
        max(helps, key=lambda one: (better(one), gain(one) > 0, more(one), gain(one)), default=None),
        min(fails, key=lambda one: (one.strategy.gold - one.plain.gold, one.strategy.right), default=None),
    )


def _by_answer(watched: Watched) -> tuple[Example | None, Example | None]:
    tried, alone = watched.tried, get_strategy(watched.strategy).alone
    asked = [question for question in watched.questions if telling(question)]
    if alone:  # a search that finds nothing would show nothing
        asked.sort(key=lambda question: watched.missing(question) > 0)

    def helped(one: Example) -> bool:
        return one.strategy.right and not one.plain.right

    def failed(one: Example) -> bool:
        return one.plain.right and not one.strategy.right

    watched.look(asked[: watched.limit], lambda: any(map(helped, tried)) and any(map(failed, tried)))
    wrong = [one for one in tried if not one.strategy.right]
    return next(filter(helped, tried), None), next(filter(failed, wrong), wrong[0] if wrong else None)


def _baseline(watched: Watched) -> tuple[Example | None, Example | None]:
    tried = watched.tried
    complete = [question for question in watched.questions if not watched.missing(question)]
    worst = sorted(watched.questions, key=watched.missing, reverse=True)
    watched.look(complete[: watched.limit], lambda: any(one.strategy.right for one in tried))
    helps = max(tried, key=lambda one: one.strategy.right, default=None)
    found = len(tried)
    watched.look(worst[: watched.limit], lambda: any(not one.strategy.right for one in tried[found:]))
    return helps, min(tried[found:], key=lambda one: one.strategy.right, default=None)


def better(one: Example) -> bool:
    """Whether the answer is right, and it, or the evidence, is better than plain retrieval's."""
    return one.strategy.right and (not one.plain.right or one.strategy.gold > one.plain.gold)


def gain(one: Example) -> int:
    """Evidence beyond what plain retrieval finds with as many passages."""
    return one.strategy.gold - one.plain_as_many


def telling(question: Question) -> bool:
    """Whether a right answer says something: not yes or no, and not among the words of the question."""
    return bool(question.answers) and not any(
        answer.lower() in POLARITIES or holds(question.text, answer) for answer in question.answers
    )


def kinds_in_turn(questions: Sequence[Question]) -> list[Question]:
    """One question of each kind after the other, so that a few of them already are of every kind."""
    kinds: dict[str, list[Question]] = {}
    for question in questions:
        kinds.setdefault(question.type, []).append(question)
    return [question for row in zip_longest(*kinds.values()) for question in row if question is not None]


def told(one: Example) -> str:
    """What was observed, in a line."""
    plain, seen = one.plain, one.strategy
    marks = {True: "right", False: "wrong"}
    return (
        f"evidence {plain.gold} -> {seen.gold} of {one.evidence} ({one.plain_as_many} in as many passages), "
        f"answer {marks[plain.right]} -> {marks[seen.right]}"
    )
