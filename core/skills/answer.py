"""Answering: from passages with citations, or from the model's memory alone; and reading the reply.

Every answering prompt asks for the same form, in any language: the answer itself on a line of its own, with `[0]` in
front where the sources do not hold it, `[?]` where they only suggest it and `[+]` where they hold a part of it only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.corpora.sentence_spans import language, sentences
from core.models.capabilities import Sampling
from core.retrieval.tokens import tokens
from core.skills.base import MODEL, SHORT, Method, Skill, SkillContext, task
from core.skills.copying import EXTRACTIVE, NOTHING_RETRIEVED, extract, extractive_method, no_answer
from core.skills.evidence import quotes, statements
from core.skills.frame import framed_passages
from core.skills.refusals import abstains
from core.skills.relevance import shared_terms, titled
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

SHORT_CHARS = 200
"""A longer line is no short answer."""

_MARK = re.compile(r"(?:(?<![ \t])[ \t]+)?\[\s*([0?+])\s*\][ \t]*[:：]?[ \t]*")
CITED = r"\[\d{1,2}(?:\s*,\s*\d{1,2})*\]"
MARKS = re.compile(rf"(?:(?<!\s)\s+)?({CITED})")
"""Citation marks such as `[1]` or `[2, 3]`, with the blanks before them. It begins where these begin and nowhere within
them: in a long run, each place would be tried as far as its end."""
_NUMBER = re.compile(r"\d+")
_LABEL = re.compile(
    r"^(?:(?:the )?(?:short |final )?answer|답|답변|答え|回答|答案)\s*[:：]\s*", re.IGNORECASE
)
_DECORATION = re.compile(r"\*\*|__|^#+\s+|^[-*•]\s+")


def cited(mark: str) -> tuple[int, ...]:
    """The numbers of the passages that a citation mark names."""
    return tuple(map(int, _NUMBER.findall(mark)))


def split_at_marks(text: str, known: Container[int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A text in pieces, each with the numbers that a citation mark right behind it names and that are known.

    A mark without any known number stays part of its piece.
    """
    reached = 0
    for mark in MARKS.finditer(text):
        if numbers := tuple(number for number in cited(mark[1]) if number in known):
            yield text[reached : mark.start()], numbers
            reached = mark.end()
    yield text[reached:], ()


@dataclass(frozen=True)
class AnswerReply:
    """A reply, read."""

    text: str
    """Without the marks in front of it, and without labels."""
    short: str
    """The answer itself, without citation marks; empty: there is none, or none so short."""
    abstained: bool
    suggested: bool
    incomplete: bool = False


def read_reply(written: str, *, last: bool = False) -> AnswerReply:
    """Read the reply of a model that was asked for the answer itself on the first line; with `last`, on the last line,
    behind the reasoning."""
    lines = [line for line in written.strip().splitlines() if line.strip()]
    if not lines:
        return AnswerReply("", "", abstained=True, suggested=False)
    head = _DECORATION.sub("", _LABEL.sub("", _DECORATION.sub("", lines[-1 if last else 0].strip())))
    # Small models put the mark behind the line, or in front of the wrong one.
    ends = {mark[1] for line in (lines[0], lines[-1]) if (mark := _MARK.match(_DECORATION.sub("", line)))}
    marks = ends | set(_MARK.findall(head))
    text = _MARK.sub(_blank, written.strip()).strip()
    plain = MARKS.sub("", _MARK.sub(_blank, head)).strip()
    uncited = "0" in _MARK.findall(written) and not MARKS.search(text)
    abstained = "0" in marks or uncited or abstains(MARKS.sub("", text))
    alone = len(lines) > 1 or len(plain) <= SHORT_CHARS // 2
    short = plain if alone and len(plain) <= SHORT_CHARS and not abstained else ""
    suggested, incomplete = (mark in marks and not abstained for mark in "?+")
    return AnswerReply(text, short, abstained, suggested, incomplete)


def _blank(mark: re.Match[str]) -> str:
    """The blank in the place of a mark; nothing at the edge of a line."""
    before, after = mark.string[: mark.start()], mark.string[mark.end() :]
    return " " if before and after and not before.endswith("\n") and not after.startswith("\n") else ""


