"""How an evaluation was measured, in words: seeds, settings, models, versions; raw text."""

from __future__ import annotations

from core.cards.models import model_described
from core.charts.columns import params_in_words
from core.evaluation.plan import Evaluation
from core.evaluation.ranking_scores import DEPTH
from core.evaluation.statistics import RESAMPLES
from core.strategies import strategies


def facts(evaluation: Evaluation, begun: str = "") -> tuple[tuple[str, str], ...]:
    """Name and value of every fact that all settings share; `begun`: when it began, in other words than in UTC."""
    spec = evaluation.spec
    seed = "all questions" if spec.seed is None else f"a sample with seed {spec.seed}"
    model = model_described(spec.model, builtin=spec.builtin, adapter=spec.adapter) or "none was asked"
    return (
        ("Data set", f"{spec.dataset}, content {spec.dataset_key}"),
        ("Questions", f"{len(evaluation.questions):,}, {seed}"),
        ("Judged", "search only" if spec.retrieval_only else "search and answers"),
        ("Chat model", model),
        *(
            [("Recording", f"recorded: {spec.playing.in_words.removeprefix('the recording ')}")]
            if spec.playing
            else []
        ),
        ("Embeddings", spec.embedding_model),
        ("Rankings", f"judged at depth {DEPTH} for every setting, a document at the rank of its best chunk"),
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
