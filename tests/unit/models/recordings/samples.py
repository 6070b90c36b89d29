"""Recordings for tests: a store in a folder, and one of everything that a recording holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.models.recordings.items import (
    Head,
    Item,
    KeptHit,
    KeptList,
    KeptRanking,
    KeptReply,
    KeptRun,
    Recording,
)
from core.models.recordings.open_recording import OpenRecording, digest, kept_vector, reply_key
from core.models.recordings.store import RecordingStore

LIMIT = 2**20
ME = "me"


def open_store(folder: Path) -> RecordingStore:
    return RecordingStore(f"sqlite:///{folder / 'recordings.sqlite'}")


def head(name: str = "Lesson", **values: Any) -> Head:
    told = {"model": "capable", "created": datetime(2026, 3, 1, tzinfo=UTC), "licence": "CC0\nby us"}
    return Head(name=name, **(told | values))


def reply(prompt: str = "p", number: int = 0, text: str = "It is so [1].", **values: Any) -> KeptReply:
    return KeptReply(key=reply_key(prompt, number), skill="answer", text=text, **values)


def ranking(*chunks: str) -> KeptRanking:
    hits = tuple(KeptHit(chunk=chunk, score=1 / place) for place, chunk in enumerate(chunks, 1))
    one = KeptList(query="q", retriever="dense", score_name="cosine similarity", k=4, hits=hits)
    return KeptRanking(key=digest("ranking"), lists=(one,))


def run(question: str = "Who?", **values: Any) -> KeptRun:
    how = {"question": question, "strategy": "plain", "params": {"k": 6}, "mark": "m"} | values
    return KeptRun(key=digest("run", how), **how)


def everything() -> list[Item]:
    vectors = [kept_vector("model-1", "a", [0.6, -0.8]), kept_vector("model-2", "a", [0.1, 0.2, 0.3])]
    return [
        run(),
        reply(),
        reply(text="cut", number=1, cut=True, tools=False),
        ranking("d:1", "d:2"),
        *vectors,
    ]


def recorded(
    store: RecordingStore, recording: Recording, *, keeps: bool = True, limit: int = LIMIT
) -> OpenRecording:
    return OpenRecording(store, recording, keeps, limit)