SUGGESTS = "The sources suggest this, but do not state it: the model says so."
LACKS = "The sources hold only a part of the answer: the model says so."

UNCITED = "The model cited no passage, so nothing here can be traced to a source."
FOUND = "The model cited no passage: the sentences that its answer rests on were found by comparing words."

HELD = 0.5
"""Share of an answer's word stems that a passage must hold to count as its source."""


def with_found_sources(question: str, answer: Answer, passages: Sequence[Passage]) -> Answer:
    """An answer whose model cited no passage, with the sentences that it rests on; as it was where none is found.

    The question tells apart sentences that hold as much of the answer.
    """
    citations = []
    for place, part in enumerate(answer.sentences):
        equals = _holding(part, passages)
        if equals:
            passage, sentence = max(
                equals, key=lambda pair: shared_terms(question, titled(pair[0].title, pair[1])) or 0
            )
            citations.append(Citation(sentence=place, chunk=passage.chunk, quote=sentence))
    if not citations:
        return answer
    return answer.model_copy(
        update={"citations": tuple(citations), "note": answer.note.replace(UNCITED, FOUND) or FOUND}
    )


def _holding(part: str, passages: Sequence[Passage]) -> list[tuple[Passage, str]]:
    """The sentences that hold most of an answer's stems, in passages that hold enough of them."""
    terms = set(tokens(part))

    def shared(text: str) -> int:
        return len(terms & set(tokens(text)))

    pool = [
        (passage, sentence)
        for passage in passages
        if terms and shared(titled(passage.title, passage.text)) >= HELD * len(terms)
        for sentence in statements(passage)
    ]
    counts = [shared(titled(passage.title, sentence)) for passage, sentence in pool]
    return [pair for pair, count in zip(pool, counts, strict=True) if count == max(counts)]


_RUN = re.compile(rf"(?:(?<!\s)\s+)?{CITED}(?:\s*{CITED})*")
_MARK_AFTER_END = re.compile(rf"((?<![.!?。！？])[.!?。！？]+)((?:\s*{CITED})+)")


def writing_methods(title: str, explains: str, slots: tuple[str, ...]) -> tuple[Method, Method]:
    """The two ways in which a model writes an answer: as it is asked in full, and by short rules.

    Small models that may put a mark in front of their answer put the last one there that they read, which says that
    nothing was found; so the short rules know no marks.
    """
    short = (
        "One call with the same material. The rules are short and know no marks for answers that are suggested or "
        "incomplete: small models answer better so."
    )
    return Method(MODEL, title, explains, slots), Method(SHORT, "The model, by short rules", short, slots)


ANSWER = Skill.of(
    "answer",
    "Answer from the passages",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads the numbered passages and cites them. "
        "The sentences marked in a cited passage are those that share most words with the words before the mark.",
        slots=("question", "context"),
    ),
    extractive_method(),
    builtin=EXTRACTIVE,
)

RECALL = Skill.of(
    "recall",
    "Answer from memory",
    Method(
        MODEL,
        "The model's memory",
        "One call with the question alone: what the model knows, or makes up.",
        slots=("question",),
    ),
    builtin=MODEL,
)


@task(RECALL)
async def recall(context: SkillContext, question: str) -> Answer:
    """An answer with no evidence at all."""
    method = context.method(RECALL)
    sampling = Sampling(temperature=0.0, max_tokens=400)
    text = await context.text(RECALL, method, sampling, show=True, question=question)
    note = "Nothing was looked up: this is what the model remembers, and it may be made up."
    if context.builtin and language(question) != "en":
        note += " The built-in model knows English only."
    reply = read_reply(text)
    return Answer(
        text=reply.text,
        sentences=tuple(sentences(reply.text)),
        short=reply.short,
        abstained=reply.abstained,
        skill=RECALL.key,
        method=method,
        note=note,
    )


@task(ANSWER)
async def answer(context: SkillContext, question: str, passages: Sequence[Passage]) -> Answer:
    """An answer from passages, citing them by their number from 1."""
    return await copied_or_written(context, ANSWER, question, passages, context=framed_passages(passages))


