"""The log of a home: what is in it, what never is, and who may read it."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from core import logs
from core.logs import HIDDEN, LOG, HomeLog, logged, redact
from core.models.endpoint import ChatEndpoint
from core.settings import get_settings

KEY = "server-key-of-the-tests"
log = logging.getLogger("core.tests")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that is not there yet, with a key and the address of a database among the settings."""
    monkeypatch.setenv("RAG_LOUPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DATABASE_URL", "postgresql://loupe:p4ss w0rd@db.example/loupe")
    get_settings.cache_clear()
    yield tmp_path / "home"
    get_settings.cache_clear()


def fail(words: str) -> None:
    try:
        raise ValueError(words)
    except ValueError:
        log.exception("This failed")


def test_an_error_is_kept_with_its_traceback_for_its_user_alone(home: Path) -> None:
    with logged(shown=False) as kept:
        assert kept.file is None
        assert not home.exists()  # nothing went wrong, so nothing is made
        fail("what was wrong")
        assert kept.file == home / LOG
    text = (home / LOG).read_text(encoding="utf-8")
    assert "ERROR core.tests: This failed" in text
    assert "in fail" in text
    assert "ValueError: what was wrong" in text
    assert (home / LOG).stat().st_mode & 0o777 == 0o600
    assert (home / LOG.parent).stat().st_mode & 0o777 == 0o700
    fail("after the end")
    assert (home / LOG).read_text(encoding="utf-8") == text


def test_secrets_are_hidden(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ChatEndpoint("http://127.0.0.1/v1", SecretStr("typed-in-the-browser"), "m")
    with logged(shown=True):
        fail(f"{KEY}, {typed.api_key.get_secret_value()}, p4ss w0rd, p4ss%20w0rd, \x1b[31m")
        fail("Bearer abc.def, http://me:mine@host/path, sk-proj-0123456789")
    for text in ((home / LOG).read_text(encoding="utf-8"), capsys.readouterr().err):
        for secret in (KEY, "typed-in", "p4ss", "abc.def", "me:mine", "0123456789", "\x1b"):
            assert secret not in text
        assert "http://•••@host/path" in text
        assert text.count("\nValueError: ") == 2


def test_a_text_that_cannot_be_written_is_kept_as_far_as_it_can_be(home: Path) -> None:
    """Straight to the log: half a character is more than the test's own report could carry."""
    broken = logging.makeLogRecord(
        {"levelno": logging.ERROR, "levelname": "ERROR", "msg": "half \ud800 a character"}
    )
    HomeLog().handle(broken)
    assert "half � a character" in (home / LOG).read_text(encoding="utf-8")


def test_a_secret_is_forgotten_with_whoever_held_it() -> None:
    typed = ChatEndpoint("http://127.0.0.1/v1", SecretStr("held-for-a-while"), "m")
    again = ChatEndpoint("http://127.0.0.1/v1", SecretStr("held-for-a-while"), "m")
    assert redact("held-for-a-while") == HIDDEN
    del typed
    gc.collect()
    assert redact("held-for-a-while") == HIDDEN
    del again
    gc.collect()
    assert redact("held-for-a-while") == "held-for-a-while"


@pytest.mark.parametrize("blocked", ["a file in its place", "a folder in place of the log", "no setting"])
def test_a_home_that_cannot_be_written_makes_no_second_error(
    home: Path, blocked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if blocked == "no setting":
        monkeypatch.setenv("MAX_CALLS", "many")
    elif blocked == "a file in its place":
        home.write_text("no folder", encoding="utf-8")
    else:
        (home / LOG).mkdir(parents=True)
    with logged(shown=False) as kept:
        fail("what was wrong")
        assert kept.file is None
    assert capsys.readouterr().err == ""


def test_the_log_stays_small(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MOST_BYTES", 2000)
    with logged(shown=False):
        for number in range(40):
            fail(f"number {number}.")
    files = sorted(home.glob("logs/*"))
    assert [file.name for file in files] == ["rag-loupe.log", "rag-loupe.log.1"]
    assert all(file.stat().st_size < 3000 for file in files)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    assert "number 39." in files[0].read_text(encoding="utf-8")


def test_what_a_thread_did_not_catch_is_kept(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with logged(shown=False):
        thread = threading.Thread(target=int, args=("no number",), name="one-of-ours")
        thread.start()
        thread.join()
    text = (home / LOG).read_text(encoding="utf-8")
    assert "one-of-ours" in text
    assert "ValueError" in text
    assert capsys.readouterr().err == ""
