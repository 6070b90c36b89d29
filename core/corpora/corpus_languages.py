"""The languages of corpora: detected in a sample of chunks, and kept in the home, since that takes a second."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, TypeAdapter, ValidationError

from core.settings import make_file

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SHARE = 0.1
"""Smallest share of the sample, from 0 to 1, at which a language counts."""
_LANGUAGES = (
    "ar Arabic, bg Bulgarian, bn Bengali, ca Catalan, cs Czech, da Danish, de German, el Greek, "
    "en English, es Spanish, et Estonian, fa Persian, fi Finnish, fr French, he Hebrew, hi Hindi, "
    "hr Croatian, hu Hungarian, id Indonesian, it Italian, ja Japanese, ko Korean, lt Lithuanian, "
    "lv Latvian, ms Malay, nl Dutch, no Norwegian, pl Polish, pt Portuguese, ro Romanian, ru Russian, "
    "sk Slovak, sl Slovenian, sr Serbian, sv Swedish, sw Swahili, ta Tamil, th Thai, tr Turkish, "
    "uk Ukrainian, ur Urdu, vi Vietnamese, zh Chinese"
)
NAMES = dict(pair.split(" ") for pair in _LANGUAGES.split(", "))
"""ISO 639-1 code -> English name, of the languages that can be detected."""


def languages(texts: Iterable[str]) -> dict[str, float]:
    """Return the languages of some texts, the most frequent first: English name -> its share of them, from 0 to 1.

    Rare ones (`SHARE`) are left out, so that the shares may come to less than 1. Detected by character n-grams (Lui &
    Baldwin 2012, "langid.py"); short texts may be taken for another language.
    """
    identifier = _identifier()
    counts = Counter(identifier.classify(text)[0] for text in texts if text.strip())
    total = counts.total()
    return {NAMES[str(code)]: n / total for code, n in counts.most_common() if n >= SHARE * total}


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(sorted(NAMES))
    return identifier


class _CorpusLanguages(BaseModel):
    version: int
    languages: dict[str, float]


_FILE: TypeAdapter[dict[str, _CorpusLanguages]] = TypeAdapter(dict[str, _CorpusLanguages])
MOST_KNOWN = 500
"""Corpora whose languages are kept."""


class KnownLanguages:
    """The languages of each corpus as of one version of it; thread-safe.

    A file that cannot be read or written costs that second, and nothing else.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()

    def of(self, corpus: str, version: int) -> dict[str, float] | None:
        """Return the languages of a version of the corpus with this id, with their shares; None: they are not known."""
        known = self._read().get(corpus)
        return known.languages if known and known.version == version else None

    def of_texts(self, key: str, texts: Sequence[str]) -> dict[str, float]:
        """Return the languages of a sample with their shares; detected once for each key. Blocks for a moment."""
        shares = self.of(key, 0)
        if shares is None:
            shares = languages(texts)
            self.note(key, 0, shares)
        return shares

    def note(self, corpus: str, version: int, shares: Mapping[str, float]) -> None:
        """Keep the languages of a version of a corpus, with their shares of a sample."""
        with self._lock, suppress(OSError):
            known = self._read() | {corpus: _CorpusLanguages(version=version, languages=dict(shares))}
            draft = self._file.with_suffix(f".{os.getpid()}.new")
            make_file(draft)
            draft.write_bytes(_FILE.dump_json(dict(list(known.items())[-MOST_KNOWN:])))
            draft.replace(self._file)

    def _read(self) -> dict[str, _CorpusLanguages]:
        try:
            return _FILE.validate_json(self._file.read_bytes())
        except (OSError, ValidationError):  # there is none yet, or it is damaged
            return {}
