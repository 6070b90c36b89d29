"""Packages that add to the app, installed for tests into a folder of their own."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from core import plugins

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


@contextmanager
def installed(folder: Path, name: str, code: str, points: Mapping[str, Mapping[str, str]]) -> Iterator[None]:
    """A package in a folder, for this process and for those that it starts meanwhile.

    Args:
        folder: An empty one.
        name: Of the package and of its module.
        code: Of the module.
        points: Group -> name of an entry point -> the object it stands for.
    """
    folder.joinpath(f"{name}.py").write_text(code, encoding="utf-8")
    listing = folder / f"{name}-1.0.dist-info"
    listing.mkdir()
    listing.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        line
        for group, objects in points.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in objects.items()), "")
    ]
    listing.joinpath("entry_points.txt").write_text("\n".join(lines))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), before)))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    plugins._installed.cache_clear()
    try:
        yield
    finally:
        plugins._installed.cache_clear()
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
