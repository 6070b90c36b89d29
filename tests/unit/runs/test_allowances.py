"""What a visitor may spend: the server's key, room, runs and imports at once; the teacher and a user alone, all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.corpora.catalogue import BYTES_OF_A_VECTOR, Catalogue
from core.corpora.documents import Document
from core.models.chat_models import (
    BUILTIN,
    CONFIGURED,
    ChatModel,
    ConfiguredModel,
    EndpointModel,
    FileModel,
    RecordedModel,
)
from core.models.endpoint import ChatEndpoint
from core.models.recordings.items import Head
from core.models.recordings.store import RecordingStore
from core.runs.allowances import Allowances, Exhausted
from core.runs.store import RunStore
from core.settings import Settings
from core.trace.events import RunStarted, dump, now
from core.users import NotAllowed, User
from tests.cases import cases

ME, TEACHER = User("me"), User("me", teacher=True)
SHARED = Settings(
    _env_file=None, teacher_password=SecretStr("right"), openai_base_url="http://models.test/v1",
    max_mb_per_visitor=1, max_jobs_per_visitor=2, max_runs_per_visitor=3,
)  # fmt: skip
ALONE = SHARED.model_copy(update={"teacher_password": SecretStr("")})
OWN = EndpointModel(ChatEndpoint("https://own.test/v1", SecretStr(""), "m"))
MB = 2**20


def allowances(settings: Settings = SHARED, *rooms: Callable[[str], int]) -> Allowances:
    return Allowances(settings, rooms)


@cases(
    ("who", "by", "chat", "may"),
    [
        ("", ME, CONFIGURED, False),
        ("", ME, ConfiguredModel("another"), False),
        ("", ME, OWN, True),
        ("", ME, BUILTIN, True),
        ("", ME, FileModel("own.gguf"), True),
        ("", TEACHER, CONFIGURED, True),
        ("teacher", ME, CONFIGURED, False),
        ("all", ME, CONFIGURED, True),
    ],
)
def test_the_servers_key_is_spent_by_whom_the_setting_names(
    who: str, by: User, chat: ChatModel, may: bool
) -> None:
    limits = allowances(SHARED.model_copy(update={"contexts_and_graphs": who}))
    assert limits.may_spend(by, chat) is may
    if may:
        limits.check_spending(by, chat)
    else:
        with pytest.raises(NotAllowed, match=r"only the teacher .* Set a chat endpoint of your own"):
            limits.check_spending(by, chat)


def test_a_recording_spends_nothing_unless_the_server_answers_what_it_lacks(tmp_path: Path) -> None:
    store = RecordingStore(f"sqlite:///{tmp_path / 'a.sqlite'}")
    made = store.begin(Head(name="a", model="m", created=now()), "me")
    assert allowances().may_spend(ME, RecordedModel(made, missing="fail"))
    assert not allowances().may_spend(ME, RecordedModel(made, missing="endpoint"))


def test_where_no_key_is_configured_or_nobody_is_the_teacher_everybody_may() -> None:
    assert allowances(ALONE).may_spend(TEACHER, CONFIGURED)
    assert allowances(ALONE).may_spend(ME, CONFIGURED)
    assert allowances(SHARED.model_copy(update={"openai_base_url": ""})).may_spend(ME, CONFIGURED)


def test_room_is_counted_over_all_stores() -> None:
    limits = allowances(SHARED, lambda owner: MB // 2 if owner == "me" else 0, lambda _: MB // 4)
    limits.check_room(ME, MB // 4)
    with pytest.raises(Exhausted, match=r"take 1 MB of the 1 MB that each visitor has .* Delete some"):
        limits.check_room(ME, MB // 4 + 1)
    limits.check_room(User("other"), MB // 2)
    limits.check_room(TEACHER, 9 * MB)
    allowances(ALONE, lambda _: 9 * MB).check_room(ME)


def test_a_visitor_with_no_room_left_asks_nothing_more() -> None:
    with pytest.raises(Exhausted, match="Delete some"):
        allowances(SHARED, lambda _: MB).check_runs(ME, 0)


def test_runs_at_once_are_bounded() -> None:
    limits = allowances()
    limits.check_runs(ME, 2)
    limits.check_runs(TEACHER, 100)
    allowances(ALONE).check_runs(ME, 100)
    with pytest.raises(
        Exhausted, match=r"2 runs of yours are under way, and each visitor has 3 .* Wait for one"
    ):
        limits.check_runs(ME, 2, 2)


def test_imports_and_builds_at_once_are_bounded_and_count_until_they_end() -> None:
    limits = allowances()
    with limits.under_way(ME):
        with limits.under_way(ME), limits.under_way(User("other")):
            with (
                pytest.raises(Exhausted, match="2 imports and graphs of yours are under way"),
                limits.under_way(ME),
            ):
                raise AssertionError("begun")
            with limits.under_way(TEACHER):
                pass
        with pytest.raises(ZeroDivisionError), limits.under_way(ME):
            raise ZeroDivisionError
        with limits.under_way(ME):
            pass


def test_stores_say_what_an_owner_takes(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'a.sqlite'}"
    runs, catalogue, recordings = RunStore(database), Catalogue(database), RecordingStore(database)
    assert [one.stored_by("me") for one in (runs, catalogue, recordings)] == [0, 0, 0]
    started = RunStarted(
        seq=0,
        at=0,
        run="r",
        created=now(),
        question="Où?",
        strategy="plain",
        params={},
        chat_model="",
        builtin=True,
    )
    runs.append("r", [started], "me")
    assert runs.stored_by("me") == len(dump(started).encode())
    corpus = catalogue.create("Ships", "e", "e", 200, 20, "me")
    catalogue.begin(corpus.id, [(Document(id="d", name="a.txt", title="", text="x" * 1000), 3)])
    assert catalogue.stored_by("me") == 1000 + 3 * BYTES_OF_A_VECTOR
    assert (runs.stored_by("other"), catalogue.stored_by("other")) == (0, 0)
