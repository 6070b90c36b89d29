"""The next thought: one sentence of reasoning, which is also the next query (IRCoT, Trivedi et al. 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.corpora.sentence_spans import copied_sentences, language, sentences
from core.errors import EmptyReplyError
from core.models.capabilities import Sampling
from core.skills.answer import CITED
from core.skills.base import MODEL, OWN, SHORT, Method, Skill, SkillContext, task
from core.skills.copying import digits_below
from core.skills.frame import framed_lines, framed_passages
from core.skills.relevance import most_relevant
from core.skills.variants import letters, tidy
from core.trace.artefacts import Thought
from core.trace.passages import Passage

MOST_THOUGHTS = "thoughts are the most that this run allows."
"""End of the reason that is given where the chain was cut off."""
FEW = 2
"""Sentences after which a method ends that draws no conclusion."""
NO_CONCLUSION = f"The chain ends: this method writes at most {FEW} sentences and draws no conclusion."
NEAR = 0.32
"""Relevance, see `core.skills.relevance`, that a sentence must have for the extractive method to copy it. Lower than
for an answer, since a sentence on the way need not be one."""

SUGGESTED = "[?]"
"""Mark in front of a sentence that no passage says."""
GUESS = "A guess: no passage says it. It is searched with, and no ground for an answer."
PERHAPS = "Perhaps a guess: by short rules, the model does not say which sentences are."
_MARKS = re.compile(rf"(?:(?<!\s)\s+)?(?:{CITED}|\[\?\])")
_LABEL = re.compile(
    r"^\W*(?:the )?(?:next )?(?:thought|sentence|reasoning|step)\s*(?:\d+\s*)?[:：]\s*", re.IGNORECASE
)
_CONCLUDES = re.compile(
    r"\banswer is\b(?!\s+(?:not|un\w+)\b)|^(?:so,? )?(?:the )?(?:final )?answer\s*[:：]|(?<!대)답은|答案是|答えは",
    re.IGNORECASE,
)

THINK = Skill.of(
    "think",
    "Write the next thought",
    Method(
        MODEL,
        "The model reasons",
        "One call per thought; only the first sentence is kept. The model marks what no passage says as a guess, "
        "which is searched with all the same. It ends with “the answer is”, with nothing, or with a sentence that "
        "was there before.",
        slots=("question", "context", "thoughts"),
    ),
    Method(
        SHORT,
        "The model, by short rules",
        "One call per thought. Each is a fact, and nothing says which are guesses. It ends after "
        f"{FEW} sentences, without a conclusion: small models that may conclude do so at once.",
        slots=("question", "context", "thoughts"),
    ),
    Method(
        "extractive",
        "The best unused sentence",
        "No model call: copied, not reasoned. Of the sentences that were not used yet the one that fits the "
        "question best: two thirds nearness in meaning, with its title before it, and one third the share of the "
        f"question's words. It ends after {FEW} sentences, or below {NEAR}. It draws no conclusion.",
    ),
    builtin="extractive",
)


@task(THINK)
async def think(
    context: SkillContext, question: str, passages: Sequence[Passage], thoughts: Sequence[Thought]
) -> Thought:
    """The thought that follows `thoughts`, not yet searched with; `ends` says why if it is the last.

    Raises:
        ModelError: The model gave no usable reply; an empty one is usable and ends the chain.
    """
    method = context.method(THINK)
    full = method != MODEL and len(thoughts) >= FEW
    if full or method not in OWN:
        no_more = "", NO_CONCLUSION, ""
        text, ends, note = no_more if full else await _copy(context, question, passages, thoughts)
        return Thought(
            index=len(thoughts), text=text, written=text, ends=ends, skill=THINK.key, method=method, note=note
        )
    refused = ""
    try:
        written = await context.text(
            THINK,
            method,
            Sampling(temperature=0.0, max_tokens=300),
            question=question,
            context=framed_passages(passages),
            thoughts=framed_lines(
                [f"{SUGGESTED} {thought.text}" if thought.guess else thought.text for thought in thoughts]
            ),
        )
    except EmptyReplyError as error:
        written, refused = "", f" {error}"
    text, _ = first_sentence(written)
    ends = _ending(text, thoughts)
    guess = SUGGESTED in written and not concludes(text)
    note = GUESS if guess else ""
    if method == SHORT and text and not concludes(text):
        note = PERHAPS
    if context.builtin and language(question) != "en":
        note = (
            "The built-in model knows English only: its sentence may be of no use, but it is searched with."
        )
    return Thought(
        index=len(thoughts),
        text=text,
        guess=guess,
        written=written.strip(),
        ends=ends and ends + refused,
        skill=THINK.key,
        method=method,
        note=note,
    )


def first_sentence(written: str) -> tuple[str, str]:
    """The first sentence of what a model wrote, without label, numbering and citation marks; and the rest.

    Both are empty where nothing was written but marks and blanks.
    """
    parts = sentences(_LABEL.sub("", _MARKS.sub("", written).strip()))
    for index, part in enumerate(parts):
        text = tidy(_LABEL.sub("", part))
        plain = letters(text)
        if not plain or (plain.isdigit() and index + 1 < len(parts)):
            continue  # a line of marks, or the number of a list
        rest = parts[index + 1 :]
        if text.endswith((":", "：")) and rest:
            text, rest = f"{text} {tidy(rest[0])}", rest[1:]
        return text, " ".join(rest)
    return "", ""


def concludes(text: str) -> bool:
    """True if a sentence gives the answer: “answer is” in the paper, or its counterpart in other languages."""
    return _CONCLUDES.search(text) is not None


def _ending(text: str, thoughts: Sequence[Thought]) -> str:
    if not text:
        return "The chain ends: the model wrote no further sentence."
    if any(letters(text) == letters(thought.text) for thought in thoughts):
        return (
            "The chain ends: this sentence was there before, and searching with it again finds nothing new."
        )
    if concludes(text):
        return "The chain ends: the model gives its answer."
    return ""


async def _copy(
    context: SkillContext, question: str, passages: Sequence[Passage], thoughts: Sequence[Thought]
) -> tuple[str, str, str]:
    """The best unused sentence, or why the chain ends; and a note."""
    used = {letters(text) for text in (question, *(thought.text for thought in thoughts))}
    pool = [
        (passage, text)
        for passage in passages
        for text in copied_sentences(passage.text)
        if letters(text) not in used
    ]
    if not pool:
        return "", "The chain ends: no sentence is left that was not used yet.", ""
    _, text, fit = await most_relevant(context, question, pool)
    if fit >= NEAR:
        return text, "", f"Copied, not reasoned: the best sentence not used yet (fit {fit:.2f})."
    why = f"(best: {digits_below(fit, NEAR)}, below {NEAR})."
    return "", f"The chain ends: no unused sentence fits the question well enough {why}", ""
