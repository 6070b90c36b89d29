"""Fetching a model's file from the Hugging Face Hub: what is there stays there, and nothing counts before it is whole.

The hub is asked by its own client (`huggingface_hub`) where a file is, how large it is and what its hash is. The bytes
are read here, since that client begins anew after every interruption: a file of several gigabytes must go on.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import re
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import filelock
import httpx

from core.errors import InputError, ModelError
from core.jobs import WatchedJob
from core.models.reach.recommended import Recommended
from core.users import TEACHER, NotAllowed, User
from core.wording import duration, file_size

if TYPE_CHECKING:
    from huggingface_hub.file_download import HfFileMetadata

T = TypeVar("T")

SPARE_BYTES = 200 * 2**20
"""Room that must be left on the disk: databases and logs are on it too."""
ATTEMPTS = 5
"""Connections in a row that may bring nothing before it is given up."""
ANSWER_SECONDS = 30.0
"""Longest silence of the hub."""
_READ = 2**23


@dataclass(frozen=True)
class Fetched:
    """The progress of a download."""

    bytes: int = 0
    """That are on the disk."""
    total: int = 0
    """Of the whole file."""
    stage: Literal["asking", "checking", "fetching"] = "asking"
    """The hub is asked; what an earlier download left is read; bytes come."""


Tell = Callable[[Fetched], None]


def is_there(model: Recommended, folder: Path) -> bool:
    """True if the model's file is there; it was checked before it got its name."""
    path = folder / model.file
    return path.is_file() and path.stat().st_size == model.bytes


def part_of(model: Recommended, folder: Path) -> Path:
    """The path of a file until it is whole. Its name holds the hash, so that no other file is ever continued."""
    return folder / f"{model.file}.{model.sha256[:12]}.part"


async def fetch(
    model: Recommended, folder: Path, tell: Tell = lambda now: None, *, pause: float = 1.0
) -> Path:
    """Fetch a model's file into a folder, or the rest of it. When cancelled or killed, what has come stays for the next
    time. `tell` is told how far it is; `pause` is the number of seconds before the second connection after one that
    broke, doubled each time.

    Raises:
        InputError: There is no room, another file has its name, or another process is fetching it.
        ModelError: The hub cannot be reached, refuses, or has another file.
    """
    target = folder / model.file
    if is_there(model, folder):
        return target
    try:
        _make_place(target)
        async with _alone(folder / f".{model.file}.lock"):
            return await _fetch(model, target, tell, pause)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise InputError(_no_room(model, folder)) from None
        raise InputError(
            f"The file of “{model.title}” cannot be written ({error.strerror}). Check the folder {folder}."
        ) from None


