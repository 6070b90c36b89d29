"""Whether a text says that it has no answer: what real models wrote, and what only looks like it."""

from __future__ import annotations

from core.evaluation.datasets import WIKIPEDIA, read_folder
from core.skills.refusal_words import HINTS, MISSING, OUTRIGHT
from core.skills.refusals import abstains
from core.skills.sentences import sentences
from tests.cases import cases

LATER = "Which film has the director born later, Eight on the Lam or Full Moon High?"
PINNER = "What is the place of birth of the performer of song Elderberry Wine (Song)?"
GRANDMOTHER = "Who is Caroline Kennedy's maternal grandmother?"

REFUSALS = [
    # English: by models of several makers, from prompts that asked to say what is missing
    "The passages do not hold the answer. Eight on the Lam was directed by George Marshall [1] and Full Moon High by "
    "Larry Cohen [2].",
    "The passages do not name Caroline Kennedy's maternal grandmother; they only say who her mother was [1].",
    "The passages about Caroline Kennedy and her family don't actually name her grandmother.",
    "None of the passages mention when either director was born.",
    "Neither passage gives a date of birth.",
    "There is no mention of her grandmother.",
    "The passages lack this information.",
    "Not stated in the passages.",
    "The answers do not suffice: both birth dates are missing.",
    "The answers do not say who the mother of Jacqueline Kennedy was.",
    "The earlier answers do not state where Elton John was born.",
    "Neither the passages nor the earlier answer says when George Marshall was born.",
    "Who the mother of Jacqueline Kennedy was is missing.",
    "The birth dates of both directors are missing, so it cannot be said which film it is.",
    "What is missing is the date of birth of Larry Cohen.",
    "The passages do not reveal the place of birth.",
    "The passages do not tell where he was born.",
    "The passages say that he was raised in the Pinner area of London [3], but not where he was born.",
    "I cannot tell whether it is Eight on the Lam or Full Moon High.",
    "I'm sorry, but I cannot answer this from the passages.",
    "I don’t know.",
    "The context doesn't provide enough information to answer.",
    "There is not enough information to decide.",
    "It is not possible to say which of both was born later.",
    "The question cannot be answered: the sources do not say when they were born.",
    "The sources do not say.",
    "No relevant passage was found for this question.",
    "No path was found in the graph, so there is nothing to answer from.",
    "[0] The passages tell who directed both films [1][2], and nothing about the directors' births.",
    "NOT FOUND: the passages say who directed it.",
    "It remains unclear which of the two directors is older.",
    "Although the passages name both directors, they do not say when they were born.",
    "George Marshall directed Eight on the Lam [1], but the passages do not say when Larry Cohen was born.",
    "George Marshall directed Eight on the Lam [1]. So it cannot be determined which film it is.",
    "Unknown.",
    "Which film is it? The passages do not say.",
    "Nothing in the passages says who she was.",
    "The passages say who directed Eight on the Lam [1] and Full Moon High [2], but give no birth dates.",
    "The passages name the directors, George Marshall [1] and Larry Cohen [2], but no birth date for Cohen.",
    "It is not stated which film has the director born later; George Marshall directed Eight on the Lam [1].",
    "I would need the birth dates of both directors to answer.",
    "The documents contain no information about him.",
    # German
    "Die Passagen nennen ihre Großmutter nicht.",
    "Das geht aus den Texten nicht hervor.",
    "Die Passagen enthalten keine Angaben zum Geburtsort.",
    "Der Geburtsort wird in den Abschnitten nicht genannt.",
    "Das lässt sich anhand der Passagen nicht beantworten.",
    "Weder die Passagen noch die Antworten nennen das Geburtsdatum.",
    "Ich weiß es nicht.",
    "Es fehlt das Geburtsdatum von Larry Cohen.",
    "Die Angaben reichen nicht aus.",
    # Korean
    "제공된 문서에는 그의 출생지에 대한 정보가 없습니다.",
    "문서에 감독의 생년월일이 언급되어 있지 않습니다.",
    "외할머니의 이름은 나와 있지 않습니다.",
    "이 질문에는 답할 수 없습니다.",
    "두 감독 중 누가 더 늦게 태어났는지 알 수 없습니다.",
    "출생지는 문서에 명시되어 있지 않습니다.",
    "관련 정보를 찾을 수 없습니다.",
    "엘튼 존은 런던의 피너 지역에서 자랐지만, 출생지는 나와 있지 않습니다.",
    # Japanese
    "文書には答えがありません。",
    "監督の生年月日の記載がありません。",
    "出生地については記載されていません。",
    "提供された文章からはわかりません。",
    "出生地に関する情報は見つかりませんでした。",
    "ピナーで育ったと書かれていますが、出生地は不明です。",
    "この質問には答えられません。",
    # Chinese
    "文中没有提到他的出生地。",
    "文章没有说明导演的出生日期。",
    "根据提供的资料，无法确定哪部电影的导演更晚出生。",
    "没有相关信息。",
    "資料中沒有提到她的外祖母。",
    "他在平纳长大，但没有提到出生地。",
    # As said by hand, to see what the words above miss
    "The provided passages do not contain information about the birth dates of the directors.",
    "Based on the provided passages, I cannot determine which film has the director born later.",
    "Based on the passages, it is impossible to say where he was born.",
    "The passages don't specify where Elton John was born; they only mention that he was raised in Pinner [3].",
    "I could not find the answer in the passages.",
    "Sorry, the documents do not cover that.",
    "No information about her grandmother is given in the passages.",
    "The text is silent on this point.",
    "This is not answered by the passages.",
    "That is not in the passages.",
    "The passages give no information on that.",
    "His place of birth isn't mentioned.",
    "The place of birth is not mentioned in the passages.",
    "Her maternal grandmother isn't named anywhere in the passages.",
    "The available evidence is insufficient.",
    "Passage [1] names the director, but no passage gives his date of birth.",
    "While [1] says that Larry Cohen directed Full Moon High, nothing is said about his birth.",
    "Only one of the two birth dates is given, so the question stays open.",
    "The name of her grandmother does not appear in the passages.",
    "I was unable to find this information.",
    "The passages hold only who directed the films, not when the directors were born.",
    "The question cannot be answered with certainty.",
    "From these passages it cannot be determined.",
    "There's no way to tell from these passages.",
    "The given context does not allow an answer.",
    "The birth date of George Marshall is given as December 29, 1891 [1], but that of Larry Cohen is missing.",
    "Cannot be determined.",
    "No answer.",
    "N/A",
    "not in the passages",
    "The sources say nothing about a Nobel Prize in 2019.",
    "The documents are about other things and do not answer the question.",
    "Insufficient information",
    "The passages mention Elton John, but not his place of birth.",
    "The passages only say that he was raised in Pinner; his place of birth is missing.",
    "She is mentioned, but her mother's name is not given.",
    "It isn't possible to determine from the passages who was born later, since no birth dates are given.",
    "We do not learn where he was born.",
    "Die Frage kann mit diesen Passagen nicht beantwortet werden.",
    "In den Passagen steht nichts darüber.",
    "Dazu finden sich keine Informationen in den Texten.",
    "Wo er geboren wurde, steht nicht in den Passagen.",
    "Der Geburtsort ist nicht bekannt.",
    "Die Passagen sagen nur, dass er in Pinner aufwuchs, nicht aber, wo er geboren wurde.",
    "Ihre Großmutter wird nicht erwähnt.",
    "Keine Angabe.",
    "주어진 자료만으로는 판단할 수 없습니다.",
    "문서에는 해당 내용이 없습니다.",
    "그 정보는 제공되지 않았습니다.",
    "제공된 지문에서는 알 수 없습니다.",
    "출생지에 대한 언급이 없습니다.",
    "답을 찾을 수 없습니다.",
    "정보가 부족하여 답할 수 없습니다.",
    "지문은 그의 출생지를 밝히지 않습니다.",
    "해당 질문에 대한 답변은 문서에 포함되어 있지 않습니다.",
    "문서에 감독의 이름은 있지만 생년월일은 없습니다.",
    "출생지는 확인되지 않습니다.",
    "모르겠습니다.",
    "この文書からは判断できません。",
    "本文には出生地が書かれていません。",
    "監督の名前は書かれていますが、生年月日は書かれていません。",
    "情報がありません。",
    "出生地は示されていません。",
    "答えは文書に含まれていません。",
    "どちらが遅く生まれたかは分かりません。",
    "該当する情報は見当たりません。",
    "不明です。",
    "本文中では言及されていない。",
    "出生地についての情報が不足しているため、回答できません。",
    "無法從資料中得知。",
    "根据上下文无法回答该问题。",
    "文档中未提及其出生地。",
    "资料没有给出两位导演的出生日期。",
    "文中只说他在平纳长大，没有说他在哪里出生。",
    "答案不在文中。",
    "缺少相关信息。",
    "我不知道。",
    "上述段落并未提供该信息。",
]  # fmt: skip

