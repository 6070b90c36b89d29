"""What is written and marked in quick succession: runs that overtake one another save what was last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.state import SafeSessionState, SessionState

from core.corpora.entries import Corpus, DocumentEntry
from core.errors import StoreError
from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.making import document_mark, documents_of
from core.evaluation.set_store import MadeQuestions, SetStore
from core.ui.evaluate import making_marks
from core.ui.fixes import streamlit_patches
from core.ui.fixes.overtaken import LatestWins, session_snapshot

CORPUS = Corpus("c1", "Birds", datetime.now(UTC), "e", "e", 300, 50, 1, (), 2, 2)
DOCUMENTS = documents_of(
    [DocumentEntry(key, f"{key}.txt", key, "", True, 1, 10, datetime.now(UTC)) for key in ("wren", "owl")]
)


def test_what_is_older_is_not_saved_after_what_is_newer() -> None:
    saved: list[int] = []
    order = LatestWins()
    for at, grade in ((1, 1), (3, 0), (2, 2), (3, 2)):
        order.keep("mark", at, partial(saved.append, grade))
    order.keep("another mark", 2, lambda: saved.append(9))
    assert saved == [1, 0, 9]


def test_an_older_one_that_is_being_saved_slowly_is_not_the_last() -> None:
    order, slow, go_on = LatestWins(), Event(), Event()
    saved: list[int] = []

    def slowly() -> None:
        slow.set()
        assert go_on.wait(60)
        saved.append(1)

    threads = [
        Thread(target=order.keep, args=("mark", at, save))
        for at, save in ((1, slowly), (2, lambda: saved.append(0)))
    ]
    threads[0].start()
    assert slow.wait(60)
    threads[1].start()
    threads[1].join(0.2)
    assert saved == []
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert saved == [1, 0]


def test_a_page_waits_for_the_callback_that_it_has_overtaken() -> None:
    order, slow, go_on = LatestWins(), Event(), Event()
    assert order.wait(0)  # nothing to wait for

    def callback() -> None:
        with order.callback():
            slow.set()
            assert go_on.wait(60)
            raise StopException  # as Streamlit ends one

    def run() -> None:
        with suppress(StopException):
            callback()

    thread = Thread(target=run)
    thread.start()
    assert slow.wait(60)
    assert not order.wait(0.05)
    go_on.set()
    assert order.wait(60)
    thread.join(60)


def test_what_could_not_be_saved_is_saved_when_it_comes_again() -> None:
    saved: list[int] = []
    order = LatestWins()

    def fail() -> None:
        raise StoreError("The disk is full.")

    with pytest.raises(StoreError):
        order.keep("mark", 1, fail)
    order.keep("mark", 1, lambda: saved.append(1))
    assert saved == [1]


def overtaken(reads: Callable[[], object]) -> bool:
    """Whether it ends a callback whose run has been overtaken."""
    try:
        reads()
    except StopException:
        return True
    return False


def test_reading_all_values_never_ends_a_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise StopException

    state = SessionState()
    state["text"] = "Who?"
    monkeypatch.setattr(
        "streamlit.runtime.state.session_state_proxy.get_session_state", lambda: SafeSessionState(state, stop)
    )
    assert overtaken(lambda: st.session_state["text"])  # else `session_snapshot` would not be needed
    assert not overtaken(session_snapshot)
    assert session_snapshot()["text"] == "Who?"


class Values(dict[str, Any]):
    """Values of a session, to which another run adds one while they are read for the first time."""

    def __init__(self, state: SessionState) -> None:
        super().__init__(text="Who?")
        self.another = Thread(target=SafeSessionState(state, lambda: None).__setitem__, args=("new", 1))

    def __iter__(self) -> Iterator[str]:
        for key in super().__iter__():
            if self.another.ident is None:
                self.another.start()
                self.another.join(60)
            yield key


@pytest.fixture
def values() -> SafeSessionState:
    """The values of a session as a run reads them."""
    state = SessionState()
    state._new_session_state = Values(state)
    return SafeSessionState(state, lambda: None)


def test_streamlit_itself_fails_where_another_run_adds_a_value(
    values: SafeSessionState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SafeSessionState, "filtered_state", streamlit_patches._read)
    with pytest.raises(RuntimeError, match="changed size"):
        _ = values.filtered_state


def test_all_values_are_read_though_another_run_adds_one(values: SafeSessionState) -> None:
    streamlit_patches.reread_values()
    assert values.filtered_state == {"text": "Who?", "new": 1}


def test_a_message_with_an_older_mark_does_not_bring_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SetStore(f"sqlite:///{tmp_path / 'test.sqlite'}")
    questions, data_set, order = MadeQuestions(store), store.make("Birds", CORPUS, "me"), LatestWins()
    questions.add(data_set)
    sets = cast(DataSets, SimpleNamespace(questions=questions))

    def take_up(sent: Any) -> Mapping[str, int]:
        """The marks after the server took up a message of the browser."""
        monkeypatch.setattr(making_marks, "session_snapshot", lambda: {"marking": {"grades": sent}})
        making_marks._save(order, sets, data_set, questions.list(data_set)[0], DOCUMENTS, "marking")
        return {mark.document: mark.grade for mark in questions.list(data_set)[0].marks}

    wren = {"grade": 2, "at": 1}
    assert take_up({"wren": wren}) == {"wren": 2}
    assert take_up({"wren": wren, "owl": {"grade": 0, "at": 3}}) == {"wren": 2}
    assert take_up({"wren": wren, "owl": {"grade": 1, "at": 2}}) == {"wren": 2}
    # The same grade again counts: the mark may have been taken away in another window meanwhile.
    questions.mark(data_set, questions.list(data_set)[0].id, document_mark(DOCUMENTS.ready["wren"], 0))
    assert take_up({"wren": wren | {"at": 4}, "owl": {"grade": 2, "at": 5}}) == {"wren": 2, "owl": 2}
    # What no browser of ours sends.
    hostile: list[Any] = [1, None, {"grade": True, "at": 9}, {"grade": 7, "at": 9}, {"grade": 1, "at": "9"}]
    for sent in [*({"wren": one} for one in hostile), {"eagle": {"grade": 1, "at": 9}}, [wren], None]:
        assert take_up(sent) == {"wren": 2, "owl": 2}
    store.close()
