"""What can be swept, which values are allowed, and which of them have to be run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from core.charts.evaluation_settings import with_titles
from core.errors import InputError
from core.evaluation.plan import Evaluation, Setting, Spec, Sweep, format_value
from core.evaluation.sweep_results import without_recomputed
from core.evaluation.sweeps import (
    label_of,
    parameters,
    recomputable,
    recomputable_parameters,
    settings_to_run,
    sweep_of,
    title_of,
    with_value,
)
from core.strategies import get_strategy, strategies

MOST = 240
FUSION = Setting(label="rag-fusion", strategy="rag-fusion")


def labels(key: str, *values: Any, base: Setting = FUSION, only: bool = True) -> list[str]:
    made = settings_to_run(base, sweep_of(base, key, values, MOST), retrieval_only=only)
    return [one.label.removeprefix(f"{key} = ") for one in made]


def test_every_strategy_can_be_swept_and_suggests_values_that_it_takes() -> None:
    for strategy in strategies().values():
        found = parameters(strategy, MOST)
        assert ("chunk_tokens" in found) == strategy.retrieves
        for key, parameter in found.items():
            assert parameter.default in parameter.suggested, (strategy.key, key)
            base = Setting(label="x", strategy=strategy.key)
            words = map(format_value, parameter.suggested)
            assert sweep_of(base, key, words, MOST).values == parameter.suggested
        assert set(recomputable_parameters(strategy.key)) <= set(found)


def test_suggestions_are_sensible() -> None:
    found = parameters(get_strategy("rag-fusion"), MOST)
    assert found["rrf_k"].suggested == (1, 3, 10, 30, 60, 100, 300, 1000)
    assert found["n"].suggested == (1, 2, 3, 4, 6, 8, 12)
    assert found["include_original"].suggested == (True, False)
    assert found["chunk_tokens"].suggested == (32, 64, 128, 240)
    assert found["overlap_tokens"].suggested == (0, 10, 25, 50, 100)
    assert not found["first_rank"].numeric


def test_values_are_checked_sorted_and_each_once() -> None:
    assert sweep_of(FUSION, "rrf_k", ("60", " 1", 60), MOST).values == (1, 60)
    assert sweep_of(FUSION, "include_original", ("on", "off"), MOST).values == (True, False)
    assert sweep_of(FUSION, "first_rank", ("1", "0"), MOST).values == (1, 0)
    assert sweep_of(FUSION, "retriever", ("hybrid", "dense"), MOST).values == ("hybrid", "dense")
    base = FUSION.model_copy(update={"chunk_tokens": 40})
    with pytest.raises(InputError, match="Chunks of 40 tokens cannot overlap by 30"):
        sweep_of(base, "overlap_tokens", (10, 30), MOST)
    with pytest.raises(InputError, match="not 21"):
        sweep_of(FUSION, "rrf_k", range(1, 22), MOST)


def test_only_what_cannot_be_recomputed_is_run() -> None:
    assert labels("rrf_k", 1, 10, 60) == ["60"]  # the default, where any would do
    assert labels("rrf_k", 1, 10) == ["1"]
    assert labels("n", 2, 4, 8) == ["8"]
    assert labels("include_original", False, True) == ["on"]
    assert labels("k", 2, 4, 10, 11) == ["4", "11"]
    assert labels("retriever", "dense", "keyword") == ["dense", "keyword"]
    assert labels("rrf_k", 1, 60, only=False) == ["1", "60"]  # answers follow from nothing
    plain = Setting(label="plain", strategy="plain")
    assert labels("k", 2, 4, base=plain) == ["2", "4"]  # no model is asked, and no run is stored


def test_what_follows_from_what() -> None:
    wide = FUSION.model_copy(update={"params": {"n": 8, "k": 12}})
    assert recomputable(FUSION, with_value(FUSION, "rrf_k", 1))
    assert recomputable(wide, wide.model_copy(update={"params": {"n": 3, "k": 12, "first_rank": 0}}))
    assert not recomputable(wide, FUSION)  # its lists are of another depth
    assert not recomputable(FUSION, wide)
    assert not recomputable(FUSION, with_value(FUSION, "retriever", "keyword"))
    assert not recomputable(FUSION, with_value(FUSION, "chunk_tokens", 64))
    asked = FUSION.model_copy(update={"params": {"include_original": False}})
    assert recomputable(FUSION, asked)
    assert not recomputable(asked, FUSION)


def test_labels_say_the_value() -> None:
    assert label_of("n", 3) == "n = 3"
    assert (format_value(True), format_value(0), format_value(0.25)) == ("on", "0", "0.25")
    titles = [title_of("rag-fusion", key) for key in ("rrf_k", "chunk_tokens", "gone")]
    assert titles == ["RRF constant k", "Chunk size (tokens)", "gone"]


def test_values_stay_what_they_are_when_stored() -> None:
    sweep = Sweep(parameter="x", values=(True, 1, 0, "a", 0.5), default=1)
    again = Sweep.model_validate_json(sweep.model_dump_json())
    assert [type(one) for one in again.values] == [bool, int, int, str, float]


def test_a_sweep_is_another_evaluation() -> None:
    """One that goes on with what is unfinished must not be read as something else."""
    spec = Spec(dataset="d", dataset_key="k", corpus="c", corpus_id="i", corpus_version=1, settings=(FUSION,))
    swept = spec.model_copy(update={"sweep": Sweep(parameter="rrf_k", values=(1, 60), default=60)})
    assert spec.fingerprint(()) != swept.fingerprint(())
    assert spec.corpus_of(FUSION).name == "c"


def test_a_sweep_that_an_earlier_version_stored_is_an_evaluation() -> None:
    stored = {
        "dataset": "Small",
        "dataset_key": "k",
        "corpus": "c",
        "corpus_id": "i",
        "corpus_version": 1,
        "settings": [{"label": "rrf_k = 60", "strategy": "rag-fusion", "params": {"rrf_k": 60}}],
        "retrieval_only": True,
        "baseline": "rrf_k = 60",
        "sweep": {"parameter": "rrf_k", "values": [1, 60]},
    }
    evaluation = Evaluation("e", "me", datetime.now(UTC), Spec.model_validate(stored), (), "finished")
    assert evaluation.title == "Small: rrf_k of RAG-Fusion at 1, 60"
    assert evaluation.spec.model_dump(mode="json")["sweep"] == stored["sweep"]  # its fingerprint stays
    (setting,) = with_titles(evaluation).spec.settings
    assert setting.label == "RRF constant k = 60"
    swept = without_recomputed(evaluation).spec.sweep
    assert swept
    assert swept.values == (60,)
