"""Model files in the format GGUF, run by llama.cpp in a process of its own as the built-in model is: one at a time.

A model of two billion weights or more takes much of a laptop's memory and all of its cores, so a process runs one. When
another is asked for, it waits until nobody in this process uses the former one any more, and lets that end first.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import psutil

from core.errors import ServiceError
from core.services.gguf_header import Header, read_header
from core.services.machine import cores, memory_left
from core.services.service import Running, Service, Serving, Status, process_alive
from core.services.supervisor import Supervisor
from core.wording import file_size

ROOMS = ((16384, 1024), (8192, 512), (8192, 128), (4096, 128))
"""Context in tokens, and MiB for prompts that were read before; the first that fits. The largest prompts of a strategy
have 20 passages of 300 tokens."""
SPARE_SHARE = 0.5
"""Share of the memory beside the weights that the room may take as long as it could be smaller."""
WORKING_BYTES = 550 * 10**6
"""Memory that llama.cpp is taken to need besides weights and room: with Qwen2.5 1.5B it was 546 MB."""
RESERVE_BYTES = 500 * 10**6
"""Left to the rest of the machine."""
START_SECONDS = 300.0
"""A file of several GB on a slow disk takes minutes."""
WAIT_SECONDS = 600.0
"""How long a file waits for its turn."""
LEAVE_SECONDS = 10.0
"""How long the former model may take to end."""
POLL_SECONDS = 0.1
BATCH_TOKENS = 128
"""Tokens of a prompt that are read before llama.cpp looks whether somebody still waits for the reply. On two cores 128
took 1.06 times as long as its default of 512, which are seven seconds of a model of 0.5 billion weights."""
SPINS = "1000"
"""How often a thread looks for work before it sleeps. By the library's default it does so for milliseconds, and holds a
core that the other thread waits for. On two cores, one of them busy with something else, a reply took 0.78 times as
long as by default, and on idle ones 1.05 times."""
_REASON = re.compile(r"error loading model: (.{1,200})")


class Room(NamedTuple):
    """Memory that a model is given beside its weights."""

    tokens: int
    """Context, of one reply after the other."""
    cache: int
    """MiB for prompts that were read before: most of them begin with the same rules as others."""

    def bytes(self, header: Header) -> int:
        """Bytes that it takes with the model of this header."""
        return self.tokens * header.cache_bytes_per_token + self.cache * 2**20


def _rooms(header: Header) -> list[Room]:
    """The rooms that make sense for a model, the largest first."""
    return [Room(min(tokens, header.trained_context or tokens), cache) for tokens, cache in ROOMS]


def room_for(header: Header, left: int) -> Room | None:
    """The memory that a model is given, of so many bytes that may be taken; None: it does not fit."""
    beside = left - RESERVE_BYTES - WORKING_BYTES - header.bytes
    *larger, least = _rooms(header)
    for room in larger:
        if room.bytes(header) <= SPARE_SHARE * beside:
            return room
    return least if least.bytes(header) <= beside else None


def least_bytes(header: Header) -> int:
    """Memory that it needs at least."""
    return header.bytes + WORKING_BYTES + RESERVE_BYTES + _rooms(header)[-1].bytes(header)


def too_large(header: Header, name: str, left: int) -> str:
    """A sentence on a model that does not fit into memory; empty: it does."""
    if room_for(header, left) is not None:
        return ""
    return (
        f"The file {name} needs {file_size(least_bytes(header))} of memory, and {file_size(left)} are free. "
        "Close other programs, or choose a smaller file: one with fewer bits per weight, or of a smaller model."
    )


def serve(home: Path, path: str, name: str, tokens: str, cache: str) -> Serving:
    """Load a file and serve it on a free port; nothing of it is kept in `home`."""
    os.environ.setdefault("GOMP_SPINCOUNT", SPINS)  # read when the library is loaded
    import xllamacpp

    secret = secrets.token_urlsafe(24)
    server = xllamacpp.Server(_parameters(Path(path), name, Room(int(tokens), int(cache)), secret))
    return Serving(server.listening_address, secret, server)


def _parameters(path: Path, name: str, room: Room, secret: str) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {name}
    # On a few cores most of the time goes into reading prompts. Calls of a step begin with the same rules, which one
    # reply after the other reads once; replies written at the same time would each read them.
    params.n_parallel, params.n_ctx, params.cache_ram_mib = 1, room.tokens, room.cache
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = cores()
    params.use_jinja = True
    # Thoughts of hundreds of tokens per call take minutes on processors; most templates can leave them out.
    params.enable_reasoning = 0
    params.verbosity = 1  # errors: why a file cannot be loaded is nowhere else
    params.ui = False
    params.api_keys = [secret]
    params.hostnames, params.port = ["127.0.0.1"], 0
    return params


class ModelFiles:
    """The model files that one process runs; thread-safe."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._turns, self._starts = threading.Lock(), threading.Lock()
        self._users: WeakKeyDictionary[asyncio.Task[Any], str] = WeakKeyDictionary()
        """Task -> key of the service that it uses until it ends."""
        self._current: Service | None = None
        self._former: Service | None = None
        self._waiting: set[str] = set()
        self._errors: dict[str, str] = {}

    async def use(self, path: Path, name: str) -> Running:
        """The server of a file, found or started, which knows the model by this name. It stays until the task that asks
        has ended, at least.

        Raises:
            ServiceError: The file cannot be read, is no chat model, or does not fit into memory; another one is in use
                for minutes; llama.cpp does not load it.
        """
        header = await asyncio.to_thread(read_header, path)
        service = _service(path, name, header)
        try:
            _check(path, header)
            await self._turn(service)
            running = await asyncio.to_thread(self._start, service, path, name, header)
        except ServiceError as error:
            self._errors[service.key] = str(error)
            raise
        self._errors.pop(service.key, None)
        return running

    def status(self, path: Path) -> Status:
        """How a file is doing; never waits."""
        try:
            header = read_header(path)
            _check(path, header)
        except ServiceError as error:
            return Status("failed", str(error))
        service = _service(path, path.name, header)
        if service.key in self._waiting:
            return Status("starting", f"The {service.title} is loaded once the previous model is free.")
        status = self._supervisor.status(service)
        if status.state in ("stopped", "failed") and (reason := self._errors.get(service.key)):
            return Status("failed", reason)
        return status

    def reset(self, path: Path) -> None:
        """Forget that a file failed, so that it is tried again."""
        try:
            service = _service(path, path.name, read_header(path))
        except ServiceError:
            return
        self._errors.pop(service.key, None)
        self._supervisor.reset(service)

    def running(self) -> list[Running]:
        """The servers that this process uses: one at most, but for moments."""
        with self._turns:
            services = [service for service in (self._former, self._current) if service is not None]
        return [running for service in services if (running := self._supervisor.running(service))]

    def left(self) -> int:
        """Bytes that a file may take, once the one that runs has made room."""
        used = 0
        for running in self.running():
            with suppress(psutil.Error):
                used += int(psutil.Process(running.pid).memory_info().rss)
        return memory_left() + used

    async def _turn(self, service: Service) -> None:
        """Wait until no other file is in use, and be the one that is."""
        task = asyncio.current_task()
        give_up = time.monotonic() + WAIT_SECONDS
        try:
            while True:
                with self._turns:
                    others = {
                        key
                        for user, key in self._users.items()
                        if user is not task and not user.done() and key != service.key
                    }
                    if not others:
                        if task is not None:
                            self._users[task] = service.key
                        if self._current is not None and self._current.key != service.key:
                            self._former = self._current
                        self._current = service
                        return
                    title = self._current.title if self._current else "former model"
                if time.monotonic() > give_up:
                    raise ServiceError(
                        f"The {title} is still answering, and one model file runs at a time. Wait until it has "
                        "finished, or stop it, then try again."
                    )
                self._waiting.add(service.key)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            self._waiting.discard(service.key)

    def _start(self, service: Service, path: Path, name: str, header: Header) -> Running:
        with self._starts:
            former, self._former = self._former, None
            if former is not None and former.key != service.key:
                self._let_end(former)
            if self._supervisor.status(service).state != "ready":
                left = memory_left()
                if too_much := too_large(header, path.name, left):
                    raise ServiceError(too_much)
                service = _service(path, name, header, room_for(header, left))
            return self._supervisor.ensure(service)

    def _let_end(self, former: Service) -> None:
        """Give it up and wait until its memory is free; another process may go on with it."""
        running = self._supervisor.running(former)
        self._supervisor.give_up(former)
        give_up = time.monotonic() + LEAVE_SECONDS
        process = running.process() if running else None
        while process is not None and process_alive(process) and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)


