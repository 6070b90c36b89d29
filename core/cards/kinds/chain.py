"""Chains of sub-questions and their answers, as one flow from the first to the answer, and as a picture of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.cards.kind import (
    Gist,
    Item,
    Join,
    Kind,
    Picture,
    Scene,
    checked_text,
    drawn_picture,
    dropped,
    edited,
    lines_edit,
    lines_of,
    numbered_cards,
    provenance,
    text_edit,
)
from core.cards.narration import SceneContext, Sentence, answered, first_words, quoted
from core.cards.parts import Aid, Card, Drawing, Line, Lines, Part
from core.cards.passages import Stars, quotes_by_chunk
from core.cards.reranking import searches_reranked
from core.cards.texts import doubted, ending
from core.runs.record import Record
from core.skills.read_into_chain import READ_INTO_CHAIN
from core.strategies import strategies
from core.trace.artefacts import Answer, Artefact, Ranking, Rewrite, SubAnswer, SubQuestions
from core.wording import counted, ordinal

READING = (
    "From top to bottom. A line on the left joins sub-questions that knew the answers before them; one on "
    "the right starts at each sub-answer whose passages the answer cites. Choose a passage to read it."
)
REFERENCES = "#1 stands for the answer to the first question, #2 for the second."


def chain_data(
    items: Sequence[tuple[str, Artefact]], answer: Answer | None = None, stars: Stars = frozenset()
) -> dict[str, Any]:
    """Return the chain as far as it is, for the drawing: every sub-question has its place from the start. `items`
    are the sub-questions and what the steps that answer them made, each with its step's label."""
    links: dict[int, dict[str, Any]] = {}
    numbers: dict[str, int] = {}
    for label, artefact in items:
        match artefact:
            case SubQuestions():
                for index, question in enumerate(artefact.questions):
                    links[index] = _open(index, question)
                    numbers[question] = index
            case Ranking() if label in numbers:
                cards = numbered_cards([hit.passage for hit in artefact.used], stars)
                links[numbers[label]] = _open(numbers[label], label, artefact.query) | {"cards": cards}
            case SubAnswer():
                links[artefact.index] = _answered(artefact, answer, stars)
    ending = text = ""  # empty: there is no answer yet, or it is the last link's
    if answer is not None and answer.skill == "synthesise":
        ending = "Put together from the sub-answers"
        text = doubted(_unformatted(" ".join(answer.sentences) or answer.text), answer)
    elif answer is not None and links:
        ending = "The last sub-answer is the answer"
    return {"links": [links[index] for index in sorted(links)], "ending": ending, "answer": text}


def progress(links: Sequence[Mapping[str, Any]]) -> str:
    """Count the sub-questions that are answered, in words; what abstains answers none."""
    silent = sum(link["abstained"] for link in links)
    answered = sum(bool(link["text"]) for link in links) - silent
    return f"{answered} of {len(links)} answered" + (f", {silent} not" if silent else "")


def _open(index: int, question: str, searched: str = "") -> dict[str, Any]:
    """A link that is not answered yet; `searched` stays empty where the question itself is searched with."""
    return {
        "number": index + 1,
        "question": question,
        "searched": "" if searched == question else searched,
        "given": (),
        "cards": (),
        "text": "",
        "short": "",
        "abstained": False,
        "note": "",
        "used": False,
    }


def _answered(artefact: SubAnswer, answer: Answer | None, stars: Stars) -> dict[str, Any]:
    """A link with what it was made from; the words it used are marked in its evidence.

    It counts as used where the run's answer cites what it cites.
    """
    quotes = quotes_by_chunk(artefact.citations)
    cited = {citation.chunk for citation in answer.citations} if answer else set()
    searched = "; ".join(artefact.queries) or artefact.searched
    return _open(artefact.index, artefact.question, searched) | {
        "given": [(pair.question, pair.answer) for pair in artefact.given],
        "cards": [
            card | {"badge": "cited" if card["id"] in quotes else ""}
            for card in numbered_cards(artefact.passages, stars, quotes)
        ],
        "text": _unformatted(artefact.text),
        "short": artefact.short,
        "abstained": artefact.abstained,
        "note": artefact.note,
        "used": not cited.isdisjoint(quotes),
    }


