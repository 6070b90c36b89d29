"""The corpora of data sets belong to nobody who could change them while others evaluate."""

from __future__ import annotations

from pathlib import Path

from core.corpora.catalogue import Catalogue
from core.evaluation.dataset_indexing import PREFIX, _look


def test_a_corpus_that_somebody_made_for_a_data_set_becomes_the_teacher_s(tmp_path: Path) -> None:
    catalogue = Catalogue(f"sqlite:///{tmp_path / 'catalogue.sqlite'}")
    name = f"{PREFIX}Birds (12345678)"
    catalogue.create(name, "words-1", "words", 240, 50, owner="a" * 32)
    found, _ = _look(catalogue, "(12345678)")
    assert found is not None
    assert (found.name, catalogue.corpus(name).owner) == (name, "")
