"""`python -m core` inside the test's own process: what it prints, without the seconds that starting takes."""

from __future__ import annotations

import io
import os
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from core.cli.main import main
from core.runs.workbench import get_workbench
from core.settings import get_settings


def core_here(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one command on a home folder; see `tests.servers.test_command_line.core` for a real process."""
    output, errors = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, {"PATH": os.environ["PATH"], "RAG_LOUPE_HOME": str(home)}, clear=True),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        for cached in (get_settings, get_workbench):
            cached.cache_clear()
        try:
            status = main(words)
        except SystemExit as wrong:
            status = int(wrong.code or 0)
        finally:
            for cached in (get_settings, get_workbench):
                cached.cache_clear()
    return subprocess.CompletedProcess(words, status, output.getvalue(), errors.getvalue())