ANSWERS = [
    "Full Moon High [1]. The passages do not say where he lived.",
    "Full Moon High [1], but the passages do not say where he lived.",
    "Full Moon High. It cannot be determined where he lived.",
    "Paris. The passages do not say since when.",
    "Janet Lee Bouvier [1][5]. Her date of birth is not stated.",
    "Janet Lee Bouvier is her maternal grandmother [1]. The passages do not say when she was born.",
    "It is Full Moon High [2]. There is no mention of its release.",
    "Yes, both are American [1][2], although the passages do not say where they live.",
    "No, only one of them is.",
    "According to the passages, he did not give up the colony.",
    "The passages say that France did not give up the colony.",
    "France did not give up the colony.",
    "The film does not include Bob Hope.",
    "It was not given to him.",
    "Unknown Pleasures",
    "He went missing in 1931.",
    "They did not mention it to anybody.",
    "Charters from 1050 are the only evidence, though no further son of hers is named in any other.",
    "보물지도가 있다고 생각할지도 모른다.",
    "No Country for Old Men",
    "Der Film nennt sich nicht so.",
    "Full Moon High [1]. Wo er wohnte, steht nicht in den Passagen.",
    "풀 문 하이입니다 [1]. 감독이 어디에 살았는지는 나와 있지 않습니다.",
    "밥 호프는 이 영화에 나오지 않습니다.",
    "『フルムーン・ハイ』です。監督の住所は記載されていません。",
    "彼は映画に出ていません。",
    "《满月高中》。文中没有提到他住在哪里。",
    "他没有参加比赛。",
    "The director is Larry Cohen [1].",
    "Larry Cohen, who was born in 1936 [2].",
    "It was released in 1981, and no sequel followed.",
    "He could not find a publisher.",
    "The manuscript could not be deciphered until 1952.",
    "She never married.",
    "The British government did not recognise it.",
    "There are no known survivors.",
    "It has no official language.",
    "Nobody.",
    "The treaty does not cover fishing.",
    "The evidence led to his conviction.",
    "Information theory",
    "Elton John sang it, although he did not write it.",
    "No, they are from different countries: South Korea and Italy [1][2].",
    "Missing in Action",
    "The Lost Horizon, which is missing several scenes [1].",
    "He is not known to have married; he died in 1950.",
    "The Unknown Soldier",
    "His father was a source of inspiration that he did not name.",
    "It is in the Passage of the Lions.",
    "Thoovanam was released in 1987, In Borrowed Plumes in 1928, so Thoovanam is more recent [1][2].",
    "She did not answer the letter.",
    "Full Moon High, whose director Larry Cohen was born in 1936 [2]; George Marshall was born in 1891 [1].",
    "The Answer Man",
    "Joensuu [1][2]",
    "No",
    "no",
    "They are both American, so yes",
    "Germany (no passage needed).",
    "German physicist Albert Einstein, who could not answer the question.",
    "A passage over the Alps, which does not appear on maps.",
    "The text of the treaty, which names no dates.",
    "Er wurde in Joensuu geboren und war nicht verheiratet.",
    "Keine von beiden: es waren drei.",
    "Er fehlte bei der Premiere.",
    "Nein, sie kommen nicht aus demselben Land.",
    "그는 결혼하지 않았습니다.",
    "아니요, 두 사람은 국적이 다릅니다.",
    "이 나라에는 바다가 없습니다.",
    "물이 부족합니다.",
    "요엔수입니다.",
    "말을 타고",
    "1990년에 개봉하지 않았습니다.",
    "아무도 살지 않습니다.",
    "いいえ、同じ国ではありません。",
    "彼は結婚していません。",
    "水が足りませんでした。",
    "その国には海がありません。",
    "ヨエンスーです。",
    "誰も知りませんでした。",
    "不是,他们来自不同国家。",
    "没有",
    "他没有结婚。",
    "这个国家没有海。",
    "不锈钢",
    "约恩苏",
]


