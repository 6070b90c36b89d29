"""Packages that add to the app, installed for tests into a folder of their own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

EXAMPLE = Path(__file__).parent / "examples" / "plugin"
"""A package with one of everything that packages can add."""


def install(project: Path, folder: Path) -> Path:
    """Install the package of a project, which has nothing to build, into a folder; without a network."""
    about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = about["name"].replace("-", "_"), about["version"]
    groups = "\n".join(
        f"[{group}]\n" + "\n".join(f"{key} = {place}" for key, place in points.items())
        for group, points in about["entry-points"].items()
    )
    wheel, info = folder.parent / f"{name}-{version}-py3-none-any.whl", f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(project.rglob("*.py")):
            archive.write(path, str(path.relative_to(project)))
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {version}\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/entry_points.txt", groups)
        archive.writestr(f"{info}/RECORD", "")
    words = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(folder), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True)
    return folder
