"""The surroundings of the tests: the same from a terminal, in the background, and on another machine."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from core.settings import Settings

OTHERS = {
    "COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "LANG", "LANGUAGE", "TZ",
    "PYTHONUTF8", "PYTHONIOENCODING", "PYTHONWARNINGS",
}  # fmt: skip
"""Variables beside the app's own settings that change what is printed or how it is read."""
PREFIXES = ("LC_", "STREAMLIT_", "OPENAI_", "LANGCHAIN_", "LANGSMITH_", "CHROMA_")


def make_our_own() -> None:
    """Leave behind what this process was started with; what it starts inherits the rest. For the main thread."""
    # A shell that starts a job in the background has it ignore Ctrl-C, and with it everything that the job starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.umask(0o022)
    os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(_browsers()))
    for name in list(os.environ):
        ours = name.lower() in Settings.model_fields or name in OTHERS
        if ours or name.startswith(PREFIXES) or name.lower().endswith("_proxy"):
            del os.environ[name]
    os.environ["LANG"] = "C.UTF-8"
    os.environ["LOCAL_MODEL_PORTS"] = "none"  # what this machine has is none of the tests' business
    if "PYTEST_XDIST_WORKER" not in os.environ:  # the workers inherit it
        home = os.environ["HOME"] = tempfile.mkdtemp(prefix="loupe-tests-")
        atexit.register(shutil.rmtree, home, ignore_errors=True)


def _browsers() -> Path:
    """Where Playwright puts the browsers that it downloads."""
    places = {"darwin": Path.home() / "Library" / "Caches", "win32": Path.home() / "AppData" / "Local"}
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return places.get(sys.platform, usual) / "ms-playwright"