@cases("text", ["", " – ", *REFUSALS])
def test_refusals(text: str) -> None:
    assert abstains(text)


def test_no_refusal_is_passed_over_for_want_of_a_hint() -> None:
    texts = [text.replace("’", "'") for text in REFUSALS]
    assert [
        text for text in texts if (OUTRIGHT.search(text) or MISSING.search(text)) and not HINTS.search(text)
    ] == []


def test_what_articles_say_is_hardly_ever_a_refusal() -> None:
    said = [sentence for one in read_folder(WIKIPEDIA).documents for sentence in sentences(one.text)]
    assert sum(map(abstains, said)) <= 0.003 * len(said)


@cases("text", ANSWERS)
def test_answers(text: str) -> None:
    assert not abstains(text)


@cases(
    ("text", "question"),
    [
        ("Elton John; birth place not stated.", PINNER),
        ("Elton John was raised in the Pinner area [2]. The passages do not state his place of birth.", PINNER),
        ("Her mother is Jacqueline Kennedy [1], but the passages do not say who her mother was.", GRANDMOTHER),
        ("Her mother is Jacqueline Kennedy [1]. The passages do not say who the mother of her was.", GRANDMOTHER),
        ("Elton John performed it [1]. There is no mention of where he was born.", PINNER),
        ("George Marshall directed Eight on the Lam [1], but the passages say nothing about the other film.", LATER),
        ("George Marshall was born in 1891 [1]. When Larry Cohen was born is not stated.", LATER),
        ("엘튼 존은 피너에서 자랐습니다 [1]. 출생지는 나와 있지 않습니다.", "이 노래를 부른 가수의 출생지는?"),
        *((text, LATER) for text in REFUSALS[:8]),
    ],
)  # fmt: skip
def test_what_is_missing_is_what_was_asked(text: str, question: str) -> None:
    assert abstains(text, question)


@cases(
    ("text", "question"),
    [
        ("Full Moon High [1]. The passages do not say when or where its director was born.", LATER),
        ("Full Moon High has the director born later [1]. The passages do not say where he was born.", LATER),
        ("Janet Lee Bouvier [1]. When she was born is not mentioned.", GRANDMOTHER),
        (
            "Her grandmother is Janet Lee Bouvier [1], but the passages do not say when she was born.",
            GRANDMOTHER,
        ),
        ("London [2]. The passages do not state when he was born.", PINNER),
        *((text, LATER) for text in ANSWERS[:3]),
    ],
)
def test_what_is_missing_is_something_else(text: str, question: str) -> None:
    assert not abstains(text, question)
