"""The chat client by way of a recording: what is kept is played exactly, and nobody is asked again."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from core.errors import CallLimitReached, NotKept, UnusableReply
from core.models.calling import CallBudget
from core.models.capabilities import Sampling
from core.models.chat import Chat
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.recordings.files import to_lines
from core.models.recordings.items import KeptReply, KeptRun, Pace, Recording
from core.models.recordings.open_recording import prompt_digest, reply_key
from core.models.recordings.playing import Tape
from core.models.recordings.store import RecordingStore
from core.settings import Settings
from core.trace.events import (
    BaseEvent,
    ListTracer,
    Message,
    ModelFailed,
    ModelFinished,
    ModelStarted,
    Retried,
    StepFinished,
    Token,
)
from tests.scripted import Rule, ScriptedServer
from tests.unit.models.recordings.samples import LIMIT, ME, head, open_store, recorded, reply, run

ASK = (Message(role="user", content="Question: What is it?"),)
SEARCH = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}


class Colours(BaseModel):
    colours: list[str] = Field(min_length=1)


class Calls(BaseModel):
    calls: list[dict[str, Any]]


class Studio:
    """A recording, and runs that keep in it or play from it."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.store, self.server = open_store(folder), server
        self.recording: Recording = self.store.begin(head(model="scripted"), ME)
        self.settings = Settings(
            _env_file=None, rag_loupe_home=folder, retry_base_seconds=0.01, model_attempts=2
        )

    def chat(
        self, *, keeps: bool, limit: int = LIMIT, pace: Pace = "once", calls: int = 40
    ) -> tuple[Chat, ListTracer]:
        held = recorded(self.store, self.recording, keeps=keeps, limit=limit)
        tape = Tape(held, pace, run(), keeps, str.title)
        endpoint = self.server.endpoint() if keeps else ChatEndpoint("", NO_KEY, "scripted")
        tracer = ListTracer()
        return Chat(endpoint, tracer, self.settings, CallBudget(calls), "a-users-name", tape), tracer

    @property
    def asked(self) -> int:
        return len(self.server.requests)


@pytest.fixture
def studio(scripted: ScriptedServer, tmp_path: Path) -> Studio:
    return Studio(tmp_path, scripted)


def of(tracer: ListTracer, kind: type[BaseEvent]) -> list[Any]:
    return [event for event in tracer.events if isinstance(event, kind)]


def story(tracer: ListTracer) -> list[Any]:
    """What was asked and replied; not what the endpoint refused or broke off, which was no reply."""
    lost = {event.call for event in of(tracer, ModelFailed)}
    told: list[Any] = []
    for event in tracer.events:
        match event:
            case ModelStarted() if event.call not in lost:
                told.append((event.skill, event.method))
            case ModelFinished():
                told.append((event.output, event.usage))
            case Retried() if event.call not in lost:
                told.append(event.reason)
    return told


async def text(chat: Chat) -> str:
    return await chat.text(ASK, skill="answer", method="model", show=True)


async def structured(chat: Chat) -> Any:
    try:
        return await chat.structured(ASK, Colours, skill="reword", method="model")
    except UnusableReply as error:
        return str(error)


async def tools(chat: Chat) -> Any:
    return await chat.call_tools(ASK, [SEARCH], Calls, skill="choose_tool", method="model")


