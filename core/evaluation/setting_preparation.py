"""Preparing the settings of an evaluation: their backends, and the models and prompts in force."""

from __future__ import annotations

from typing import Any

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.pairs import asks_model, request_of
from core.evaluation.plan import Playing, Spec, text_hash
from core.models.choice import ChatChoice
from core.runs.workbench import Workbench
from core.strategies.base import RunContext
from core.trace.events import RunStarted

Prepared = tuple[RunStarted, RunContext[Any]]
"""The first event of a run, and its context."""


async def prepare(
    bench: Workbench, spec: Spec, question: LabelledQuestion, chat: ChatChoice
) -> tuple[Spec, list[Prepared]]:
    """Reach the backends of each setting.

    Args:
        spec: The spec as it was requested or stored.
        question: Any question of the evaluation.
        chat: Which chat model answers.

    Returns:
        The spec with the models and prompts now in force, and the preparation of each setting.

    Raises:
        InputError, ModelError, ServiceError, StoreError: A setting cannot be run here.
    """
    prepared = [
        await bench.launcher.prepare(
            request_of(
                setting,
                question.text,
                spec.corpus_of(setting).name,
                retrieval_only=spec.retrieval_only,
                chat=chat,
            )
        )
        for setting in spec.settings
    ]
    settings = tuple(
        setting.model_copy(
            update={
                "params": started.params,
                "methods": started.methods,
                "prompt_hashes": {key: text_hash(text) for key, text in started.prompts.items()},
            }
        )
        for setting, (started, _) in zip(spec.settings, prepared, strict=True)
    )
    asking = [
        started
        for setting, (started, _) in zip(spec.settings, prepared, strict=True)
        if asks_model(setting, spec.retrieval_only)
    ]
    update = {
        "settings": settings,
        "model": asking[0].chat_model if asking else "",
        "builtin": bool(asking) and asking[0].builtin,
        "adapter": bool(asking) and asking[0].adapter,
        "playing": playing_of(chat) if asking else None,
        "embedding_model": prepared[0][0].embedding_model,
    }
    return spec.model_copy(update=update), prepared


def playing_of(chat: ChatChoice) -> Playing | None:
    """The recording that replies, if one does."""
    if (play := chat.play) is None:
        return None
    one = play.recording
    return Playing(name=one.name, id=one.id, model=one.model, missing=play.missing)
