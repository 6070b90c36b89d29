"""What the command line says of errors that nobody expected: one sentence, the log, and with `--debug` all of it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from core.cli import strategies
from core.errors import InputError
from core.logs import LOG
from tests.commands import core_here

KEY = "server-key-of-the-tests"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command with a fault, whose text holds the key."""

    def run(_: argparse.Namespace) -> int:
        raise ZeroDivisionError(f"asked with {os.environ['OPENAI_API_KEY']}")

    monkeypatch.setattr(strategies, "run", run)


@pytest.mark.usefixtures("broken")
def test_an_unexpected_error_is_one_line_that_names_the_log(tmp_path: Path) -> None:
    done = core_here(tmp_path, "strategies", OPENAI_API_KEY=KEY)
    assert (done.returncode, done.stdout) == (1, "")
    sentence = "python -m core: something unexpected went wrong inside the app (ZeroDivisionError)."
    assert done.stderr == f"{sentence} The log says more: {tmp_path / LOG}\n"
    text = (tmp_path / LOG).read_text(encoding="utf-8")
    assert "ZeroDivisionError: asked with •••" in text
    assert "in run" in text
    assert KEY not in text
    assert (tmp_path / LOG).stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("words", [("--debug", "strategies"), ("strategies", "--debug", "--json")])
def test_debug_prints_the_traceback(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = core_here(tmp_path, *words, OPENAI_API_KEY=KEY)
    assert (done.returncode, done.stdout) == (1, "")
    assert "ZeroDivisionError: asked with •••" in done.stderr
    assert "in run" in done.stderr
    assert KEY not in done.stderr
    assert done.stderr.splitlines()[-1].endswith(f"The log says more: {tmp_path / LOG}")


@pytest.mark.usefixtures("broken")
def test_a_home_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder", encoding="utf-8")
    done = core_here(home, "strategies", OPENAI_API_KEY=KEY)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "could not be written; --debug shows more." in done.stderr
    assert (
        "ZeroDivisionError: asked with •••"
        in core_here(home, "--debug", "strategies", OPENAI_API_KEY=KEY).stderr
    )


def test_debug_shows_what_lies_behind_an_expected_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(_: argparse.Namespace) -> int:
        raise InputError("This cannot be.") from KeyError("the reason")

    monkeypatch.setattr(strategies, "run", run)
    assert core_here(tmp_path, "strategies").stderr == "python -m core: This cannot be.\n"
    shown = core_here(tmp_path, "strategies", "--debug").stderr
    assert "KeyError: 'the reason'" in shown
    assert shown.endswith("python -m core: This cannot be.\n")
    assert not (tmp_path / LOG).exists()  # nothing unexpected happened


def test_help_knows_of_it(tmp_path: Path) -> None:
    for words in (("--help",), ("ask", "--help"), ("runs", "show", "--help")):
        assert "--debug" in core_here(tmp_path, *words).stdout
