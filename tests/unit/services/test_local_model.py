"""How much memory a model file is given, whose turn it is, and why one does not run."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.errors import ServiceError
from core.services import local_model
from core.services.gguf_header import Header, Value, read_header
from core.services.local_model import (
    RESERVE_BYTES,
    WORKING_BYTES,
    ModelFiles,
    Room,
    least_bytes,
    room_for,
    too_large,
)
from core.services.machine import memory_left
from core.services.service import Service
from core.services.supervisor import Supervisor
from tests.cases import cases
from tests.gguf_files import write_gguf
from tests.unit.services.processes import alive, wait_until

pytestmark = pytest.mark.processes

GB = 10**9


def a_model(size: int, context: int = 32_768) -> Header:
    """Three billion weights with four bits each have 28 layers of 8 heads of 128 numbers."""
    fields: dict[str, Value] = {
        "general.architecture": "llama",
        "llama.block_count": 28,
        "llama.embedding_length": 3072,
        "llama.attention.head_count": 24,
        "llama.attention.head_count_kv": 8,
        "llama.context_length": context,
    }
    return Header(fields, 1, size, size, "0" * 64)


@cases(
    ("left", "room"),
    [
        (16 * GB, Room(16_384, 1024)),
        (8 * GB, Room(8192, 512)),
        (5.5 * GB, Room(8192, 128)),
        (4 * GB, Room(4096, 128)),
        (3.5 * GB, None),
    ],
)
def test_the_context_is_as_large_as_memory_allows(left: float, room: Room | None) -> None:
    header = a_model(2 * GB)
    assert room_for(header, int(left)) == room
    assert bool(too_large(header, "a.gguf", int(left))) == (room is None)
    if room:
        assert header.bytes + WORKING_BYTES + room.bytes(header) + RESERVE_BYTES <= left


def test_a_context_is_no_longer_than_what_the_model_was_trained_on() -> None:
    assert room_for(a_model(GB, context=2048), 16 * GB) == Room(2048, 1024)


def test_too_little_memory_is_a_sentence() -> None:
    header = a_model(2 * GB)
    said = too_large(header, "a.gguf", 2 * GB)
    assert said.startswith("The file a.gguf needs 3.7 GB of memory, and 2.0 GB are free.")
    assert too_large(header, "a.gguf", least_bytes(header)) == ""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services that are quick in the place of llama.cpp; what is known of the files is real."""
    real = local_model._service

    def tiny(path: Path, name: str, header: Header, room: Room | None = None) -> Service:
        return replace(
            real(path, name, header, room), module="tests.unit.services.tiny_service", arguments=()
        )

    monkeypatch.setattr(local_model, "_service", tiny)


@pytest.mark.usefixtures("quick")
async def test_one_file_runs_at_a_time_and_the_next_waits_until_nobody_uses_it(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    one, two = (write_gguf(tmp_path / f"{number}.gguf", tensors=number) for number in (1, 2))
    files, go_on = ModelFiles(supervisor), asyncio.Event()

    async def run() -> int:
        running = await files.use(one, "one")
        await go_on.wait()
        return running.pid

    async def start(path: Path) -> int:
        return (await files.use(path, path.name)).pid

    first = asyncio.create_task(run())
    assert await asyncio.create_task(start(one)) == await asyncio.create_task(start(one))
    second = asyncio.create_task(start(two))
    while files.status(two).state != "starting":
        await asyncio.sleep(0.01)
    assert "once the previous model is free" in files.status(two).message
    assert files.status(one).state == "ready"
    assert files.left() > memory_left() / 2
    go_on.set()
    former, pid = await first, await second
    assert alive(pid)
    assert wait_until(lambda: not alive(former), 10)
    assert (files.status(one).state, files.status(two).state) == ("stopped", "ready")
    assert [running.pid for running in files.running()] == [pid]


@pytest.mark.usefixtures("quick")
async def test_who_waits_too_long_is_told_why(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (write_gguf(tmp_path / f"{number}.gguf", tensors=number) for number in (1, 2))
    files = ModelFiles(supervisor)
    monkeypatch.setattr(local_model, "WAIT_SECONDS", 0.0)
    await files.use(one, "one")  # by this test, which goes on

    async def start() -> None:
        await files.use(two, "two")

    with pytest.raises(ServiceError, match=r"The model 1\.gguf is still answering"):
        await asyncio.create_task(start())
    assert files.status(two).state == "failed"
    assert files.status(one).state == "ready"


def ended(pid: int) -> bool:
    return not alive(pid)


@pytest.mark.usefixtures("quick")
async def test_one_that_died_is_started_again(supervisor: Supervisor, tmp_path: Path) -> None:
    files, path = ModelFiles(supervisor), write_gguf(tmp_path / "1.gguf")
    for _ in range(3):
        running = await files.use(path, "one")
        os.kill(running.pid, signal.SIGKILL)
        assert wait_until(partial(ended, running.pid), 10)
        files.reset(path)


@pytest.mark.usefixtures("quick")
async def test_a_file_that_does_not_fit_is_not_started(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, path = ModelFiles(supervisor), write_gguf(tmp_path / "1.gguf")
    monkeypatch.setattr(local_model, "memory_left", lambda: 10**8)
    with pytest.raises(ServiceError, match=r"The file 1\.gguf needs .* and 100 MB are free"):
        await files.use(path, "one")
    assert files.running() == []
    assert "100 MB are free" in files.status(path).message
    files.reset(path)
    assert files.status(path).state == "stopped"


async def test_a_file_that_llama_cpp_cannot_load_is_a_sentence(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    path = write_gguf(tmp_path / "new.gguf", "never-heard-of")
    with pytest.raises(
        ServiceError, match="cannot load the file new.gguf: unknown model architecture: 'never-heard-of'"
    ):
        await ModelFiles(supervisor).use(path, "new")
    assert supervisor.status(local_model._service(path, "new", read_header(path))).state == "failed"


def test_a_process_that_was_ended_is_a_sentence() -> None:
    assert "perhaps for want of memory" in local_model._why("a.gguf", "", -9)
    assert local_model._why("a.gguf", "something else", 1) == ""


async def test_what_cannot_chat_is_not_started(supervisor: Supervisor, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "vectors.gguf", "bert")
    with pytest.raises(ServiceError, match=r"^The file vectors.gguf is an embedding model"):
        await (files := ModelFiles(supervisor)).use(path, "vectors")
    assert files.status(path).state == "failed"
