"""Which full stops end a sentence, in languages that nobody names."""

from __future__ import annotations

import pytest

from core.corpora.sentence_spans import segments, sentence_spans, without_abbreviations
from tests.unit.work import little_work

SENTENCES = [
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


@pytest.mark.parametrize("marked", SENTENCES)
def test_sentences_end_where_they_end(marked: str) -> None:
    wanted = marked.split("|")
    text = ("" if "来" in marked else " ").join(wanted)
    assert [part.strip() for part in segments(text)] == wanted
    assert "".join(segments(text)) == text
    # Sentences on lines of their own are not taken for the rows of a list.
    assert [text[start:end] for start, end in sentence_spans(text)] == wanted


@pytest.mark.parametrize(
    "line", ["a." * 100_000, "No. " * 60_000, "x" * 200_000 + ".", ". " * 100_000, "Dr. " + "-" * 200_000]
)
def test_no_line_takes_long(line: str) -> None:
    with little_work():
        assert len(without_abbreviations(line)) == len(line)
