"""Packages as somebody else installs them: modules with entry points, in a folder that Python looks through."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


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
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
