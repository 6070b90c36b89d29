"""The models that answered a question, and the methods and prompts that a run used, in words; raw text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.cards.texts import named
from core.corpora.filtering import where_text
from core.retrieval.defaults import shared_words
from core.retrieval.kinds import RETRIEVERS
from core.runs.record import Call, Record, Step
from core.runs.run_notes import methods_used
from core.skills import SKILLS, skill_title
from core.strategies import strategies
from core.trace.artefacts import Artefact
from core.trace.events import RunStarted
from core.wording import counted

BUILTIN = "the built-in model"
TAUGHT = "with what it was taught"


def answerers(run: Record) -> str:
    """Names of the models that answered in a run itself, joined by “and”, with the built-in one where it did a step
    by its own method; empty: no model was asked."""
    started = run.started
    if started is None:
        return ""
    own = [step for step in run.executions if not step.inherited]
    return " and ".join(dict.fromkeys(name for step in own for name in _step_answerers(run, started, step)))


MOST_PARTS = 3
"""Parts of a run that are told apart by their steps; of more, calls are counted."""


def who_answered(run: Record) -> str:
    """Names of the models that answered, each with its steps, such as “steps 1 to 3: …; from step 4 on: …”, as one
    line of raw text; empty: no model was asked. Steps that ran at once count as one; steps of a parent run count,
    too."""
    started = run.started
    if started is None:
        return ""
    layers: dict[int, Counter[str]] = {}
    for step in run.steps:
        layers.setdefault(step.layer, Counter()).update(_step_answerers(run, started, step))
    parts: list[tuple[tuple[str, ...], int]] = []
    # A step that began anew after a pause has the number of a layer of its own.
    for number, (_, names) in enumerate(sorted(layers.items()), 1):
        if names and not (parts and parts[-1][0] == tuple(names)):
            parts.append((tuple(names), number))
    if len(parts) == 1:
        return " and ".join(parts[0][0])
    if len(parts) > MOST_PARTS:
        each: Counter[str] = Counter()
        for names in layers.values():
            each.update(names)
        return "; ".join(f"{name}: {counted(calls, 'call')}" for name, calls in each.items())
    clauses = []
    for (who, first), (_, following) in pairwise([*parts, ((), 0)]):
        # Steps in between that asked no model belong to those before them.
        steps = f"step {first}" if first == following - 1 else f"steps {first} to {following - 1}"
        clauses.append(f"{steps if following else f'from step {first} on'}: {' and '.join(who)}")
    return "; ".join(clauses)


def answer_by(run: Record) -> str:
    """Names of the models that wrote the final answer of a run; empty: there is none, or no model was asked."""
    step = next((step for step, artefact in run.artefacts if artefact is run.answer), None)
    if step is None or run.started is None:
        return ""
    return " and ".join(dict.fromkeys(_step_answerers(run, run.started, step)))


def _step_answerers(run: Record, started: RunStarted, step: Step) -> list[str]:
    """Names of the models that answered the calls of a step, one per call; where a method of the built-in model did the
    step instead of a call that the recording lacks, its name."""
    calls = [call for call in step.calls if call.state != "failed"]
    names = [BUILTIN if call.builtin and run.recording else _named(started, call) for call in calls]
    by_rule = step.missing and step.state == "finished" and not any(call.builtin for call in calls)
    return [*names, BUILTIN] if by_rule and run.missing != "endpoint" else names


def _named(started: RunStarted, call: Call) -> str:
    if recording := call.recorded or call.kept:
        return model_described(call.model, recording=recording)
    name = named(call.model)
    return f"{name}, {TAUGHT}" if call.builtin and started.adapter else name


def asked_with(started: RunStarted) -> tuple[str, ...]:
    """The strategy of a run and what it searched, for a line above it."""
    strategy = strategies().get(started.strategy)
    searched = named(started.corpus or "") if strategy is None or strategy.retrieves else ""
    retriever = (
        f"{RETRIEVERS.get(started.retriever, started.retriever)} retrieval{shared_words(started.dense_share)}"
        if started.retriever
        else ""
    )
    title = strategy.title if strategy else started.strategy
    only = f"only where {where_text(started.where)}" if searched and started.where else ""
    return tuple(filter(None, (title, searched, only, retriever if searched else "", started.graph)))


def model_described(name: str, *, builtin: bool = False, adapter: bool = False, recording: str = "") -> str:
    """A model, and what to think of it: `adapter` is for a built-in one that could use what it was taught,
    `recording` names the recording that its replies come from or are kept in."""
    name = named(name)
    if recording:
        return f"{name}, recording “{recording}”"
    if not builtin:
        return name
    return f"{name} (the tiny built-in model{f', {TAUGHT}' if adapter else ''})"


@dataclass(frozen=True)
class MethodView:
    """A skill and the method that did it; raw text."""

    skill: str
    method: str
    explains: str = ""
    """How the method works; may be empty."""
    used: bool = True
    """True if the run used it."""


NOT_USED = "not used in this run"


@dataclass(frozen=True)
class PromptView:
    """A prompt as a run used it; raw text."""

    key: str
    title: str
    text: str
    changed: bool
    """True if the app has another one: somebody edited it, or an earlier version had it."""
    used: bool
    """True if the run used it."""


def method_view(artefact: Artefact) -> MethodView | None:
    """The method of its skill that made an artefact; None: no skill did."""
    if artefact.skill not in SKILLS or not artefact.method:
        return None
    return _method(artefact.skill, artefact.method)


def methods_chosen(record: Record) -> tuple[MethodView, ...]:
    """The methods of a run's skills: those that did them, and those that were chosen where it never came to one."""
    used, done = _skills_used(record), methods_used(record)
    chosen = record.started.methods if record.started else {}
    return tuple(
        replace(_methods(skill, done.get(skill, (method,))), used=skill in used or skill in done)
        for skill, method in chosen.items()
        if skill in SKILLS
    )


def _skills_used(record: Record) -> set[str]:
    """Keys of the skills that asked a model or made something."""
    return {call.skill for call in record.calls} | {artefact.skill for _, artefact in record.artefacts}


def _methods(key: str, methods: Sequence[str]) -> MethodView:
    views = [_method(key, method) for method in methods]
    return replace(
        views[0],
        method=", ".join(dict.fromkeys(view.method for view in views)),
        explains=" ".join(dict.fromkeys(view.explains for view in views if view.explains)),
    )


def _method(key: str, method: str) -> MethodView:
    skill = SKILLS[key]
    known = next((choice for choice in skill.methods if choice.key == method), None)
    return MethodView(skill.title, known.title, known.explains) if known else MethodView(skill.title, method)


def prompts_chosen(record: Record) -> Iterator[PromptView]:
    """The prompts of a run, those that it never came to among them."""
    used = _skills_used(record)
    for key, text in (record.started.prompts if record.started else {}).items():
        name = key.partition(".")[0]
        skill = SKILLS.get(name)
        changed = skill is not None and skill.prompts().get(key) not in (None, text)
        yield PromptView(key, skill_title(name), text, changed, name in used)