def _unformatted(text: str) -> str:
    """Without the marks of bold text: it is shown character for character."""
    return text.replace("**", "")


def chain_card(items: Sequence[tuple[str, Artefact]], scene: Scene) -> Card:
    """Sub-questions, evidence and answers as one flow; items as for `chain_data`."""
    chain = chain_data(items, scene.record.answer, scene.stars)
    first = items[0][1]
    parts: list[Part] = []
    if isinstance(first, SubQuestions):
        parts += [*provenance(first), *dropped(first.dropped), Aid(READING)]
    parts.append(Drawing("chain", chain | {"colour": scene.colour}))
    answers = [artefact for _, artefact in items if isinstance(artefact, SubAnswer)]
    if answers:
        parts += provenance(answers[0], note=False)  # each link has its note with it
    parts += searches_reranked([artefact for _, artefact in items if isinstance(artefact, Ranking)], scene)
    return Card(parts, progress(chain["links"]))


def sub_questions_card(artefact: SubQuestions, scene: Scene) -> Card:
    """The sub-questions in their order; those that tools answer as a list, since their answers stand elsewhere."""
    if not artefact.by_tools:
        return chain_card([("", artefact)], scene)
    aid = (Aid(REFERENCES),) if any("#" in question for question in artefact.questions) else ()
    parts = (*aid, Lines([Line(question) for question in artefact.questions]), *provenance(artefact))
    return Card(parts, counted(len(artefact.questions), "question"))


def _joins(first: Item, following: Item) -> bool:
    return not first.artefact.by_tools and isinstance(following.artefact, Ranking | Rewrite | SubAnswer)


def _together(items: Sequence[Item], scene: Scene) -> Card:
    return chain_card([(item.step.label, item.artefact) for item in items], scene)


def _name(artefact: SubAnswer) -> str:
    read = artefact.skill == READ_INTO_CHAIN.key
    return f"{'Read of search' if read else 'Sub-answer'} {artefact.index + 1}"


def _gist(record: Record) -> str:
    text = counted(len(record.find(SubQuestions)[-1].questions), "sub-question")
    if answers := record.find(SubAnswer):
        how = "in turn" if any(answer.given for answer in answers) else "each by itself"
        text += f", {len({answer.index for answer in answers if not answer.abstained})} answered {how}"
    return text


IN_TURN = "Each sub-question is answered from its own passages; an arrow takes the answers so far into the next search."
APART = "Each sub-question is answered from its own passages, and none knows of the others."
READING_LINKS = " A solid line leads from what the answer cites. Choose a link to read it."


def links(scene: Scene) -> dict[str, Any] | None:
    """Data of the picture: `links` in their order, as far as they are filled; None: nothing is split yet."""
    record = scene.record
    items = [
        (step.label, artefact)
        for step, artefact in record.artefacts
        if isinstance(artefact, SubQuestions | Ranking | SubAnswer)
    ]
    split = [
        artefact for _, artefact in items if isinstance(artefact, SubQuestions) and not artefact.by_tools
    ]
    if not split:
        return None
    chain = chain_data(items, record.answer, scene.stars)
    end = ending(record)
    return {
        "links": [
            link | {"told": _link_line(link), "state": _state(link, record)} for link in chain["links"]
        ],
        "in_turn": in_turn(record),
        "summary": progress(chain["links"]),
        "ending": chain["ending"],
        **end,
        "answer": chain["answer"] or end["answer"],
    }


def in_turn(record: Record) -> bool:
    """True if each sub-question may use the answers before it."""
    strategy = strategies().get(record.started.strategy) if record.started else None
    return strategy is None or not strategy.beside


def _state(link: Mapping[str, Any], record: Record) -> str:
    """The words that stand where a link's answer will be."""
    if link["text"]:
        return ""
    if not record.under_way:
        return "Not answered"
    return "Answering…" if link["cards"] and record.state == "running" else "Waiting"


