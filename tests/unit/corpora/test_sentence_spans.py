"""Where sentences begin and end: nothing is lost or cut in two; headings and rows stay with what they say."""

from __future__ import annotations

import textwrap

import pytest

from core.corpora.demo import DEMOS, DemoCorpus, own_documents
from core.corpora.documents import Document
from core.corpora.entries import SENTENCES, chunk_size, chunk_sizes
from core.corpora.sentence_spans import (
    copied_sentences,
    segments,
    sentence_at,
    sentence_spans,
    sentences,
    without_abbreviations,
)
from core.corpora.sentence_spans import without_false_borders as borders
from core.corpora.splitting import Splitter
from core.errors import InputError
from core.models.embeddings import builtin_tokenizer
from core.trace.passages import Passage
from tests.cases import cases
from tests.unit.work import little_work

TEXTS = {
    "en": "The ship left the harbour at dawn, although nobody had expected it to. Nobody saw it go. "
    "The bell rang twice, as it always did when the fog came in. ",
    "ko": "그는 “이제 가자.”라고 말했다. 갑자기 비가 왔다! 왜 그랬을까? 연구소는 1998. 3. 5. 처음 문을 열었다. "
    "서울은 한강을 끼고 발달한 도시이며 조선의 수도였다. ",
    "ja": "彼は「もう行くよ。」と言った。それから雨が降った！なぜだろう？東京は江戸と呼ばれていた。"
    "人口は約1,400万人で、面積は2.2千平方キロメートルである。",
    "zh": "他说我们走吧。然后下雨了！为什么呢？北京是中国的首都，历史悠久。"
    "长城全长约2.1万公里；它始建于春秋战国时期。",
}
"""Sentences that hold full stops which end none."""


def wrapped(text: str, width: int = 40) -> str:
    if text.isascii() or " " in text:
        return "\n".join(textwrap.wrap(text, width))
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


@pytest.mark.parametrize("layout", ["one line", "paragraphs", "wrapped"])
@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("size", "overlap"), [(80, 0), (80, 16), (240, 40)])
def test_chunks_end_at_sentences(language: str, layout: str, size: int, overlap: int) -> None:
    text = {
        "one line": TEXTS[language] * 12,
        "paragraphs": "\n\n".join([TEXTS[language].strip()] * 12),
        "wrapped": wrapped(TEXTS[language] * 12),
    }[layout].strip()
    source = Document(id="0" * 16, name="a.txt", title="", text=text)
    chunks = list(Splitter(builtin_tokenizer(), 240, size, overlap).split(source))
    assert len(chunks) >= 2
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text[-1] in ".!?。！？", chunk.text[-20:]
        assert not text[chunk.end :].lstrip().startswith(("라고", "と言", "3. 5", "5. 처"))


