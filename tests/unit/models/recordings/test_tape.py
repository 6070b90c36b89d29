"""Which reply comes next in a run, and the reason why one is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.models.recordings.items import KeptRun
from core.models.recordings.keys import prompt_digest
from core.models.recordings.playing import Tape
from core.models.recordings.store import RecordingStore
from core.trace.events import Message, ModelFinished, StepFinished
from tests.unit.models.recordings.samples import ME, head, open_store, recorded, reply, run

TITLES = {"answer": "Answer", "reword": "Reword"}


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return open_store(tmp_path)


def tape_of(store: RecordingStore, asked: KeptRun, *, forked: bool = False) -> Tape:
    one = store.named("Lesson", [ME]) or store.begin(head(), ME, items=[run(), reply("p")])
    return Tape(recorded(store, one, keeps=False), "once", asked, False, TITLES, forked)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"question": "When?"}, "this question was not recorded"),
        ({"strategy": "hyde"}, "with other strategies only"),
        ({"mark": "other"}, "other documents, or they were cut otherwise"),
        ({"retriever": "keyword"}, "another retriever, filter or graph"),
        ({"where": ("kind=minutes",)}, "another retriever, filter or graph"),
        ({"graph": "Films"}, "another retriever, filter or graph"),
        ({"params": {"k": 7}}, r"other settings \(k\)"),
        ({"methods": {"answer": "copied"}}, "other methods of its steps"),
        ({"edited": ("answer.model",)}, "you edited the prompt of “Answer”"),
        ({"strategy": "graph", "question": ""}, "no graph was built when it was recorded"),
        ({}, "its prompt is another one"),
    ],
)
def test_why_a_reply_is_missing(store: RecordingStore, changes: dict[str, Any], why: str) -> None:
    assert re.search(why, tape_of(store, run(**changes)).missing("answer", "model", "new"))


def test_more_reasons(store: RecordingStore) -> None:
    assert "edited an artefact" in tape_of(store, run(), forked=True).missing("answer", "model", "new")
    assert "asked less often" in tape_of(store, run()).missing("answer", "model", "p")
    tape = tape_of(store, run())
    assert "another one" in tape.missing("reword", "model", "new")
    assert "another one" in tape.missing("reword", "model", "of a parallel branch")
    assert "an earlier step" in tape.missing("answer", "model", "new")
    gone = tape_of(store, run())
    store.delete(gone.recorded.recording.id)
    assert "The recording “Lesson” has no reply for the step “Answer”: the recording has been deleted." in (
        gone.missing("answer", "model", "new")
    )


def test_a_prompt_is_counted_and_a_run_that_goes_on_counts_on(store: RecordingStore) -> None:
    tape = tape_of(store, run())
    assert [tape.number("p"), tape.number("q"), tape.number("p")] == [0, 0, 1]
    again = tape_of(store, run())
    asked = {"call": "c", "output": "o", "seconds": 0, "seq": 0, "at": 0}
    again.goes_on(
        [
            ModelFinished(step="a", prompt="p", **asked),
            StepFinished(step="a", seq=1, at=0),
            ModelFinished(step="cut off", prompt="p", **asked),
            ModelFinished(step="a", **asked),  # of the built-in model
        ]
    )
    assert again.number("p") == 1


def test_keys_say_nothing_of_the_model_and_all_of_the_prompt() -> None:
    said = [Message(role="user", content="Who?")]
    keys = {
        prompt_digest(said, None, []),
        prompt_digest(said, "first word", []),
        prompt_digest(said, Message, []),
        prompt_digest(said, None, [{"name": "search"}]),
        prompt_digest([Message(role="system", content="Who?")], None, []),
        prompt_digest([*said, *said], None, []),
    }
    assert len(keys) == 6
    assert prompt_digest([Message(role="user", content="\ud800 🙂")], None, [])