def _link_line(link: Mapping[str, Any]) -> str:
    """Say how a link came about, in a sentence."""
    knew = f"knew {counted(len(link['given']), 'earlier answer')}" if link["given"] else ""
    searched = f"searched with “{link['searched']}”" if link["searched"] else ""
    cited = sum(card["badge"] == "cited" for card in link["cards"])
    passages = f"{counted(len(link['cards']), 'passage')}, {cited} cited" if link["cards"] else ""
    used = "the answer cites what it cites" if link["used"] else ""
    text = "; ".join(filter(None, (knew, searched, passages, used))) or "nothing is searched yet"
    return f"{text[0].upper()}{text[1:]}."


def with_answer(artefact: SubAnswer, text: str) -> SubAnswer:
    """Another answer; what belonged to the old one is gone: citations, doubt, and what was filled into marks."""
    return edited(
        artefact,
        text=checked_text(text),
        citations=(),
        short="",
        suggested=False,
        incomplete=False,
        abstained=False,
    )


def _split_sentence(splits: Sequence[SubQuestions], scene: SceneContext) -> str:
    questions = splits[-1].questions
    if len(questions) <= 1:
        return "The question stays whole: it is not split."
    waits = next((place for place, question in enumerate(questions) if "#" in question), None)
    what = "questions for the tools" if splits[-1].by_tools else "sub-questions"
    text = f"The question becomes {len(questions)} {what}"
    if waits:
        return (
            f"{text}; the {ordinal(waits + 1)} waits for an answer before it: {quoted(questions[waits], 60)}"
        )
    return f"{text}. The first: {quoted(questions[0])}"


def _answers_sentence(answers: Sequence[SubAnswer], scene: SceneContext) -> str:
    if answers[0].skill == READ_INTO_CHAIN.key:
        return _read(answers)
    if len(answers) > 1:
        silent = [answer for answer in answers if answer.abstained]
        text = f"{len(answers) - len(silent)} of {counted(len(answers), 'sub-question')} are answered, each by itself"
        return f"{text}; none is found for {quoted(silent[0].question, 60)}" if silent else f"{text}."
    answer = answers[0]
    if answer.abstained:
        return f"The {ordinal(answer.index + 1)} sub-question finds no answer: {quoted(answer.question)}"
    split = [artefact for artefact in scene.before if isinstance(artefact, SubQuestions)]
    questions = split[-1].questions if split else ()
    text = f"The {ordinal(answer.index + 1)} sub-answer, {answered(answer)},"
    waiting = [
        place
        for place, question in enumerate(questions)
        if place > answer.index and f"#{answer.index + 1}" in question
    ]
    if waiting:
        return f"{text} goes into the {ordinal(waiting[0] + 1)} question."
    if answer.index + 1 == len(questions):
        return f"The last sub-answer is {answered(answer)}."
    return f"{text} is kept for those that follow."


def _read(answers: Sequence[SubAnswer]) -> str:
    """The sentence on what was read in the passages of a search, in a chain of thoughts."""
    helpful = [answer for answer in answers if not answer.abstained]
    if not helpful:
        return f"Nothing that helps is read of the passages for {quoted(answers[0].question)}"
    return f"Of the passages, this is put into the reasoning: {quoted(first_words(helpful[-1].text))}"


def _picture(scene: Scene) -> Picture | None:
    reading = (IN_TURN if in_turn(scene.record) else APART) + READING_LINKS
    return drawn_picture("The chain of sub-questions", reading, "links", links(scene), scene.colour)


def with_sub_questions(artefact: SubQuestions, text: str) -> SubQuestions:
    """Other sub-questions, one a line, in this order."""
    return edited(artefact, questions=tuple(lines_of(text)))


KINDS = (
    Kind(
        key="sub_questions",
        title="Sub-questions",
        icon="account_tree",
        gist=Gist(40, _gist),
        card=sub_questions_card,
        join=Join(_joins, _together),
        spans=True,
        edit=lines_edit(
            "Sub-questions in order, one a line", lambda artefact: artefact.questions, with_sub_questions
        ),
        sentence=Sentence(50, _split_sentence),
        picture=_picture,
    ),
    Kind(
        key="sub_answer",
        title="Sub-answer",
        icon="quick_reference_all",
        card=lambda artefact, scene: chain_card([("", artefact)], scene),
        spans=True,
        edit=text_edit("Answer", lambda artefact: artefact.text, with_answer, 140, _name),
        sentence=Sentence(40, _answers_sentence),
    ),
)
