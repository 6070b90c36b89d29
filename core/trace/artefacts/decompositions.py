"""A question in parts: sub-questions, their answers, and reasoning step by step."""

from __future__ import annotations

from operator import not_
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from core.trace.artefacts.answers import Answer, Citation
from core.trace.artefacts.base import Artefact
from core.trace.artefacts.queries import DroppedQuery
from core.trace.passages import Frozen, Passage


class SubQuestions(Artefact):
    """Questions that together answer the one that was asked, in the order they are worked on."""

    kind: Literal["sub_questions"] = "sub_questions"
    channel: ClassVar[str | None] = "sub_questions"

    questions: tuple[str, ...]
    dropped: tuple[DroppedQuery, ...] = ()
    by_tools: bool = False
    """Whether tools answer them, and no sub-answers follow."""


class Pair(Frozen):
    """A question and its answer, as later steps are given it."""

    question: str
    answer: str
    short: str = ""
    """The answer itself, in as few words as it takes; empty: there is no such form of it."""


class SubAnswer(Artefact):
    """The answer to one sub-question, with what it was made from."""

    kind: Literal["sub_answer"] = "sub_answer"
    channel: ClassVar[str | None] = "sub_answers"

    index: int = Field(ge=0)
    """Place of the sub-question, from 0."""
    question: str
    searched: str
    """What was searched with: the sub-question, or its wording with references filled in."""
    queries: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """All searches, where there was another one: a query for each of several answers that a mark stands for, or other
    words after an answer in doubt."""
    given: tuple[Pair, ...] = ()
    """Earlier questions and answers that it was made with."""
    passages: tuple[Passage, ...] = ()
    """Evidence it was given, best first."""
    text: str
    citations: tuple[Citation, ...] = ()
    short: str = ""
    """As of `Answer`: what takes the place of a mark such as “#1” in a later sub-question."""
    suggested: bool = False
    incomplete: Annotated[bool, Field(exclude_if=not_)] = False
    abstained: bool = False
    """The sources do not hold the answer; the text may say what they hold of it."""

    @classmethod
    def of(cls, answer: Answer, **fields: Any) -> Self:
        """An answer as that of a sub-question, with its words, citations, marks, method and note; `fields` are the
        others, and count where the answer has them as well."""
        shared = Answer.model_fields.keys() & cls.model_fields.keys() - {"kind"}
        return cls(**{name: getattr(answer, name) for name in shared} | fields)


class Thought(Artefact):
    """A piece of reasoning: one sentence, which is searched with (IRCoT) and whose `source` the passages that it brings
    in have in the evidence; or several that ask for searches or give the answer (Search-o1)."""

    kind: Literal["thought"] = "thought"
    channel: ClassVar[str | None] = "thoughts"

    index: int = Field(ge=0)
    """Place in the chain, from 0."""
    text: str
    """The first sentence that was written; the next search is made with it, unless there are `queries`."""
    queries: Annotated[tuple[str, ...], Field(exclude_if=not_)] = ()
    """The searches that it asks for, those included that were made before, or for which none was left."""
    answer: Annotated[str, Field(exclude_if=not_)] = ""
    """The answer with which it ends the chain, its citations counting the passages that are given."""
    guess: bool = False
    """No passage says it: the model expects it, and searches for it."""
    written: str
    """All that was written."""
    ends: str = ""
    """Why the chain ends here, as a sentence; empty: it goes on."""

    @model_validator(mode="before")
    @classmethod
    def _as_stored_before(cls, values: Any) -> Any:
        """Runs stored earlier name the passages here as well; their evidence has them."""
        if isinstance(values, dict):
            return {name: value for name, value in values.items() if name not in ("new", "pool")}
        return values

    @property
    def source(self) -> str:
        """The `source` of the passages that its search brought in."""
        return f"thought {self.index + 1}"
