"""Which model files a home has, and what is said of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import InputError
from core.models.reach.files import configured_file, find_file, folder, model_files
from core.settings import Settings
from tests.gguf_files import write_gguf


def settings(home: Path, configured: Path | None = None) -> Settings:
    return Settings(_env_file=None, rag_loupe_home=home, builtin_model_file=str(configured or ""))


def test_a_home_without_models_has_none(tmp_path: Path) -> None:
    assert model_files(settings(tmp_path)) == []
    assert configured_file(settings(tmp_path)) is None


def test_files_are_listed_with_what_they_are(tmp_path: Path) -> None:
    here = settings(tmp_path)
    folder(here).mkdir()
    for name in ("b.gguf", "A.GGUF", "vectors.gguf", "large-00002-of-00002.gguf"):
        write_gguf(folder(here) / name, "bert" if name == "vectors.gguf" else "llama")
    (folder(here) / "notes.txt").write_text("no model")
    (folder(here) / "coming.gguf.partial").write_bytes(b"GGUF")
    (folder(here) / "broken.gguf").write_bytes(b"GGUF")
    (folder(here) / "link.gguf").symlink_to(tmp_path / "nowhere.gguf")
    found = {file.name: file for file in model_files(here)}
    assert list(found) == ["A.GGUF", "b.gguf", "broken.gguf", "link.gguf", "vectors.gguf"]
    assert found["b.gguf"].described.startswith("A small model, Q4_K_M, ")
    assert found["b.gguf"].problem == ""
    assert found["b.gguf"].header is not None
    assert found["b.gguf"].model == f"b.gguf ({found['b.gguf'].header.fingerprint[:8]})"
    assert "not whole" in found["broken.gguf"].problem
    assert "no longer there" in found["link.gguf"].problem
    assert found["vectors.gguf"].problem.startswith("The file vectors.gguf is an embedding model")


def test_the_configured_file_comes_first_wherever_it_lies(tmp_path: Path) -> None:
    elsewhere = write_gguf(tmp_path / "z.gguf")
    here = settings(tmp_path / "home", elsewhere)
    folder(here).mkdir(parents=True)
    write_gguf(folder(here) / "a.gguf")
    write_gguf(folder(here) / "z.gguf", "bert")
    assert [file.path for file in model_files(here)] == [elsewhere, folder(here) / "a.gguf"]
    assert configured_file(here) == model_files(here)[0]


def test_only_what_is_listed_is_found_by_its_name(tmp_path: Path) -> None:
    here = settings(tmp_path)
    folder(here).mkdir()
    write_gguf(tmp_path / "outside.gguf")
    write_gguf(folder(here) / "a.gguf")
    assert find_file(here, "a.gguf").path == folder(here) / "a.gguf"
    for name in ("../outside.gguf", str(tmp_path / "outside.gguf"), "b.gguf", ""):
        with pytest.raises(InputError, match="is no longer there"):
            find_file(here, name)
