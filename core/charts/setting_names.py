"""What the settings of an evaluation are called where people read: one that was begun by command has keys for names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.evaluation.plan import Evaluation, Setting, Sweep
from core.evaluation.sweeps import title_of
from core.strategies import strategies


def titled(evaluation: Evaluation) -> Evaluation:
    """The evaluation with settings named by the titles of their strategies: for showing it, not for continuing it."""
    names, spec = setting_names(evaluation), evaluation.spec
    settings = tuple(one.model_copy(update={"label": names[one.label]}) for one in spec.settings)
    baseline = names.get(spec.baseline, spec.baseline)
    return replace(evaluation, spec=spec.model_copy(update={"settings": settings, "baseline": baseline}))


def setting_names(evaluation: Evaluation) -> Mapping[str, str]:
    """Label of each setting -> what it is called; all stay as they are if two would be one."""
    labels = [one.label for one in evaluation.spec.settings]
    names = [_name(one, evaluation.spec.sweep) for one in evaluation.spec.settings]
    return dict(zip(labels, names if len(set(names)) == len(set(labels)) else labels, strict=True))


def _name(setting: Setting, sweep: Sweep | None) -> str:
    strategy = strategies().get(setting.strategy)
    if strategy is None:
        return setting.label
    if sweep:
        _, equals, value = setting.label.partition(" = ")
        return f"{title_of(setting.strategy, sweep.parameter)}{equals}{value}"
    made = {
        strategy.key: strategy.title,
        f"{strategy.key} ({setting.retriever})": f"{strategy.title} ({setting.retriever})",
    }
    return made.get(setting.label, setting.label)
