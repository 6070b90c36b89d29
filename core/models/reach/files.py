"""Model files in the format GGUF that this machine has: which there are, and what each is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.errors import InputError, ServiceError
from core.services.gguf_header import Header, is_later_part, read_header
from core.settings import Settings
from core.wording import file_size

FOLDER = "models"
"""Folder in the home in which model files lie."""
SUFFIX = ".gguf"
MOST = 50
"""Files that are listed."""


@dataclass(frozen=True)
class ModelFile:
    """A model file that may be chosen."""

    path: Path
    header: Header | None
    """None: it cannot be read."""
    problem: str
    """Why it cannot answer, in a sentence; empty: nothing is known to be wrong."""

    @property
    def name(self) -> str:
        """Its file name, by which it is chosen."""
        return self.path.name

    @property
    def model(self) -> str:
        """Name of the model in runs and recordings: the file's, and which file it was."""
        return f"{self.name} ({self.header.fingerprint[:8]})" if self.header else self.name

    @property
    def described(self) -> str:
        """A line on the file: the model's name, how its weights are written, its size. Holds foreign text."""
        if self.header is None:
            return ""
        facts = (self.header.title, self.header.quantisation, file_size(self.header.bytes))
        return ", ".join(fact for fact in facts if fact)


def folder(settings: Settings) -> Path:
    """Where model files are looked for."""
    return settings.rag_loupe_home / FOLDER


def model_files(settings: Settings) -> list[ModelFile]:
    """The files that may be chosen: the one that is configured, then those in the folder, by name.

    Headers are read once, so asking again takes less than a millisecond per file.
    """
    return [_described(path) for path in _paths(settings)]


def configured_file(settings: Settings) -> ModelFile | None:
    """The file that is configured, whether or not it is there; None: none is."""
    return _described(_configured(settings.builtin_model_file)) if settings.builtin_model_file else None


def find_file(settings: Settings, name: str) -> ModelFile:
    """The file of this name.

    Raises:
        InputError: None of those that may be chosen has it.
    """
    for path in _paths(settings):
        if path.name == name:
            return _described(path)
    raise InputError(f"The file {name[:80]} is no longer there. Put it back, or choose another model.")


def _paths(settings: Settings) -> list[Path]:
    configured = [_configured(settings.builtin_model_file)] if settings.builtin_model_file else []
    try:
        with os.scandir(folder(settings)) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.name.lower().endswith(SUFFIX) and not is_later_part(entry.name)
            )
    except OSError:  # there is no such folder, as in most homes
        names = []
    taken = {path.name for path in configured}
    return (configured + [folder(settings) / name for name in names if name not in taken])[:MOST]


def _configured(path: str) -> Path:
    return Path(path).expanduser().absolute()


def _described(path: Path) -> ModelFile:
    try:
        header = read_header(path)
    except ServiceError as error:
        return ModelFile(path, None, str(error))
    return ModelFile(path, header, f"The file {path.name} {header.unfit}" if header.unfit else "")
