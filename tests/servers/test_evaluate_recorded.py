"""`python -m core evaluate` with a recording: what is held is played, and what is new is known beforehand."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.evaluation.dataset_indexing import index_for
from core.evaluation.datasets import read_folder
from core.evaluation.forecast import Coverage, coverage_of, coverage_sentence
from core.evaluation.plan import Setting
from core.evaluation.runner import Evaluations, New
from core.jobs import run_blocking
from core.models.chat_models import ChatModel, RecordedModel
from core.runs.workbench import Workbench
from core.users import User
from tests.bench import open_bench
from tests.commands import core_here, scripted_endpoint
from tests.homes import Homes
from tests.labelled import small_data_set
from tests.scripted import ScriptedServer

QUESTIONS = 4
WHO = User("a-student")


@pytest.fixture(scope="module")
def place(homes: Homes, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home, and the folder of a data set that is indexed there."""
    folder = small_data_set(tmp_path_factory.mktemp("data") / "small", questions=QUESTIONS)
    return homes.new(), folder


def evaluated(place: tuple[Path, Path], server: ScriptedServer, *words: str) -> tuple[Any, str]:
    """What a command that went well printed: its JSON, and what it said."""
    home, folder = place
    strategies = (
        "evaluate",
        "--dataset",
        str(folder),
        "--strategy",
        "plain",
        "multi-query",
        "--retriever",
        "dense",
    )
    done = core_here(home, *strategies, *words, "--json", **scripted_endpoint(server))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_the_second_time_asks_nothing_and_a_change_what_is_new(
    place: tuple[Path, Path], scripted: ScriptedServer, tmp_path: Path
) -> None:
    first, said = evaluated(place, scripted, "--record", "My lesson")
    assert "known once the documents are indexed" in said
    assert len(scripted.requests) == 3 * QUESTIONS
    assert first["recording"]["name"] == "My lesson"
    assert [one["played"] for one in first["strategies"].values()] == [0, 0]

    second, said = evaluated(place, scripted, "--record", "My lesson")
    assert f"The recording “My lesson” covers all {QUESTIONS} questions" in said
    assert "no call is new" in said
    assert len(scripted.requests) == 3 * QUESTIONS
    assert second["evaluation"] != first["evaluation"]
    for label, one in second["strategies"].items():
        assert one["played"] == one["calls"]
        assert one["metrics"] == first["strategies"][label]["metrics"]

    files = [tmp_path / "report.html", tmp_path / "every.csv"]
    outputs = [word for path in files for word in ("--output", str(path))]
    more = ("--param", "n=3", *outputs)
    changed, said = evaluated(place, scripted, "--record", "My lesson", *more)
    assert f"about {2 * QUESTIONS} of {3 * QUESTIONS} calls are new" in said
    assert "whose replies are kept" in said
    # Three queries find the same here as five, so the answers are asked with the same prompts.
    assert len(scripted.requests) == 4 * QUESTIONS
    assert [one["played"] for one in changed["strategies"].values()] == [QUESTIONS, QUESTIONS]
    report, every = (path.read_text(encoding="utf-8") for path in files)
    assert "replayed from the recording “My lesson” of the model “scripted”" in report
    rows = list(csv.DictReader(every.splitlines()))
    assert {(row["setting"], row["recording"], row["played"]) for row in rows} == {
        ("plain", "My lesson", "1"),
        ("multi-query", "My lesson", "1"),
    }
    assert "seconds" not in rows[0], "what was played takes the seconds of its pace"


def test_it_goes_on_only_with_what_it_began_with(place: tuple[Path, Path], scripted: ScriptedServer) -> None:
    home, _ = place
    begun, _ = evaluated(place, scripted, "--record", "Another lesson")
    words = ("evaluate", "--continue", begun["evaluation"])
    without = core_here(home, *words, **scripted_endpoint(scripted))
    assert without.returncode == 1
    assert "began with the recording “Another lesson”" in without.stderr
    assert "now it is the model “scripted”" in without.stderr
    same = core_here(home, *words, "--record", "Another lesson", **scripted_endpoint(scripted))
    assert same.returncode == 0, same.stderr
    assert "recorded: Another lesson" in same.stdout


