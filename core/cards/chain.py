"""Chains of sub-questions and their answers, as one flow from the first sub-question to the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from core.cards.passages import PassageCard, passage_card
from core.cards.queries import QueryLine
from core.trace.artefacts import Answer, Artefact, Ranking, SubAnswer, SubQuestions
from core.trace.passages import Passage


@dataclass(frozen=True)
class SubQuestionsView:
    """Sub-questions in order, and those that were dropped; raw text."""

    questions: tuple[str, ...]
    dropped: tuple[QueryLine, ...]


@dataclass(frozen=True)
class SubAnswerView:
    """One link of the chain; raw text."""

    number: int
    question: str
    searched: str
    """Empty: searched with the question itself."""
    given: tuple[tuple[str, str], ...]
    """Earlier questions and answers."""
    cards: tuple[PassageCard, ...]
    text: str
    """Empty: not answered yet."""
    abstained: bool
    note: str
    used: bool = False
    """Whether the answer cites what this one cites."""


@dataclass(frozen=True)
class ChainView:
    """A whole chain; all text is raw and must not be interpreted."""

    links: tuple[SubAnswerView, ...]
    ending: str
    """How the answer came out of the chain; empty: there is none yet."""
    answer: str
    """The answer without citation marks, where it was put together from the links."""

    @property
    def progress(self) -> str:
        """How many sub-questions are answered; what abstains answers none."""
        silent = sum(link.abstained for link in self.links)
        answered = sum(bool(link.text) for link in self.links) - silent
        return f"{answered} of {len(self.links)} answered" + (f", {silent} not" if silent else "")

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def sub_questions_view(artefact: SubQuestions) -> SubQuestionsView:
    """The sub-questions as they are worked on."""
    dropped = tuple(QueryLine(query.text, query.reason) for query in artefact.dropped)
    return SubQuestionsView(artefact.questions, dropped)


def sub_answer_view(artefact: SubAnswer, answer: Answer | None = None) -> SubAnswerView:
    """A sub-answer with what it was made from; the words it used are marked in its evidence.

    Args:
        artefact: The sub-answer.
        answer: The run's answer, once it is there.
    """
    quotes: dict[str, list[str]] = {}
    for citation in artefact.citations:
        quotes.setdefault(citation.chunk, []).append(citation.quote)
    cited = {citation.chunk for citation in answer.citations} if answer else set()
    return SubAnswerView(
        number=artefact.index + 1,
        question=artefact.question,
        searched="" if artefact.searched == artefact.question else artefact.searched,
        given=tuple((pair.question, pair.answer) for pair in artefact.given),
        cards=_cards(artefact.passages, quotes),
        text=_unformatted(artefact.text),
        abstained=artefact.abstained,
        note=artefact.note,
        used=not cited.isdisjoint(quotes),
    )


def chain_view(items: Sequence[tuple[str, Artefact]], answer: Answer | None = None) -> ChainView:
    """The chain as far as it is: every sub-question has its place from the start.

    Args:
        items: The sub-questions, and what the steps that answer them made: the label of the step, an artefact.
        answer: The run's answer, once it is there.
    """
    links: dict[int, SubAnswerView] = {}
    numbers: dict[str, int] = {}
    for label, artefact in items:
        match artefact:
            case SubQuestions():
                for index, question in enumerate(artefact.questions):
                    links[index] = SubAnswerView(index + 1, question, "", (), (), "", False, "")
                    numbers[question] = index
            case Ranking() if label in numbers:
                link = links[numbers[label]]
                searched = "" if artefact.query == link.question else artefact.query
                cards = _cards((hit.passage for hit in artefact.used), {})
                links[numbers[label]] = SubAnswerView(
                    link.number, link.question, searched, (), cards, "", False, ""
                )
            case SubAnswer():
                links[artefact.index] = sub_answer_view(artefact, answer)
    ending = text = ""
    if answer is not None and answer.skill == "synthesise":
        ending, text = (
            "Put together from the sub-answers",
            _unformatted(" ".join(answer.sentences) or answer.text),
        )
    elif answer is not None and links:
        ending = "The last sub-answer is the answer"
    return ChainView(tuple(links[index] for index in sorted(links)), ending, text)


def _unformatted(text: str) -> str:
    """Without the marks of bold text: it is shown character for character."""
    return text.replace("**", "")


def _cards(passages: Iterable[Passage], quotes: dict[str, list[str]]) -> tuple[PassageCard, ...]:
    return tuple(
        passage_card(
            passage,
            rank,
            None,
            "",
            quotes=quotes.get(passage.chunk, ()),
            badge="cited" if passage.chunk in quotes else "",
        )
        for rank, passage in enumerate(passages, 1)
    )
