"""Words as keyword search counts them, in any language."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# Chinese, Japanese and Korean are written without blanks between words, or with endings glued on: pairs of
# neighbouring characters stand for their words.
_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")

STOP_WORDS = frozenset(
    "a an and are as at be but by for from if in into is it its no not of on or such s t that the their then there these "
    "they this to was were will with".split()
)


def tokens(text: str) -> list[str]:
    """Lower-case words in order; English ones stemmed and without stop words, CJK runs as character pairs."""
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        if _IS_CJK.match(run):
            found.extend([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
        elif run not in STOP_WORDS:
            found.append(_stem(run) if run.isascii() else run)
    return found


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))
