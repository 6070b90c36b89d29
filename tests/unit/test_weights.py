"""The weights that are read faster are the same weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from core import prepare
from core.services import chat
from core.services.chat import FAST_WEIGHTS, model_file, shipped_weights
from tests.unit.services.tiny_weights import KINDS, write_tiny_weights

FAST = gguf.GGMLQuantizationType.Q8_0


def numbers(tensor: Any) -> Any:
    return gguf.dequantize(tensor.data, tensor.tensor_type)


def check(source: Path, made: Path) -> None:
    """That everything is as it was but the bits of a number."""
    old, new = gguf.GGUFReader(source), gguf.GGUFReader(made)
    assert set(old.fields) == set(new.fields)
    for name, field in old.fields.items():
        if not name.startswith("GGUF.") and name != "general.file_type":
            assert new.fields[name].contents() == field.contents(), name
    assert new.fields["general.file_type"].contents() == gguf.LlamaFileType.MOSTLY_Q8_0
    assert len(old.tensors) == len(new.tensors)
    for before, after in list(zip(old.tensors, new.tensors, strict=True))[:12]:
        assert (before.name, list(before.shape)) == (after.name, list(after.shape))
        kept = before.tensor_type != gguf.GGMLQuantizationType.Q4_1
        assert after.tensor_type == (before.tensor_type if kept else FAST)
        largest = np.abs(numbers(before)).max()
        assert np.abs(numbers(before) - numbers(after)).max() <= (0 if kept else largest / 127)


def test_they_are_made_when_the_app_is_installed_and_used() -> None:
    assert FAST_WEIGHTS.is_file()
    assert model_file() == FAST_WEIGHTS
    prepare.prepare_weights()  # done already


def test_without_them_the_model_runs_as_its_package_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chat, "FAST_WEIGHTS", tmp_path / "missing.gguf")
    assert model_file() == shipped_weights()


def test_everything_is_as_it_was_but_the_bits_of_a_number(tmp_path: Path) -> None:
    source, made = write_tiny_weights(tmp_path / "tiny.gguf"), tmp_path / "share" / "fast.gguf"
    prepare.convert(source, made)
    check(source, made)
    assert {one.name for one in gguf.GGUFReader(made).tensors} == set(KINDS)
    assert [file.name for file in made.parent.iterdir()] == ["fast.gguf"]


@pytest.mark.thorough
def test_those_of_the_built_in_model_are_as_they_were() -> None:
    check(shipped_weights(), FAST_WEIGHTS)


def test_a_kill_leaves_no_half_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    source, target = write_tiny_weights(tmp_path / "tiny.gguf"), tmp_path / "share" / "fast.gguf"
    monkeypatch.setattr(gguf.GGUFWriter, "write_tensors_to_file", killed)
    with pytest.raises(KeyboardInterrupt):
        prepare.convert(source, target)
    assert not target.exists()
