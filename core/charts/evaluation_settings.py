"""The settings of an evaluation as people read them: what they are called, where one that was begun by command has keys
for names, and how it was measured, with seeds, models and versions; raw text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.cards.models import model_described
from core.charts.columns import params_in_words
from core.evaluation.plan import Evaluation, Setting, Sweep
from core.evaluation.statistics import RESAMPLES
from core.evaluation.sweeps import title_of
from core.strategies import strategies
from core.trace.artefacts import EVAL_CUTOFF


def with_titles(evaluation: Evaluation) -> Evaluation:
    """The evaluation with settings named by the titles of their strategies: for showing it, not for continuing it."""
    names, spec = setting_names(evaluation), evaluation.spec
    settings = tuple(setting.model_copy(update={"label": names[setting.label]}) for setting in spec.settings)
    baseline = names.get(spec.baseline, spec.baseline)
    return replace(evaluation, spec=spec.model_copy(update={"settings": settings, "baseline": baseline}))


def setting_names(evaluation: Evaluation) -> Mapping[str, str]:
    """Label of each setting -> what it is called; all stay as they are if two would be one."""
    labels = [setting.label for setting in evaluation.spec.settings]
    names = [_name(setting, evaluation.spec.sweep) for setting in evaluation.spec.settings]
    return dict(zip(labels, names if len(set(names)) == len(set(labels)) else labels, strict=True))


def _name(setting: Setting, sweep: Sweep | None) -> str:
    strategy = strategies().get(setting.strategy)
    if strategy is None:
        return setting.label
    if sweep:
        _, equals, value = setting.label.partition(" = ")
        return f"{title_of(setting.strategy, sweep.parameter)}{equals}{value}"
    searched = f" ({setting.retriever})"
    titles = {f"{strategy.key}{how}": f"{strategy.title}{how}" for how in ("", searched)}
    return titles.get(setting.label, setting.label)


def facts(evaluation: Evaluation, begun: str = "") -> tuple[tuple[str, str], ...]:
    """Name and value of every fact that all settings share; `begun`: when it began, in other words than in UTC."""
    spec = evaluation.spec
    seed = "all questions" if spec.seed is None else f"a sample with seed {spec.seed}"
    recording = spec.playing.in_words.removeprefix("the recording ") if spec.playing else ""
    model = model_described(spec.model, builtin=spec.builtin, adapter=spec.adapter) or "none was asked"
    return (
        ("Data set", f"{spec.dataset}, content {spec.dataset_key}"),
        ("Questions", f"{len(evaluation.questions):,}, {seed}"),
        ("Judged", "search only" if spec.retrieval_only else "search and answers"),
        ("Chat model", model),
        *([("Recording", f"recorded: {recording}")] if recording else []),
        ("Embeddings", spec.embedding_model),
        (
            "Rankings",
            f"judged at depth {EVAL_CUTOFF} for every setting, a document at the rank of its best chunk",
        ),
        (
            "Statistics",
            f"95 % intervals of a paired bootstrap over questions ({RESAMPLES:,} resamples, seed 0); p-values of a "
            "paired randomisation test, corrected for the number of comparisons by Holm's method",
        ),
        ("App", f"RAG Loupe {spec.version}"),
        ("Begun", begun or f"{evaluation.created:%Y-%m-%d %H:%M} UTC"),
    )


def settings_rows(evaluation: Evaluation) -> tuple[dict[str, str], ...]:
    """A row per setting."""
    return tuple(
        {
            "Setting": setting.label,
            "Strategy": known.title if (known := strategies().get(setting.strategy)) else setting.strategy,
            "Retriever": setting.retriever if known is None or known.retrieves else "none",
            "Parameters": ", ".join(
                f"{name}: {value}" for name, value in params_in_words(setting.strategy, setting.params)
            ),
            "Methods": ", ".join(f"{skill}: {method}" for skill, method in setting.methods.items()),
            "Prompts": ", ".join(
                f"{key} {text}{' (edited)' if key in setting.prompts else ''}"
                for key, text in setting.prompt_hashes.items()
            ),
        }
        for setting in evaluation.spec.settings
    )
