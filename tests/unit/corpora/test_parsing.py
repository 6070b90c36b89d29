"""Files are parsed in processes of their own: no file hangs, bloats or crashes the app, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from core.corpora.loaders import load
from core.corpora.parsing import PARSERS, Parsers
from core.errors import DocumentError
from tests.patience import Patience

pytestmark = pytest.mark.processes
ROOT = Path(__file__).parents[3]
AWKWARD = ["--loaders", "tests.unit.corpora.awkward"]


def parsers(**limits: float) -> Parsers:
    return Parsers(
        seconds=limits.get("seconds", 120),
        idle_seconds=limits.get("idle_seconds", 60),
        memory_mb=int(limits.get("memory_mb", 2048)),
        arguments=AWKWARD,
    )


@pytest.fixture
def pool() -> Iterator[Parsers]:
    pool = parsers()
    yield pool
    pool.stop()


def process_of(pool: Parsers, name: str = "a.process", data: bytes = b"x") -> int:
    return int(pool.parse(name, data, 1)[0].text)


def wait_until(condition: Callable[[], bool]) -> None:
    patience = Patience()
    while not condition():
        patience.ask("It did not come.")
        time.sleep(0.02)


def is_gone(process: int) -> bool:
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_the_same_documents_as_in_this_process(pool: Parsers) -> None:
    source = "# Sailing\n\nA reef knot, 本結び.\n\n## Wind\n\nIt blows.".encode()
    assert pool.parse("sail.md", source, 25) == load("sail.md", source, 25)
    lines = b'{"id": "a", "text": "one"}\n{"id": "b", "title": "T", "text": "two"}'
    assert pool.parse("corpus.jsonl", lines, 25) == load("corpus.jsonl", lines, 25)
    pdf = (ROOT / "tests/data/documents/four-pages.pdf").read_bytes()
    assert pool.parse("bad \udc80 name.pdf", pdf, 25) == load("bad \udc80 name.pdf", pdf, 25)
    with pytest.raises(DocumentError, match="“x.txt” is empty"):
        pool.parse("x.txt", b"", 25)


def test_a_process_is_used_again_and_two_files_at_a_time(pool: Parsers, tmp_path: Path) -> None:
    assert process_of(pool) == process_of(pool)
    here = str(tmp_path).encode()
    with ThreadPoolExecutor(6) as threads:
        used = set(threads.map(lambda number: process_of(pool, f"{number}.meet", here), range(6)))
    assert len(used) == 2
    assert os.getpid() not in used


def test_a_file_that_never_ends_is_given_up() -> None:
    hasty = parsers(seconds=0.2)
    for name in ("a.hang", "a.stall"):
        with pytest.raises(DocumentError, match=f"“{name}” takes more than 0.2 seconds"):
            hasty.parse(name, b"x", 1)
    hasty._new_child = parsers()._new_child
    assert process_of(hasty)
    hasty.stop()


def test_a_file_that_takes_too_much_memory() -> None:
    small = parsers(memory_mb=400)
    with pytest.raises(DocumentError, match="“a.bloat” takes more than 400 MB"):
        small.parse("a.bloat", b"x", 1)
    assert process_of(small)
    small.stop()


@pytest.mark.parametrize("name", ["a.crash", "a.leave"])
def test_a_crash_is_a_sentence_and_the_next_file_works(pool: Parsers, name: str) -> None:
    with pytest.raises(DocumentError, match=f"“{name}” cannot be read: the program"):
        pool.parse(name, b"x", 1)
    assert process_of(pool)


def test_a_killed_process_is_replaced(pool: Parsers, tmp_path: Path) -> None:
    first = process_of(pool)
    ((_, process),) = pool._idle
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not process.alive)  # it can be waited for only when its last thread has ended too
    assert process_of(pool) != first

    note = tmp_path / "process"

    def kill() -> None:
        wait_until(lambda: note.exists() and note.read_text() != "")
        os.kill(int(note.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(DocumentError, match="broke down"):
        pool.parse("a.hang", str(note).encode(), 1)
    killer.join()
    assert process_of(pool)


def test_a_file_that_nobody_wants_any_more(pool: Parsers, tmp_path: Path) -> None:
    cancel, note = threading.Event(), tmp_path / "process"

    def lose_interest() -> None:
        wait_until(lambda: note.exists())
        cancel.set()

    thread = threading.Thread(target=lose_interest)
    thread.start()
    with pytest.raises(DocumentError, match="given up"):
        pool.parse("a.hang", str(note).encode(), 1, cancel)
    thread.join()


def test_what_a_library_prints_does_not_disturb(pool: Parsers) -> None:
    assert pool.parse("a.chatter", b"x", 1)[0].text == "said"


def test_keys_in_the_environment_stay_here(pool: Parsers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert "OPENAI_API_KEY" not in pool.parse("a.environment", b"x", 1)[0].text


def test_idle_processes_leave() -> None:
    hasty = parsers(idle_seconds=0.2)
    process = process_of(hasty)
    wait_until(lambda: is_gone(process))
    assert process_of(hasty) != process
    hasty.stop()


def test_the_app_s_own_processes_can_be_stopped() -> None:
    assert PARSERS.parse("a.txt", b"words", 1)[0].text == "words"
    (child,) = [
        process.pid
        for process in psutil.Process().children()
        if process.status() != psutil.STATUS_ZOMBIE and "core.corpora.parser_child" in process.cmdline()
    ]
    PARSERS.stop()
    assert is_gone(child)
    assert PARSERS.parse("a.txt", b"words", 1)[0].text == "words"
    PARSERS.stop()


ONLY_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends a process with its parent.")


@pytest.mark.skipif(os.name == "nt", reason="There is no kill -9.")
@pytest.mark.parametrize("kind", ["hang", pytest.param("stall", marks=ONLY_LINUX)])
def test_no_process_outlives_a_killed_parent(kind: str, tmp_path: Path) -> None:
    note = tmp_path / "process"
    script = (
        "import threading, time\n"
        "from core.corpora.parsing import Parsers\n"
        f"pool = Parsers(seconds=600, arguments={AWKWARD!r})\n"
        # From a thread that ends, as those of a web server do.
        "first = threading.Thread(target=pool.parse, args=('a.process', b'x', 1)); first.start(); first.join()\n"
        f"pool.parse('a.{kind}', {str(note).encode()!r}, 1)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        wait_until(lambda: note.exists() and note.read_text() != "")
        child = int(note.read_text())
        assert not is_gone(child)
    finally:
        parent.kill()
        parent.wait()
    wait_until(lambda: is_gone(child))