@pytest.mark.parametrize(
    ("rules", "use"),
    [
        ([Rule(reply="It is a fish, [1].")], text),
        ([Rule(reply="<think>A fish?\nYes.</think>\nA fish.")], text),
        ([Rule(reply="It is a fish, [1].", fault="truncated")], text),
        ([Rule(reply="It is.", usage=False)], text),
        ([Rule(reply='{"colours": ["red"]}')], structured),
        ([Rule(reply='{"colours": []}', times=1), Rule(reply='{"colours": ["red"]}')], structured),
        ([Rule(reply='{"colours": ["red"]}', fault="truncated", times=1), Rule(reply="{}")], structured),
        ([Rule(calls=[("search", {"query": "fish"}), ("search", "{broken")])], tools),
        ([Rule(reply="I need no tool.")], tools),
        ([Rule(fault="no_tools", times=1), Rule(reply='{"calls": []}')], tools),
        ([Rule(fault="no_tools", times=1), Rule(reply="Fish!", times=1), Rule(reply='{"calls": []}')], tools),
    ],
)
async def test_whatever_was_kept_is_played_exactly(studio: Studio, rules: list[Rule], use: Any) -> None:
    studio.server.script(*rules)
    chat, made = studio.chat(keeps=True)
    said = await use(chat)
    asked = studio.asked
    assert {event.kept for event in of(made, ModelFinished)} == {"Lesson"}
    for keeps in (False, True):
        chat, again = studio.chat(keeps=keeps)
        assert await use(chat) == said
        assert {event.recorded for event in of(again, ModelFinished)} == {"Lesson"}
        assert story(again) == story(made)
    assert studio.asked == asked


async def test_the_same_prompt_again_is_another_reply(studio: Studio) -> None:
    studio.server.script(*(Rule(reply=f"reply {number}", times=1) for number in range(3)))
    chat, _ = studio.chat(keeps=True)
    said = sorted(await asyncio.gather(*(text(chat) for _ in range(3))))
    chat, _ = studio.chat(keeps=False)
    assert sorted(await asyncio.gather(*(text(chat) for _ in range(3)))) == said == sorted(set(said))
    with pytest.raises(NotKept, match="fewer replies to this prompt"):
        await text(chat)


async def test_two_runs_that_ask_the_same_at_once_pay_once(studio: Studio) -> None:
    studio.server.script(Rule(reply="first", times=1), Rule(reply="second"))
    runs = [studio.chat(keeps=True) for _ in range(4)]
    assert set(await asyncio.gather(*(text(chat) for chat, _ in runs))) == {"first"}
    assert studio.asked == 1