SETTINGS = (Setting(label="p", strategy="plain"), Setting(label="m", strategy="multi-query"))


@pytest.fixture
def mine(place: tuple[Path, Path], scripted_server: ScriptedServer) -> Workbench:
    return open_bench(place[0], scripted_server)


def looked_up(
    bench: Workbench,
    folder: Path,
    chat: ChatModel,
    only: bool = False,
    settings: Sequence[Setting] = SETTINGS,
) -> Coverage:
    work = coverage_of(bench, lambda: read_folder(folder), settings, retrieval_only=only, chat=chat)
    return run_blocking(work, 60)


def test_what_a_user_keeps_belongs_to_the_user_and_is_known_beforehand(
    mine: Workbench, place: tuple[Path, Path], scripted: ScriptedServer
) -> None:
    dataset = read_folder(place[1])
    run_blocking(index_for(dataset, SETTINGS, mine.corpora))
    kept = mine.recordings.to_keep("A student's", "scripted", WHO.owner)
    chat = RecordedModel(kept, "endpoint", keeps=True)
    assert looked_up(mine, place[1], chat) == Coverage(QUESTIONS, 0, 3 * QUESTIONS)
    assert not scripted.requests
    evaluations = Evaluations(mine.launcher)
    evaluations.start(New(dataset, SETTINGS), WHO, chat=chat).result(60)
    found = mine.recordings.find(kept.id, [WHO.owner])
    assert (found.owner, found.replies) == (WHO.owner, 3 * QUESTIONS)
    assert looked_up(mine, place[1], chat) == Coverage(QUESTIONS, QUESTIONS, 0)
    assert looked_up(mine, place[1], chat, only=True) == Coverage(QUESTIONS, QUESTIONS, 0)
    assert len(scripted.requests) == 3 * QUESTIONS
    again = evaluations.start(New(dataset, SETTINGS), WHO, chat=RecordedModel(found))
    evaluation = again.result(60)
    results = evaluations.store.outcomes(evaluation.id).done.values()
    assert {(one.played, one.free_in) == (one.calls, one.tokens_in) for one in results} == {True}

    deeper, fewer = (SETTINGS[1].model_copy(update={"params": params}) for params in ({"k": 16}, {"n": 3}))
    swept = deeper, deeper.model_copy(update={"label": "by keyword", "retriever": "keyword"})
    assert looked_up(mine, place[1], chat, settings=swept) == Coverage(QUESTIONS, 0, 4 * QUESTIONS)
    assert looked_up(mine, place[1], chat, only=True, settings=[fewer]) == Coverage(QUESTIONS, 0, QUESTIONS)
    assert looked_up(mine, place[1], chat, only=True, settings=swept) == Coverage(QUESTIONS, QUESTIONS, 0)
    searched = evaluations.start(New(dataset, swept, retrieval_only=True), WHO, chat=RecordedModel(found))
    outcomes = evaluations.store.outcomes(searched.result(60).id)
    assert not outcomes.failed
    assert [one.played for one in outcomes.done.values()] == [1] * 2 * QUESTIONS


def test_the_sentence_says_who_gives_what_is_new(mine: Workbench) -> None:
    kept = mine.recordings.to_keep("Words", "scripted", WHO.owner)
    some, chat = Coverage(240, 14, 35), RecordedModel(kept, "builtin")
    assert coverage_sentence(some, 420, chat) == (
        "Of 240 questions, the recording “Words” covers 14 through every setting: the built-in model answers the rest, "
        "in about 35 calls."
    )
    assert coverage_sentence(Coverage(20, 14, 0), 420, chat).endswith("answers the rest, without a call.")
    ends = coverage_sentence(Coverage(1, 0, 0), 2, RecordedModel(kept))
    assert ends.endswith("covers none through every setting: the others end where a reply is missing.")
