"""Makes sure that the tests have a browser: an installed one, else Playwright's own, else Debian's package.

Debian has Chromium also without a window: the same engine, which starts no processes for a window that nobody sees.

`python -m tests.browser.install` is part of `make test`; it says which browser the tests use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

WINDOWLESS = "chromium-headless-shell"
NAMES = (
    WINDOWLESS,
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)


def installed() -> str | None:
    """Path of a Chrome or Chromium on this machine, or of the one Playwright has downloaded."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    for place in PLACES:
        if Path(place).exists():
            return place
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Try Playwright's download, then Debian's package."""
    download = [sys.executable, "-m", "playwright", "install", "chromium"]
    if subprocess.run(download, timeout=600, check=False).returncode == 0 and installed():
        return
    if shutil.which("apt-get"):
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        subprocess.run([*as_root, "apt-get", "update", "-qq"], timeout=300, check=False)
        for package in (WINDOWLESS, "chromium"):  # older releases have only the second
            command = [*as_root, "apt-get", "install", "-y", "-qq", package]
            if subprocess.run(command, timeout=600, check=False).returncode == 0:
                return


def main() -> int:
    """Find or install a browser; 1 with a sentence if there is none."""
    if not (browser := installed()):
        install()
        browser = installed()
    if browser is None:
        print(
            "The browser tests need Chrome or Chromium, and none could be installed. Install one and try again."
        )
        return 1
    print(f"Browser for the tests: {browser}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
