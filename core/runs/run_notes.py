"""Notes on a run: the methods that did its skills, which are not always those that were chosen, prompts of which the
server seems to have read a part only, and an answer that was cut off."""

from __future__ import annotations

from collections import Counter, defaultdict

from core.runs.record import Call, Record
from core.skills import SKILLS, skill_title
from core.skills.base import OWN
from core.skills.resolve import RESOLVE
from core.trace.artefacts import SubAnswer
from core.wording import counted, listed

RULE = "rule"
"""Method that fills in a mark such as “#1”, where the model is not asked."""


def methods_used(record: Record) -> dict[str, tuple[str, ...]]:
    """Skill -> the methods that did it, in the order of their first use; skills that the run never came to, and those
    that leave no trace, are left out."""
    chosen = record.started.methods if record.started else {}
    used: dict[str, dict[str, None]] = defaultdict(dict)
    answered: set[int] = set()
    for step in record.steps:
        for call in step.calls:
            used[call.skill][call.method] = None
        for reply in step.unusable:  # not every skill leaves an artefact
            used[reply.skill][reply.method] = None
        for artefact in step.artefacts:
            if artefact.skill in chosen and artefact.method:
                used[artefact.skill][artefact.method] = None
            if not isinstance(artefact, SubAnswer):
                continue
            # A mark such as “#1” was filled in; before, where it is answered again.
            filled = artefact.index not in answered and artefact.searched != artefact.question
            if filled and not any(call.skill == RESOLVE.key for call in step.calls):
                used[RESOLVE.key][RULE] = None
            answered.add(artefact.index)
    return {skill: tuple(used[skill]) for skill in chosen if used[skill]}


def replaced_sentence(record: Record) -> str:
    """A sentence on the tasks that another method did since the model's replies could not be used; empty: none."""
    replies = [reply for step in record.steps for reply in step.unusable]
    if not replies:
        return ""
    ways = Counter((skill_title(reply.skill), _method(reply.skill, reply.method)) for reply in replies)
    named = listed(
        [
            f"“{skill}” by “{method}”{f' ({times} times)' if times > 1 else ''}"
            for (skill, method), times in ways.items()
        ]
    )
    tasks = counted(len(replies), "task was", "tasks were")
    return f"{tasks} done by another method, since the model's replies could not be used: {named}."


def left_to_others(record: Record) -> dict[str, str]:
    """Skill -> method that did it, of skills that a model could have done by its own judgement, and was not asked to.

    Empty where the built-in model answers, whose own judgement is not good enough, and where a recording plays, whose
    gaps have ways of their own.
    """
    if record.started is None or record.started.builtin or record.recording:
        return {}
    unusable = {reply.skill for step in record.steps for reply in step.unusable}
    return {
        skill: methods[-1]
        for skill, used in methods_used(record).items()
        if skill in SKILLS and skill not in unusable
        if (methods := [method for method in used if method not in (*OWN, SKILLS[skill].served)])
    }


def left_sentence(record: Record) -> str:
    """The same in a sentence; empty: there are none."""
    named = [
        f"“{skill_title(skill)}” (“{_method(skill, method)}”)"
        for skill, method in left_to_others(record).items()
    ]
    return f"Done by other methods than the model's own judgement: {listed(named)}." if named else ""


def _method(skill: str, key: str) -> str:
    known = SKILLS[skill].methods if skill in SKILLS else ()
    return next((method.title for method in known if method.key == key), key)


LEAST_WORDS = 50
"""Shorter prompts fit any context window."""
_END = 20
"""Characters of an answer's end by which the reply that it comes from is found."""
WINDOWS = frozenset(2**power for power in range(11, 20))
"""Tokens of usual context windows, from Ollama's former 2,048 on. A whole prompt of just as many is rare."""


def cut_off(record: Record) -> str:
    """Sentences on prompts and an answer of which a part is missing, and what to do; empty: none is."""
    return " ".join(filter(None, (cut_prompts(record), cut_answer(record))))


def cut_prompts(record: Record) -> str:
    """Two sentences on prompts of which a run's server seems to have read a part only, and what to do; empty: none.

    Some servers silently cut off the beginning of a prompt that is longer than their context window (Ollama does), and
    say so only by the tokens that they counted: fewer than there are words between blanks, which no tokenizer makes, or
    just as many as a context window has.
    """
    short = [(call.usage.input, _words(call)) for call in record.calls if call.usage.input and _was_cut(call)]
    if not short:
        return ""
    read, words = min(short, key=lambda counts: counts[0] / counts[1])
    window = ", just as many as a context window has," if read in WINDOWS else ""
    return (
        f"The server seems to have read less than was sent in {counted(len(short), 'call')} of {len(record.calls)}: "
        f"it counted {read:,} tokens{window} for a prompt of {words:,} words. Its context window may be too small and "
        "cut off the beginning; set a larger one there (Ollama: OLLAMA_CONTEXT_LENGTH), or use fewer or smaller "
        "passages."
    )


def _was_cut(call: Call) -> bool:
    read, words = call.usage.input or 0, _words(call)
    return words > 0 and (words > read or read in WINDOWS)


def cut_answer(record: Record) -> str:
    """A sentence on an answer that is as long as its model was allowed to write; empty: it is shorter, or not known."""
    end = record.answer.text.rstrip()[-_END:] if record.answer else ""
    for call in reversed(record.calls if end else []):
        if call.output.rstrip().endswith(end):
            limit = call.sampling.get("max_tokens") or call.sampling.get("max_completion_tokens")
            if limit and (call.usage.output or 0) >= limit:
                return f"The answer reached its limit of {limit:,} tokens, so its end may be missing."
            break
    return ""


def _words(call: Call) -> int:
    """Words of a prompt; 0 where nothing can be said, as of the built-in model, which refuses what is too long."""
    words = sum(len(message.content.split()) for message in call.messages)
    return 0 if call.builtin or words < LEAST_WORDS else words