async def copied_or_written(
    skills: SkillContext,
    skill: Skill,
    question: str,
    passages: Sequence[Passage],
    /,
    *,
    without: Collection[str] = (),
    **prompt: Any,
) -> Answer:
    """An answer by the method in force: a sentence copied from the passages, or what the model writes; none where there
    are no passages.

    Args:
        skill: Has the two methods.
        passages: Its evidence, best first.
        without: Sentences that are not copied again.
    """
    method = skills.method(skill)
    if not passages:
        text = "Nothing was found, so there is nothing to answer from."
        return no_answer(text, skill.key, method, NOTHING_RETRIEVED)
    if method == EXTRACTIVE:
        return await extract(skills, question, passages, skill=skill.key, without=without)
    return await written(skills, skill, passages, question=question, **prompt)


async def written(
    skills: SkillContext,
    skill: Skill,
    passages: Sequence[Passage],
    /,
    *,
    show: bool = True,
    max_tokens: int = 700,
    last: bool = False,
    **slots: object,
) -> Answer:
    """An answer that the model writes from numbered passages, by a prompt that asks for it in short as well.

    Small models answer rightly and forget to cite: then the sentences that the answer rests on are found by its words.

    Args:
        skill: Has the prompts; its method in force is one of the model's own.
        passages: What its citations count, from 1.
        show: True if it streams to where the run's answer appears.
        last: True if the answer itself stands on the last line of the reply, see `read_reply`.
    """
    sampling = Sampling(temperature=0.0, max_tokens=max_tokens)
    method = skills.method(skill)
    text = await skills.text(skill, method, sampling, show=show, **slots)
    question = str(slots.get("question", ""))
    result = cite(text, passages, skill=skill.key, method=method, last=last, question=question)
    if UNCITED not in result.note:
        return result
    return with_found_sources(question, result, passages)


def marks_in(text: str) -> list[int]:
    """Numbers of the passages that a text cites by its marks, each once, in order."""
    return list(dict.fromkeys(number for mark in MARKS.findall(text) for number in cited(mark)))


def cite(
    text: str, passages: Sequence[Passage], *, skill: str, method: str, last: bool = False, question: str = ""
) -> Answer:
    """Read a model's answer: citation marks such as `[1]` or `[2, 3]` become citations with the supporting
    words, and a mark in front of it, such as `[?]`, becomes that fact.

    Marks with a number that no passage has are dropped and mentioned in the note.

    Args:
        passages: What the marks count, from 1.
        question: Tells which sentence is meant where the words of the answer do not.
    """
    reply = read_reply(text, last=last)
    moved = _MARK_AFTER_END.sub(lambda match: f" {match[2].strip()}{match[1]}", reply.text)
    plain: list[str] = []
    citations: list[Citation] = []
    unknown: set[int] = set()
    for marked in sentences(moved):
        for clause, numbers in _clauses(marked):
            for number in numbers:
                if not 1 <= number <= len(passages):
                    unknown.add(number)
                    continue
                passage = passages[number - 1]
                quoted = quotes((clause, MARKS.sub("", marked), MARKS.sub("", reply.text), question), passage)
                citations += [
                    Citation(sentence=len(plain), chunk=passage.chunk, quote=quote)
                    for quote in quoted or ("",)
                ]
        plain.append(MARKS.sub("", marked))
    notes = [note for note, holds in ((SUGGESTS, reply.suggested), (LACKS, reply.incomplete)) if holds]
    if unknown:
        notes.append(f"The model cited passages that do not exist: {', '.join(map(str, sorted(unknown)))}.")
    elif not citations and not reply.abstained:
        notes.append(UNCITED)
    return Answer(
        text=reply.text,
        sentences=tuple(plain),
        citations=tuple(dict.fromkeys(citations)),
        short=reply.short,
        suggested=reply.suggested,
        incomplete=reply.incomplete,
        abstained=reply.abstained,
        skill=skill,
        method=method,
        note=" ".join(notes),
    )


def _clauses(marked: str) -> list[tuple[str, list[int]]]:
    """The words before each run of citation marks in a sentence, and the numbers of that run."""
    clauses: list[tuple[str, list[int]]] = []
    begin = 0
    for run in _RUN.finditer(marked):
        clause = marked[begin : run.start()]
        if clauses and not any(map(str.isalnum, clause)):  # “[1], [2]”
            clause = clauses[-1][0]
        clauses.append((clause, marks_in(run[0])))
        begin = run.end()
    return clauses
