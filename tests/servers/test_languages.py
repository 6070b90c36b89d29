"""Korean, Japanese and Chinese documents are found by questions in the same language, by meaning and by words, and
by every strategy, with an endpoint and with the built-in model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from core.jobs import run_blocking
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from tests.bench import open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer

DOCUMENTS = {
    "ko": (
        (
            "등대.txt",
            "섬의 북쪽 끝에는 흰 등대가 서 있다. 등대는 1911년에 화강암으로 지어졌고 높이는 27미터이다. "
            "밤에는 십 초마다 한 번씩 불빛을 비추어 어선들을 인도한다. 마지막 등대지기는 2004년에 은퇴했다.",
            "등대지기는 언제 은퇴했나요?",
        ),
        (
            "김치.txt",
            "김치는 소금에 절인 배추를 고춧가루와 마늘로 버무려 발효시킨 음식이다. 겨울이 오기 전에 가족이 모여 "
            "많은 양을 함께 담그는데, 이것을 김장이라고 한다. 김장은 보통 십일월에 한다.",
            "김장은 보통 몇 월에 하나요?",
        ),
        (
            "철새.txt",
            "두루미는 가을에 시베리아에서 내려와 철원 평야에서 겨울을 난다. 추수가 끝난 논에 남은 낟알을 먹고 산다. "
            "봄이 되면 다시 북쪽으로 날아간다.",
            "두루미는 어디에서 겨울을 보내나요?",
        ),
    ),
    "ja": (
        (
            "橋.txt",
            "川の上流には石造りの古い橋がある。橋は江戸時代の末に架けられ、長さは四十メートルである。"
            "大雨のたびに流されそうになったが、村人が何度も修理してきた。今は歩行者だけが渡ることができる。",
            "古い橋の長さはどのくらいですか。",
        ),
        (
            "茶.txt",
            "新茶の収穫は五月の初めに始まる。若い葉だけを手で摘み、すぐに蒸して乾かす。"
            "こうすると葉の緑色と香りが保たれる。蒸し時間が長い茶は深蒸し茶と呼ばれる。",
            "お茶の葉はいつ摘みますか。",
        ),
        (
            "雪.txt",
            "この谷は日本でも指折りの豪雪地帯である。冬には三メートルを超える雪が積もり、家の一階が埋まる。"
            "人々は二階の窓から出入りする。",
            "冬に人々はどこから家に出入りしますか。",
        ),
    ),
    "zh": (
        (
            "图书馆.txt",
            "镇上的图书馆建于一九三五年，原来是一座粮仓。馆里藏有三万多册图书，其中最珍贵的是一套明代地方志。"
            "图书馆每周一闭馆，其余时间免费开放。",
            "图书馆星期几不开门？",
        ),
        (
            "养蚕.txt",
            "蚕从孵化到结茧大约需要二十八天。蚕只吃新鲜的桑叶，一生要蜕皮四次。"
            "一个蚕茧可以抽出一千米左右的丝。",
            "一个蚕茧能抽出多长的丝？",
        ),
        (
            "渡船.txt",
            "江上没有桥，两岸的居民靠渡船往来。渡船每天早晨六点开出第一班，遇到大雾就停航。"
            "船夫姓陈，已经摆渡三十年。",
            "渡船什么时候停航？",
        ),
    ),
}


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    """With the built-in model."""
    bench = open_bench(homes.new(), model_timeout_seconds=120.0)
    files = [(name, text.encode()) for group in DOCUMENTS.values() for name, text, _ in group]
    report = bench.corpora.index(files, "Languages", chunk_tokens=64, overlap_tokens=0).result()
    assert report.documents == 9
    assert report.chunks > 12, "several chunks each"
    yield bench
    bench.backends.supervisor.release()


@pytest.mark.parametrize("kind", ["dense", "keyword", "hybrid", "linked"])
@pytest.mark.parametrize("language", DOCUMENTS)
def test_questions_find_their_document(bench: Workbench, language: str, kind: str) -> None:
    retriever = run_blocking(bench.corpora.retriever("Languages", kind))
    for name, _, question in DOCUMENTS[language]:
        hits = run_blocking(retriever.search(question, 3)).hits
        assert hits[0].passage.title == name, question
        assert all(hit.passage.text[-1] in ".。！？" for hit in hits)


def ask(bench: Workbench, language: str, strategy: str) -> Record:
    """The language's first question, answered."""
    _, _, question = DOCUMENTS[language][0]
    run = record(bench.launcher.start(RunRequest(question, strategy, corpus="Languages")).result(300))
    assert run.state == "finished", run.error
    assert run.answer is not None
    assert run.answer.text
    return run


def found(run: Record) -> set[str]:
    return {item.passage.title for item in run.context.passages[:4]} if run.context else set()


OVER_TEXT = [key for key, strategy in strategies().items() if not strategy.explores]


def each(languages: Sequence[str], spread: int, *, builtin: bool = False) -> list[Any]:
    """Every strategy in every language: one of so many strategies in one language always, all else when thorough.

    Args:
        languages: Keys of `DOCUMENTS`; they take turns.
        spread: Of how many strategies one is always asked.
        builtin: Whether the built-in model is to answer; what it cannot run is left out.
    """
    pairs = []
    able = [key for key in OVER_TEXT if not strategies()[key].lacking(builtin)]
    for place, strategy in enumerate(able):
        for turn, language in enumerate(languages):
            always = place % spread == 0 and place // spread % len(languages) == turn
            pairs.append(pytest.param(strategy, language, marks=() if always else pytest.mark.thorough))
    return pairs


@pytest.mark.parametrize(("strategy", "language"), each(tuple(DOCUMENTS), 1))
def test_every_strategy_with_an_endpoint(
    bench: Workbench, scripted: ScriptedServer, strategy: str, language: str
) -> None:
    name, _, question = DOCUMENTS[language][0]
    scripted.script(Rule(skill="route", reply='{"reason": "It asks for a fact.", "way": "several-searches"}'))
    run = ask(open_bench(bench.settings.rag_loupe_home, scripted), language, strategy)
    assert any(question in message.content for call in run.calls for message in call.messages)
    assert not strategies()[strategy].retrieves or name in found(run)


COPYING = ("plain", "linked-passages", "self-rag", "corrective", "ircot", "adaptive")
"""Strategies that with the built-in model copy sentences, in whatever language: there is nothing it cannot do."""


@pytest.mark.parametrize(("strategy", "language"), each(("ja", "zh"), 2, builtin=True))
def test_every_strategy_with_the_built_in_model(bench: Workbench, strategy: str, language: str) -> None:
    name, _, _ = DOCUMENTS[language][0]
    run = ask(bench, language, strategy)
    notes = " ".join(artefact.note for _, artefact in run.artefacts)
    assert not strategies()[strategy].retrieves or name in found(run)
    assert strategy in COPYING or "English only" in notes, notes
    assert run.totals.calls <= 1, "no samples that would be of no use"