async def test_a_process_that_was_quicker_counts(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one's reply comes while the endpoint is asked."""
    studio.server.script(Rule(reply="no"))
    chat, tracer = studio.chat(keeps=True)
    keep = RecordingStore.keep

    def after_another(
        self: RecordingStore, recording: str, items: list[KeptReply], limit: int, *, soon: bool
    ) -> list[KeptReply]:
        if not soon:
            assert keep(self, recording, [items[0].model_copy(update={"text": "yes"})], limit)
        return keep(self, recording, items, limit, soon=soon)

    monkeypatch.setattr(RecordingStore, "keep", after_another)
    assert await text(chat) == "yes"
    assert [event.output for event in of(tracer, ModelFinished)] == ["yes"]


async def test_a_full_or_deleted_recording_ends_no_run(studio: Studio) -> None:
    studio.server.script(Rule(reply="A fish."))
    chat, tracer = studio.chat(keeps=True, limit=10)
    assert await text(chat) == "A fish."
    studio.store.delete(studio.recording.id)
    assert await text(chat) == "A fish."
    assert [(event.kept, event.recorded) for event in of(tracer, ModelFinished)] == [("", "")] * 2
    chat, _ = studio.chat(keeps=False)
    with pytest.raises(NotKept, match="the recording has been deleted"):
        await text(chat)


async def test_a_played_reply_counts_as_a_call(studio: Studio) -> None:
    chat, _ = studio.chat(keeps=True)
    await text(chat)
    chat, tracer = studio.chat(keeps=False, calls=1)
    await text(chat)
    assert chat.budget.used == 1
    chat, tracer = studio.chat(keeps=False, calls=0)
    with pytest.raises(CallLimitReached, match="Limit reached"):
        await text(chat)
    assert tracer.events == []


async def test_a_played_reply_can_be_stopped_in_the_middle(studio: Studio) -> None:
    long = reply(text="word " * 2000, seconds=600.0)
    chat, tracer = studio.chat(keeps=False, pace="recorded")
    await asyncio.to_thread(_put_under_the_prompt, studio, long)
    playing = asyncio.create_task(text(chat))
    while not of(tracer, Token):
        await asyncio.sleep(0.01)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    (failed,) = of(tracer, ModelFailed)
    assert failed.error == "Stopped."
    assert long.text.startswith(failed.output)
    assert not of(tracer, ModelFinished)


def _put_under_the_prompt(studio: Studio, kept: KeptReply) -> None:
    key = reply_key(prompt_digest(ASK, None, ()), 0)
    assert studio.store.keep(studio.recording.id, [kept.model_copy(update={"key": key})], LIMIT)


FORMER_KEY = "71234bc41dfc4b830b4b00fdd4a9d9a0"
"""Of the first reply to `ASK` for the skill `select`, as version 1 of the keys made it from the class of that time."""


async def test_a_reply_under_a_former_key_is_found_and_keyed_anew(studio: Studio) -> None:
    kept = reply(text='{"colours": ["red"]}').model_copy(update={"key": FORMER_KEY})
    studio.store.keep(studio.recording.id, [kept], LIMIT)
    for _ in range(2):
        chat, _ = studio.chat(keeps=False)
        found = await chat.structured(ASK, Colours, skill="select", method="model", sampling=Sampling())
        assert found.colours == ["red"]
    (now,) = (one for one in studio.store.everything(studio.recording.id) if isinstance(one, KeptReply))
    assert now.key == reply_key(prompt_digest(ASK, Colours, ()), 0)
    assert now.text == kept.text


async def test_no_key_address_or_user_is_kept(studio: Studio) -> None:
    for use in (text, structured, tools):
        chat, _ = studio.chat(keeps=True)
        await use(chat)
    told = "".join(to_lines(studio.store, studio.recording))
    assert "scripted" in told
    for secret in ("secret-key-for-tests", studio.server.base_url, "a-users-name"):
        assert secret not in told


TITLES = {"answer": "Answer", "reword": "Reword"}


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return open_store(tmp_path)


def tape_of(store: RecordingStore, asked: KeptRun, *, forked: bool = False) -> Tape:
    one = store.named("Lesson", [ME]) or store.begin(head(), ME, items=[run(), reply("p")])
    return Tape(recorded(store, one, keeps=False), "once", asked, False, TITLES.__getitem__, forked)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"question": "When?"}, "this question was not recorded"),
        ({"strategy": "hyde"}, "with other strategies only"),
        ({"mark": "other"}, "other documents, or they were cut otherwise"),
        ({"retriever": "keyword"}, "another retriever, filter or graph"),
        ({"where": ("kind=minutes",)}, "another retriever, filter or graph"),
        ({"graph": "Films"}, "another retriever, filter or graph"),
        ({"params": {"k": 7}}, "recorded with k = 6"),
        ({"methods": {"answer": "copied"}}, "other methods of its steps"),
        ({"edited": ("answer.model",)}, "it was recorded with other prompts"),
        ({"strategy": "graph", "question": ""}, "no graph was built when it was recorded"),
        ({}, "its prompt differs"),
    ],
)
def test_why_a_reply_is_missing(store: RecordingStore, changes: dict[str, Any], why: str) -> None:
    assert re.search(why, tape_of(store, run(**changes)).missing("answer", "new"))


def test_more_reasons(store: RecordingStore) -> None:
    assert "edited an artefact" in tape_of(store, run(), forked=True).missing("answer", "new")
    assert "fewer replies" in tape_of(store, run()).missing("answer", "p")
    tape = tape_of(store, run())
    assert "differs" in tape.missing("reword", "new")
    assert "differs" in tape.missing("reword", "of a parallel branch")
    assert "an earlier step" in tape.missing("answer", "new")
    gone = tape_of(store, run())
    store.delete(gone.recorded.recording.id)
    assert "The recording “Lesson” has no reply for the step “Answer”: the recording has been deleted." in (
        gone.missing("answer", "new")
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
        prompt_digest(said, Message, []),
        prompt_digest(said, None, [{"name": "search"}]),
        prompt_digest([Message(role="system", content="Who?")], None, []),
        prompt_digest([*said, *said], None, []),
    }
    assert len(keys) == 5
    assert prompt_digest([Message(role="user", content="\ud800 🙂")], None, [])
