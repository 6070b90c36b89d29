"""Comparisons and chains by rule, before any other method: their sub-questions, and the conclusion from the facts."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer_sub import answer_sub
from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.composing.chains import chain
from core.skills.composing.comparisons import comparison, sub_questions
from core.skills.composing.conclusions import Conclusion, as_answer, conclude, follow, looked_up
from core.skills.sentences import language
from core.trace.artefacts import Answer, Citation, SubAnswer, citing
from core.trace.passages import Passage, numbers_of

RULE = "rule"
COMPOSED = "composed"
"""Key of the methods that compose an answer so, in the skills that put sub-answers together."""
BY_RULE = Skill(
    "by_rule",
    "Comparisons and chains",
    (
        Method(
            MODEL,
            "Left to the model",
            "No call of its own: whoever splits questions and answers them does so for comparisons and chains as well.",
        ),
        Method(
            RULE,
            "By rule, where a rule fits",
            "No model call. “Who is older, X or Y?” becomes “When was X born?” and “When was Y born?”; “the director "
            "of X” is asked for first. Dates, numbers, countries and names are read from passages about X and Y, and "
            "compared step by step. English only; where no rule fits, the other methods do it.",
        ),
    ),
    builtin=RULE,
)
COMPOSES = (
    "No model call: dates, numbers, countries and names are read from the sub-answers and their passages by rule, and "
    "compared or followed step by step, for comparisons and for chains; where no rule fits, the sub-answers are joined."
)
"""How the composed methods work, for people."""
NOTE = "Composed by rule, not written: each step copies a fact, and the last one follows from them."


def split_by_rule(context: SkillContext, question: str, most: int) -> tuple[str, ...]:
    """The sub-questions of a comparison or a chain, at most `most`; empty: no rule fits, or the method is another."""
    if context.method(BY_RULE) != RULE:
        return ()
    parts = sub_questions(question)
    return parts if len(parts) <= most else ()


def composed(
    question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage], *, skill: str, method: str
) -> Answer | None:
    """The answer that follows by rule; None: no rule fits the question, or the last link of a chain is not known.

    Where a fact of a comparison or another link is missing, it is an answer that says which.

    Args:
        question: As it was asked.
        answers: To its sub-questions; may be none.
        passages: All evidence in its final order: what the citations count.
        skill: Key of the skill that answers this way.
        method: Key of its method.
    """
    made = concluded(question, answers, passages)
    if made is None or (made.ends and made.missing):
        return None
    return _answer(made, passages, skill, method)


def sub_answer_by_rule(context: SkillContext, question: str, passages: Sequence[Passage]) -> Answer | None:
    """The answer to a sub-question whose fact a rule reads, if that is the method: the sentence that says it; not yet
    the run's."""
    if context.method(BY_RULE) != RULE or language(question) != "en":
        return None
    if found := looked_up(question, [], passages):
        return Answer(
            text=found.quote,
            sentences=(found.quote,),
            citations=(Citation(sentence=0, chunk=found.chunk, quote=found.quote),),
            short=as_answer(question, found),
            final=False,
            skill=BY_RULE.key,
            method=RULE,
            note="Read by rule: the sentence says it of exactly this thing.",
        )
    made = concluded(question, [], passages)
    if made is None or not made.short:
        return None
    return _answer(made, passages, BY_RULE.key, RULE).model_copy(update={"final": False})


async def read_by_rule(context: SkillContext, question: str, passages: Sequence[Passage]) -> Answer | None:
    """Like `composed`, from passages alone, if that is the method; what no rule reads there is asked as a sub-question.

    Raises:
        ModelError: The embedding model fails.
    """
    if context.method(BY_RULE) != RULE or not passages:
        return None
    answers: list[SubAnswer] = []
    for _ in sub_questions(question):
        made = concluded(question, answers, passages)
        known = {answer.question for answer in answers}
        open_ = [text for text in made.missing if text.endswith("?") and text not in known] if made else []
        for text in open_:
            found = await answer_sub(context, text, passages)
            answers.append(_sub_answer(len(answers), text, found, passages))
        if not open_:
            break
    return composed(question, answers, passages, skill=BY_RULE.key, method=RULE)


def concluded(question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Conclusion | None:
    """What follows for a question; None: it is neither a comparison nor a chain that a rule knows."""
    if language(question) != "en":
        return None
    if compared := comparison(question):
        return conclude(compared, answers, passages)
    questions = chain(question)
    return follow(questions, answers, passages) if questions else None


def _sub_answer(index: int, question: str, answer: Answer, passages: Sequence[Passage]) -> SubAnswer:
    return SubAnswer.of(answer, index=index, question=question, searched=question, passages=tuple(passages))


def _answer(made: Conclusion, passages: Sequence[Passage], skill: str, method: str) -> Answer:
    """A conclusion as an answer: a sentence per step, with its citation."""
    places = numbers_of(passages)
    plain = [step.text for step in made.steps]
    marked = [
        f"{step.text.rstrip('.')} [{places[step.chunk]}]." if step.chunk in places else step.text
        for step in made.steps
    ]
    citations = citing(
        (
            Citation(sentence=place, chunk=step.chunk, quote=step.quote)
            for place, step in enumerate(made.steps)
            if step.chunk in places
        ),
        passages,
    )
    note = NOTE
    if made.missing:
        lacks = missing(made)
        plain, marked = [*plain, lacks], [*marked, lacks]
        note = "Composed by rule: a fact is missing, so nothing follows."
    return Answer(
        text=" ".join(marked),
        sentences=tuple(plain),
        citations=citations,
        short=made.short,
        abstained=bool(made.missing),
        skill=skill,
        method=method,
        note=note,
    )


def missing(made: Conclusion) -> str:
    """Which facts are missing, and what to try, in a sentence or two."""
    asked = [text for text in made.missing if text.endswith("?")]
    if not asked:
        return f"No conclusion: {'; '.join(made.missing)}."
    quoted = " and ".join(f"“{text}”" for text in asked)
    return (
        f"Missing: no passage that was found says it for certain. Open: {quoted} Try more passages per search, "
        "another retriever, or the open question by itself."
    )
