"""In which language a text is: enough to compare words or to leave it."""

from __future__ import annotations

from core.evaluation.datasets import DATA, WIKIPEDIA, read_folder
from core.evaluation.text_language import language_of, same_language
from tests.cases import cases


@cases(
    ("text", "code"),
    [
        ("The film was directed by Larry Cohen.", "en"),
        ("Der Film wurde von Larry Cohen gedreht.", "de"),
        ("Le film a été réalisé par Larry Cohen et il est une comédie.", "fr"),
        ("감독은 Larry Cohen입니다.", "ko"),
        ("監督はラリー・コーエンです。", "ja"),
        ("他在平纳长大。", "zh"),
        ("Он родился в Москве.", "cyrillic"),
        ("It is a South Korean film (Korean: 국제시장) that was directed by Yoon Je-kyoon.", "en"),
        ("Larry Cohen", ""),
        ("1936", ""),
        ("", ""),
    ],
)
def test_languages(text: str, code: str) -> None:
    assert language_of(text) == code


def test_what_cannot_be_told_may_be_the_same() -> None:
    english = ["The film was directed by Larry Cohen.", "Larry Cohen"]
    assert same_language("Larry Cohen", english)
    assert same_language("It is the film of Larry Cohen.", english[1:])
    assert not same_language("감독은 래리 코언입니다.", english)
    assert not same_language("감독은 래리 코언입니다.", english[1:])
    assert not same_language("Der Film ist von Larry Cohen.", english[:1])
    assert same_language("東京都", ["東京は日本の首都です。"])
    assert same_language("anything", [])


def test_the_documents_that_come_with_the_app() -> None:
    english = [one.text for one in read_folder(WIKIPEDIA).documents]
    korean = [one.text for one in read_folder(DATA / "belebele_ko60").documents]
    assert sum(language_of(text) not in ("en", "") for text in english) <= 0.01 * len(english)
    assert {language_of(text) for text in korean} == {"ko"}
