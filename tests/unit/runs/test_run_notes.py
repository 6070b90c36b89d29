"""A prompt of which the server counted fewer tokens than it has words, and an answer as long as it may be."""

from __future__ import annotations

from core.runs.record import Call, Record, Step, record
from core.runs.run_notes import cut_answer, cut_prompts
from core.runs.summary import summary
from core.trace.events import Message, Usage
from tests import examples
from tests.cases import cases


def call(words: int, tokens: int | None, *, builtin: bool = False) -> Call:
    half = Message(role="user", content="word \n" * (words // 2))
    return Call(
        "c", "s", "answer", "model", "m", (half, half), {}, 0.0, usage=Usage(input=tokens), builtin=builtin
    )


def run_of(*calls: Call) -> Record:
    return Record(steps=[Step("s", "answer", "", None, 0, 0.0, calls=list(calls))])


def test_the_worst_call_is_named() -> None:
    said = cut_prompts(run_of(call(300, 400), call(6000, 4096), call(300, 64)))
    assert "in 2 calls of 3: it counted 64 tokens for a prompt of 300 words" in said
    assert "OLLAMA_CONTEXT_LENGTH" in said


def test_a_prompt_of_just_a_window_was_cut() -> None:
    assert "4,096 tokens, just as many as a context window has, for a prompt of 3,000 words" in cut_prompts(
        run_of(call(3000, 4096))
    )


@cases(
    "sound",
    [
        call(300, 300),
        call(300, 900),
        call(300, None),
        call(40, 4),
        call(0, 0),
        call(300, 64, builtin=True),
        call(300, 4096, builtin=True),
        call(2048, None),
    ],
)
def test_nothing_is_said_of_a_prompt_that_was_read(sound: Call) -> None:
    assert not cut_prompts(run_of(sound))


def test_it_is_among_the_notes_of_a_run() -> None:
    run = record(examples.rag_fusion())
    assert summary(run)["notes"] == []
    run.calls[-1].usage = Usage(input=1)
    run.calls[-1].messages = (Message(role="user", content="word " * 100),)
    assert len(summary(run)["notes"]) == 1


def test_an_answer_as_long_as_it_may_be_is_said_to_be_cut() -> None:
    run = record(examples.rag_fusion())
    assert not cut_answer(run)
    wrote = run.calls[-1]
    wrote.sampling = {"max_tokens": 60}
    wrote.usage = Usage(output=59)
    assert not cut_answer(run)
    wrote.usage = Usage(output=60)
    assert cut_answer(run) == "The answer reached its limit of 60 tokens, so its end may be missing."
