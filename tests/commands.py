"""`python -m core` for tests: inside the test's own process, without the seconds that starting takes, or in another."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from core.cli.main import main
from core.runs.workbench import get_workbench
from core.services import supervisor
from core.settings import Settings, get_settings
from tests.patience import Patience
from tests.scripted import ScriptedServer

ROOT = Path(__file__).parents[1]
WAIT_SECONDS = 120.0
"""When to give up on something that has to come, however busy the machine is."""


def core_here(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command on a home folder in this process; at its end it gives up the services that it used.

    Args:
        home: The home folder.
        words: What a user types.
        environment: Settings.
    """
    return _run(home, words, environment, nullcontext())


def core_interrupted(
    home: Path, when: Callable[[], bool], *words: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """As `core_here`, and Ctrl-C is pressed as soon as something is true."""
    return _run(home, words, environment, pressing_ctrl_c(when))


def _run(
    home: Path, words: Sequence[str], environment: Mapping[str, str], within: AbstractContextManager[None]
) -> subprocess.CompletedProcess[str]:
    output, errors = io.StringIO(), io.StringIO()
    at_exit: list[Callable[[], None]] = []
    variables = {"PATH": os.environ["PATH"], "RAG_LOUPE_HOME": str(home)}
    with (
        patch.dict(os.environ, {**variables, **environment}, clear=True),
        patch.object(supervisor, "atexit", SimpleNamespace(register=at_exit.append)),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        for cached in (get_settings, get_workbench):
            cached.cache_clear()
        try:
            with within:
                status = main(words)
        except SystemExit as wrong:
            status = int(wrong.code or 0)
        finally:
            if get_workbench.cache_info().currsize and (
                kept := vars(get_workbench().recordings).get("store")
            ):
                kept.settle()  # a process of its own ends when all is written
            for cached in (get_settings, get_workbench):
                cached.cache_clear()
            for give_up in at_exit:
                give_up()
    return subprocess.CompletedProcess(list(words), status, output.getvalue(), errors.getvalue())


def core(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one command on a home folder as a process of its own, which takes seconds: where that is the point."""
    process = begin(home, *words, **environment)
    output, errors = process.communicate(timeout=WAIT_SECONDS)
    return subprocess.CompletedProcess(list(words), process.returncode, output, errors)


def begin(home: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    """Begin a command as a process of its own, which Ctrl-C interrupts."""
    with interruptible():
        return subprocess.Popen(
            [sys.executable, "-m", "core", *words], cwd=ROOT, env=environment_of(home) | environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip


EACH = """
import json, sys
from core.cli.main import main
for line in sys.stdin:
    assert main(json.loads(line)) == 0, line
    print(flush=True)
"""


class Commands:
    """A process of its own that does one command after the other, as starting takes seconds."""

    def __init__(self, home: Path, **environment: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", EACH], cwd=ROOT, env=environment_of(home) | environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def begin(self, *words: str) -> None:
        """Begin a command that prints JSON."""
        assert self._process.stdin is not None
        print(json.dumps(words), file=self._process.stdin, flush=True)

    def result(self) -> Any:
        """The JSON that the command printed, parsed; the command must have ended well."""
        assert self._process.stdout is not None
        return json.loads("".join(iter(self._process.stdout.readline, "\n")))

    def kill(self) -> None:
        """Kill the process at once, as `kill -9` does."""
        self._process.kill()
        self._process.wait(WAIT_SECONDS)

    def close(self) -> None:
        """Let it come to its end."""
        self._process.communicate(timeout=WAIT_SECONDS)


def environment_of(home: Path) -> dict[str, str]:
    """Variables of a process that works on a home folder: no setting comes from whoever runs the tests."""
    clean = {name: value for name, value in os.environ.items() if name.lower() not in Settings.model_fields}
    return clean | {"RAG_LOUPE_HOME": str(home)}


def scripted_endpoint(server: ScriptedServer) -> dict[str, str]:
    """Settings of a command that asks the scripted endpoint."""
    return {"OPENAI_BASE_URL": server.base_url, "CHAT_MODEL": "scripted", "RETRY_BASE_SECONDS": "0.01"}


def parsed(done: subprocess.CompletedProcess[str]) -> Any:
    """Return the JSON that a command printed; it must have gone well."""
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def until(true: Callable[[], bool]) -> None:
    """Wait for something that has to come."""
    patience = Patience()
    while not true():
        patience.ask("It did not come.")
        time.sleep(0.01)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within, Ctrl-C interrupts this process and those that it starts, also where a shell had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def pressing_ctrl_c(when: Callable[[], bool]) -> Iterator[None]:
    """Within, Ctrl-C is pressed once, as soon as something is true; at the latest when nobody waits any longer."""
    ended = threading.Event()
    give_up = time.monotonic() + WAIT_SECONDS

    def press() -> None:
        while not ended.wait(0.01):
            if when() or time.monotonic() > give_up:
                signal.raise_signal(signal.SIGINT)
                return

    with interruptible():
        finger = threading.Thread(target=press)
        finger.start()
        try:
            yield
        finally:
            ended.set()
            finger.join()
