"""An embedding model is measured in a language by what its vectors find, and what was found is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import ModelError
from core.models.embedding_vectors import Embeddings
from core.models.embeddings import Embedder, open_embedder
from core.retrieval.check import LANGUAGES, check, quality, read
from core.retrieval.check_store import CheckStore
from core.retrieval.defaults import Quality
from core.settings import Settings
from tests.unit.models.plain_endpoint import PlainEndpoint


@dataclass
class Knowing(Embeddings):
    """Knows which passage answers which question, or fails."""

    places: dict[str, int]
    fails: bool = False
    asked: list[str] = field(default_factory=list)
    dimensions = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        if self.fails:
            raise ModelError("The embeddings endpoint cannot be reached. Check that it runs.")
        return [[float(place == self.places.get(text, -1)) for place in range(120)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def knowing(language: str, **options: Any) -> Embedder:
    _, passages, questions = read(language)
    texts = [f"{one.title}\n\n{one.text}" if one.title else one.text for one in passages]
    places = {text: place for group in (texts, questions) for place, text in enumerate(group)}
    return Embedder("known-1", "Known", Knowing(places, **options), 300, builtin=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_comes_with_the_app_can_be_told_apart(language: str) -> None:
    titles, passages, questions = read(language)
    assert (len(passages), len(questions)) == (120, 60)
    assert len({one.text for one in passages}) == 120
    blind = [[1.0]] * 120
    found = quality(titles, passages, questions, blind, blind[:60])
    assert found.dense < 0.2
    assert found.keyword > 0.8, "its words alone find a passage"
    assert found.dense < found.hybrid < found.keyword


async def test_a_model_that_knows_the_answers() -> None:
    found = await check(knowing("Korean"), "Korean")
    assert found.dense == pytest.approx(1.0)
    assert found.keyword < found.hybrid <= 1.0
    assert found.dense_share is None


async def test_an_endpoint_is_measured_over_http() -> None:
    endpoint = PlainEndpoint()  # its vectors know how long a text is, and nothing else
    key = SecretStr("right")
    settings = Settings(
        embedding_base_url=endpoint.url, embedding_model="first", embedding_api_key=key, model_attempts=1
    )
    found = await check(open_embedder(settings), "Japanese")
    endpoint.stop()
    assert found.dense < 0.3
    assert found.dense < found.hybrid < found.keyword
    assert endpoint.paths == ["/v1/embeddings"] * 6, "180 texts, in batches"


async def test_an_endpoint_that_fails_says_so() -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        await check(knowing("Korean", fails=True), "Korean")


def test_what_was_found_is_kept_for_each_model_and_language(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'checks.sqlite'}"
    store, quality = CheckStore(url), Quality(0.5, 0.6, 0.7)
    store.note("e5-1", "Korean", quality)
    store.note("e5-1", "English", Quality(0.9, 0.9, 0.8))
    store.note("e5-1", "English", Quality(0.8, 0.9, 0.7))
    store.note("other-1", "Korean", Quality(0.1, 0.1, 0.1))
    store.close()
    again = CheckStore(url)
    assert again.of("e5-1") == {"Korean": quality, "English": Quality(0.8, 0.9, 0.7)}
    assert again.of("nothing") == {}
    again.close()