def _make_place(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise InputError(
            f"There is another file called {target.name} in the folder of the models. Move it away, or rename it."
        )


async def _fetch(model: Recommended, target: Path, tell: Tell, pause: float) -> Path:
    tell(Fetched(total=model.bytes))
    part = part_of(model, target.parent)
    for other in target.parent.glob(f"{model.file}.*.part"):
        if other != part:  # what is left of another version of the file
            other.unlink()
    address, headers = await asyncio.to_thread(_asked, model)
    part.touch()
    with part.open("r+b") as file:
        digest = await _hashed(file, model, tell)
        if (free := shutil.disk_usage(target.parent).free) < model.bytes - file.tell() + SPARE_BYTES:
            raise InputError(_no_room(model, target.parent, free))
        digest = await _receive(address, headers, file, digest, model, tell, pause)
        await asyncio.to_thread(os.fsync, file.fileno())
    if digest.hexdigest() != model.sha256:
        part.unlink()
        raise ModelError(
            f"The downloaded file is not “{model.title}”: its hash differs. It was deleted; fetch it again, and if "
            "that happens again, something on the way changes what is sent."
        )
    part.replace(target)
    return target


@asynccontextmanager
async def _alone(path: Path) -> AsyncIterator[None]:
    """Keep other processes from writing the same file; a process that is killed keeps nobody out."""
    lock = filelock.FileLock(path, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise InputError("This model is being fetched by another process already. Wait for it.") from None
    try:
        yield
    finally:
        lock.release()


def _asked(model: Recommended) -> tuple[str, dict[str, str]]:
    """The address at which the hub has the file, and the headers to ask for it with; blocks.

    Raises:
        ModelError: It has another file, says nothing, or no.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    import httpx2  # what the hub's client asks with
    from huggingface_hub import constants, errors, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # public, says its manual

    constants.HF_HUB_DISABLE_TELEMETRY = True  # it may have been imported before
    address = hf_hub_url(model.repository, model.file, revision=model.revision)
    try:
        _check_same(model, get_hf_file_metadata(address, timeout=ANSWER_SECONDS))
    except errors.GatedRepoError:
        raise ModelError(
            f"“{model.title}” needs a login at Hugging Face: agree to its terms there and set HF_TOKEN, or choose "
            "another model."
        ) from None
    except errors.OfflineModeIsEnabled:
        raise ModelError("HF_HUB_OFFLINE is set, so nothing is fetched. Unset it to fetch models.") from None
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError):
        raise ModelError(
            f"“{model.title}” is not at the hub, or needs a login there. Choose another model; one that you have as a "
            "file can be put into the folder of the models."
        ) from None
    except errors.HfHubHTTPError as error:
        raise ModelError(
            f"The hub refuses (HTTP {error.response.status_code}). Try again later, or choose another model."
        ) from None
    except (httpx2.HTTPError, OSError):
        raise ModelError(
            "Hugging Face cannot be reached from this machine. Check the network; a model's file that you have can be "
            "put into the folder of the models."
        ) from None
    return address, build_hf_headers()


def _check_same(model: Recommended, file: HfFileMetadata) -> None:
    # A mirror may give a tag of its own, which says nothing; the hub's is the hash of the file.
    other = re.fullmatch(r"[0-9a-f]{64}", file.etag or "") and file.etag != model.sha256
    if file.size not in (None, model.bytes) or other:
        raise ModelError(
            f"The file of “{model.title}” at the hub is not the recommended one: its size or "
            "hash differs. Nothing was fetched; choose another model."
        )


async def _hashed(file: IO[bytes], model: Recommended, tell: Tell) -> hashlib._Hash:
    """The hash of what is there, which is read to its end; too much of it is thrown away."""
    if file.seek(0, os.SEEK_END) > model.bytes:
        file.truncate(0)
    file.seek(0)
    digest = hashlib.sha256()
    while piece := await _settled(file.read, _READ):
        await asyncio.to_thread(digest.update, piece)
        tell(Fetched(file.tell(), model.bytes, "checking"))
    return digest


async def _receive(
    address: str,
    headers: dict[str, str],
    file: IO[bytes],
    digest: hashlib._Hash,
    model: Recommended,
    tell: Tell,
    pause: float,
) -> hashlib._Hash:
    """Write what is missing, by as many connections as that takes; the hash of the whole."""
    waits = httpx.Timeout(ANSWER_SECONDS, connect=10.0)
    # Where the address leads to another server, the client sends it no token.
    async with httpx.AsyncClient(follow_redirects=True, timeout=waits) as client:
        failed = 0
        while (had := file.tell()) < model.bytes:
            request = headers | {"Accept-Encoding": "identity", "Range": f"bytes={had}-"}
            try:
                async with client.stream("GET", address, headers=request) as reply:
                    if reply.status_code not in (200, 206):
                        raise ModelError(
                            f"The hub refuses to send the file (HTTP {reply.status_code}). Try again later; what has "
                            "come is kept."
                        )
                    if reply.status_code == 200 and had:  # it does not know ranges
                        file.seek(0)
                        file.truncate()
                        digest = hashlib.sha256()
                    async for piece in reply.aiter_raw():
                        await _settled(_write, file, digest, piece)
                        if file.tell() > model.bytes:
                            break
                        tell(Fetched(file.tell(), model.bytes, "fetching"))
            except httpx.HTTPError:
                pass
            failed = 0 if file.tell() > had else failed + 1
            if file.tell() < model.bytes:
                if failed == ATTEMPTS:
                    raise ModelError(
                        f"The connection broke at {file_size(file.tell())} of {file_size(model.bytes)}. What has come "
                        "is kept: fetch it again to go on."
                    )
                await asyncio.sleep(pause * 2**failed)
    return digest


async def _settled(work: Callable[..., T], *arguments: Any) -> T:
    """The result of a thread's work, which is ended before a cancellation goes on: the file is closed after it."""
    doing = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def _write(file: IO[bytes], digest: hashlib._Hash, piece: bytes) -> None:
    file.write(piece)
    file.flush()
    digest.update(piece)


def _no_room(model: Recommended, folder: Path, free: int | None = None) -> str:
    has = f"{file_size(free)} are free" if free is not None else "the disk is full"
    return (
        f"“{model.title}” needs {file_size(model.bytes)} in {folder}, and {has}. Make room, or choose a smaller "
        "model; what has come is kept."
    )


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
        """The part that is there, from 0 to 1."""
        return self.progress.bytes / self.progress.total if self.progress.total else 0.0

    @property
    def message(self) -> str:
        """The progress, in a few words."""
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
    """The downloads of one process into the folder of the models; thread-safe.

    Anyone who asks for a model that is being fetched watches the same download.
    """

    def __init__(self, folder: Path) -> None:
        """Begin without any download; models' files go into this folder."""
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
