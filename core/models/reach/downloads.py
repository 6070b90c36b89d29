"""The downloads of one process: whoever asks for a model that is being fetched watches the same one."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from core.jobs import WatchedJob
from core.models.reach.fetching import Fetched, fetch
from core.models.reach.recommended import Recommended
from core.users import TEACHER, NotAllowed, User
from core.wording import duration, file_size


class Download(WatchedJob[Path, Fetched]):
    """A model's file being fetched."""

    def __init__(self, model: Recommended, folder: Path) -> None:
        """Begin in the background."""
        self.model = model
        self._began: tuple[float, int] | None = None
        super().__init__(fetch(model, folder, self.tell), Fetched(total=model.bytes))

    def tell(self, progress: Fetched) -> None:
        """Note how far it is now."""
        if progress.stage == "fetching" and self._began is None:
            self._began = time.monotonic(), progress.bytes
        super().tell(progress)

    @property
    def share(self) -> float:
        """How much is there, from 0 to 1."""
        return self.progress.bytes / self.progress.total if self.progress.total else 0.0

    @property
    def message(self) -> str:
        """How far it is, in a few words."""
        now = self.progress
        of = f"{file_size(now.bytes)} of {file_size(now.total)}"
        if now.stage == "asking":
            return "Asking Hugging Face"
        if now.stage == "checking":
            return f"Reading what is there: {of}"
        return f"Fetching: {of}{self._pace()}"

    def _pace(self) -> str:
        if self._began is None:
            return ""
        since, had = self._began
        seconds, come = time.monotonic() - since, self.progress.bytes - had
        if seconds < 1 or come <= 0:
            return ""
        rate = come / seconds
        left = (self.progress.total - self.progress.bytes) / rate
        return f" · {file_size(int(rate))}/s · {duration(left)} left"


class Downloads:
    """Downloads into the folder of the models; thread-safe."""

    def __init__(self, folder: Path) -> None:
        """
        Args:
            folder: Where models' files are.
        """
        self.folder = folder
        self._jobs: dict[str, Download] = {}
        self._lock = threading.Lock()

    def job(self, model: Recommended) -> Download | None:
        """The last download of a model in this process, under way or ended; None: there was none."""
        return self._jobs.get(model.name)

    def start(self, model: Recommended, by: User = TEACHER) -> Download:
        """Fetch a model in the background, or watch the download that is under way.

        Raises:
            NotAllowed: A teacher's password is set, and they are not signed in.
        """
        check_may_fetch(by)
        with self._lock:
            job = self._jobs.get(model.name)
            if job is None or job.done:
                job = self._jobs[model.name] = Download(model, self.folder)
            return job

    def stop(self, model: Recommended, by: User = TEACHER) -> None:
        """Stop a download; what has come is kept.

        Raises:
            NotAllowed: As for `start`.
        """
        check_may_fetch(by)
        if job := self.job(model):
            job.stop()


def check_may_fetch(by: User) -> None:
    """Refuse whoever may not fill the server's disk.

    Raises:
        NotAllowed: A teacher's password is set, and they are not signed in.
    """
    if not by.teacher:
        raise NotAllowed("On this server, only the teacher can fetch models.")