@cases(
    "text",
    [
        "# Heading\n\nOne line.\n\nAnother one.",
        "- the first item of a list.\n- the second item of a list.\n- the third item of a list.",
        "1. the first item of a list.\n2. the second item of a list.\n3) the third item of a list.",
        "| a table with cells | a |\n| a table with cells | b |\n| a table with cells | c |",
        "name: The ship Ada\nyear: nineteen hundred\nport: a large one\nflag: white and blue",
        "roses are red.\nviolets are\nblue. so are\nyou.",
        "1,000 m. 3 ships. In 1998. Three men came.",
        "",
        "\n \n",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert borders(text) == text


@cases(
    "text",
    [
        "a\n" * 100_000,
        " \n" * 100_000,
        "." * 200_000,
        "1998. " * 30_000,
        "。」" * 90_000,
        "\t \t" * 60_000 + "\n",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    with little_work():
        assert len(borders(text)) == len(text)


def cut(text: str, *headings: str) -> list[str]:
    places = [text.index(heading) for heading in headings]
    return [text[start:end] for start, end in sentence_spans(text, places)]


def split(document: Document) -> list[Passage]:
    return list(Splitter(builtin_tokenizer(), 240, SENTENCES, 0).split(document))


SENTENCES_OF = {"en": 3, "ko": 5, "ja": 5, "zh": 5}


@pytest.mark.parametrize("language", TEXTS)
def test_sentences_of_every_language_however_they_are_wrapped(language: str) -> None:
    text = TEXTS[language].strip()
    found = cut(text)
    assert len(found) == SENTENCES_OF[language]
    # A margin parts words and not sentences.
    assert ["".join(one.split()) for one in cut(wrapped(text))] == ["".join(one.split()) for one in found]


def test_abbreviations_end_no_sentence() -> None:
    assert cut("Mr. Smith met Prof. Jones at 5 p.m. in Ansel. He left.") == [
        "Mr. Smith met Prof. Jones at 5 p.m. in Ansel.",
        "He left.",
    ]


def test_a_heading_goes_with_the_sentence_below_it() -> None:
    text = "The Yard\n\nHistory\n\nIt was built in 1802. It burned.\n\nStaff\n\nNobody works there."
    wanted = ["The Yard\n\nHistory\n\nIt was built in 1802.", "It burned.", "Staff\n\nNobody works there."]
    assert cut(text, "The Yard", "History", "Staff") == wanted
    assert cut(text) == wanted  # lines that stand alone like headings, where the format has none


def test_a_heading_that_nothing_follows() -> None:
    assert cut("It burned.\n\nStaff", "Staff") == ["It burned.", "Staff"]
    assert cut("# Staff\n", "# Staff") == ["# Staff"]


def test_rows_and_fields_and_items_go_together() -> None:
    record = "parish: Tollerby\npopulation: 9,600\nhouseholds: 4,020"
    assert cut(f"{record}\n\n{record}") == [record, record]
    table = "| name | from |\n|---|---|\n" + "\n".join(
        f"| Somebody {one} | {1900 + one} |" for one in range(40)
    )
    rows = cut(table)
    assert rows[0].startswith("| name")
    assert 5 < len(rows) < 20
    assert all(row.count("|") % 3 == 0 for row in rows[1:])


def test_marks_and_numbers_stand_with_a_sentence() -> None:
    assert cut("He said: “Go!”\n”\n---\n1. Buy milk.\n2. Buy bread.") == [
        "He said: “Go!”\n”\n---",
        "1. Buy milk.",
        "2. Buy bread.",
    ]


@cases("text", ["", " \n\n ", "---", "…", "\n", "1", "(", "a\n\n" * 300, "x" * 5000])
def test_odd_texts(text: str) -> None:
    found = list(sentence_spans(text))
    assert "".join("".join(text[start:end].split()) for start, end in found) == "".join(text.split())
    assert all(text[start:end].strip() == text[start:end] for start, end in found)


@pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.folder)
def test_chunks_of_documents_lose_nothing_but_white_space(demo: DemoCorpus) -> None:
    for document in own_documents(demo):
        text, reached = document.text, 0
        chunks = split(document)
        for place, chunk in enumerate(chunks):
            assert (chunk.position, chunk.text) == (place, text[chunk.start : chunk.end])
            assert not text[reached : chunk.start].strip()
            reached = chunk.end
        assert not text[reached:].strip()
        assert max(len(builtin_tokenizer().encode(chunk.text).ids) for chunk in chunks) <= 240


def test_a_sentence_that_is_too_long_for_the_model_is_cut() -> None:
    text = "He went on and on " * 100 + "to the end. He stopped."
    chunks = split(Document("d", "d.txt", "", text))
    assert len(chunks) > 2
    assert chunks[-1].text == "He stopped."


def test_sizes() -> None:
    assert chunk_sizes(240, SENTENCES) == (SENTENCES, 0) == chunk_sizes(240, SENTENCES, 0)
    with pytest.raises(InputError, match="share nothing"):
        chunk_sizes(240, SENTENCES, 10)
    assert (chunk_size("sentences"), chunk_size("64")) == (SENTENCES, 64)
    with pytest.raises(ValueError, match="invalid literal"):
        chunk_size("words")


MARKED_SENTENCES = [
    # English
    "Dr. Smith paid $3.5 million for No. 5.|See vol. 4, ch. 2 and fig. 3 of it.|He left at 9 a.m. with Mr. Vale.",
    "The U.S. Army left.|He lives in the U.S.|He was born c. 1900, on Jan. 5.|No.|It ended.",
    "It weighs 5 kg.|Then we left.|It was long ago.|5 men died.|He is 5.|She is 7.",
    # German
    "Am 5. März 1998 war Ebbe.|Der Weg ist ca. 3 km lang.|Hr. Bär wohnt in Nr. 5, vgl. dazu Bd. 2.",
    "Im 19. Jahrhundert war er der 2. Mann.|Ludwig XIV. war König, z. B. von Trier.|Das war 1998.|Danach kam er.",
    "Es kostet 5 Mio. Euro.|Zum 3. Mal gewann die 1. Mannschaft.|Er ist 5.|Sie auch.",
    # Spanish, Portuguese
    "El Dr. Pérez llegó a las 9.|La Sra. López no vino.|¿Quién pagó?|Nadie.",
    "Vive en la Av. Juárez núm. 5.|Véase p. ej. la pág. 4, en EE. UU.|¡Qué bien!|Sí.",
    "A Sra. Costa e a Profa. Lima moram na Av. Central, pág. 5.|Fim.",
    # French, Italian
    "M. Dupont et Mme. Durand sont là.|Né le 1er janv. 1900, voir vol. 2 et art. 5.|Qui ?|Moi !",
    "Il sig. Rossi è qui.|Il dott. Verdi abita al n. 5, vedi pag. 4.|Arrivò il 5 gen. 1900.|Bene.",
    # Dutch, Scandinavian languages, Finnish
    "Dhr. Jansen kwam op 5 mrt. 1998.|Mevr. Vos woont bijv. in Utrecht.|Zie blz. 4.|Klaar.",
    "Den 5. marts 1998 kom hr. Jensen.|Slut.|Den 17. mai dro kgl. Olsen.|Ja.",
    "Tapahtui 5. maaliskuuta 1998.|Hän tuli.",
    # Polish, Czech, Turkish, Hungarian
    "Mieszka przy ul. Długiej nr. 5.|Przyszedł w 3. rundzie.|Koniec.",
    "Dne 5. března 1998 byl odliv.|Ing. Novák přišel.|Konec.",
    "Bu 19. yüzyılda oldu.|Sn. Demir gitti.|Bitti.",
    # Other scripts
    "Он родился в г. Москве на ул. Ленина.|Проф. Иванов пришёл 5 янв. 1900.|Конец.",
    "Ο κ. Παπάς ήρθε.|Τι είπε;|Τίποτα.",
    "هل جاء؟|نعم، جاء.|ذهب د. أحمد إلى البيت.",
    "وہ آیا۔|کیا ہوا؟|وہ گئی۔",
    "राम आया।|क्या हुआ?|डॉ. शर्मा आए।",
    "Նա եկավ։|Լավ։",
    "እሱ መጣ።|ማን ነው፧|ደህና።",
    "သူလာသည်။|ကောင်းသည်။",
    "គាត់មក។|នាងទៅ។",
    "הוא בא.|מי?|אני.",
    "他来了。|真的吗？|好。",
    "말 것.|안나는 갔다.",
]


@cases("marked", MARKED_SENTENCES)
def test_sentences_end_where_they_end(marked: str) -> None:
    wanted = marked.split("|")
    text = ("" if "来" in marked else " ").join(wanted)
    assert [part.strip() for part in segments(text)] == wanted
    assert "".join(segments(text)) == text
    # Sentences on lines of their own are not taken for the rows of a list.
    assert [text[start:end] for start, end in sentence_spans(text)] == wanted


@cases("line", ["a." * 100_000, "No. " * 60_000, "x" * 200_000 + ".", ". " * 100_000, "Dr. " + "-" * 200_000])
def test_no_line_takes_long(line: str) -> None:
    with little_work():
        assert len(without_abbreviations(line)) == len(line)


def test_a_heading_is_not_copied() -> None:
    text = "# Gannet Holm\n\nIt is an island. Nobody lives there.\n\n## #1 of its kind\nA stack of basalt."
    assert copied_sentences(text) == ["It is an island.", "Nobody lives there.", "A stack of basalt."]
    assert copied_sentences("#1 said so.") == ["#1 said so."]
    assert copied_sentences("Gannet  Holm\nIt is an island.", "gannet holm", "") == ["It is an island."]


def test_a_line_that_ends_within_a_sentence_is_a_blank() -> None:
    ragged = "It was built in 1998, repaired by her, in 2023\nand 2024, after the storm. It\nis old."
    wanted = ["It was built in 1998, repaired by her, in 2023 and 2024, after the storm.", "It is old."]
    assert sentences(ragged) == wanted
    assert sentence_at(ragged, ragged.index("and")) == wanted[0]
    wide = "The proprietor shall furnish a return of the nights by 31\nJanuary of the next year.\n(2) No levy is due."
    assert sentences(wide) == [
        "The proprietor shall furnish a return of the nights by 31 January of the next year.",
        "(2) No levy is due.",
    ]


def test_lines_of_lists_and_records_stay_apart() -> None:
    record = "name of the ship: Ada of Port Ansel\nyear of building: 1998\n\nroses are red\nviolets are blue"
    assert sentences(record) == [line for line in record.split("\n") if line]


def test_a_clause_with_a_number_is_no_parenthesis() -> None:
    assert sentences("(2) It is due. It is paid. (3) It is not.") == [
        "(2) It is due.",
        "It is paid.",
        "(3) It is not.",
    ]