def _check(path: Path, header: Header) -> None:
    """
    Raises:
        ServiceError: It cannot chat, or there is nothing that runs it.
    """
    if header.unfit:
        raise ServiceError(f"The file {path.name} {header.unfit}")
    if importlib.util.find_spec("xllamacpp") is None:
        raise ServiceError("Model files cannot be run. Run `pip install xllamacpp`, or use an endpoint.")


def _service(path: Path, name: str, header: Header, room: Room | None = None) -> Service:
    """The service that runs a file; without room it can be asked for, but not started."""
    return Service(
        f"file-{header.fingerprint[:16]}",
        f"model {path.name}",
        "core.services.local_model",
        "/health",
        arguments=(str(path.absolute()), name, str(room.tokens), str(room.cache)) if room else (),
        start_seconds=START_SECONDS,
        why=lambda log, status: _why(path.name, log, status),
    )


def _why(name: str, log: str, status: int | None) -> str:
    """Why llama.cpp did not load a file; empty: unknown."""
    if cause := _REASON.search(log):
        reason = " ".join(cause[1].split()).rstrip(".")
        return f"llama.cpp cannot load the file {name}: {reason}. Choose another file, or another copy of this model."
    if status is not None and status < 0:  # by a signal, which is how a machine ends what takes its memory
        return (
            f"The process that loaded the file {name} was ended, perhaps for want of memory. Close other programs, "
            "or choose a smaller file."
        )
    return ""
