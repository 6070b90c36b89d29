"""A local service, the files in the home folder through which its users and its process meet, and their leases.

A lease says who uses the service, also when a user is killed before it can say goodbye. It is an empty file. Its name
holds the user's process id and when that process was created, which tells the user from a later process with the same
id.
"""

from __future__ import annotations

import http.client
import json
import os
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import psutil
from filelock import FileLock, Timeout
from pydantic import SecretStr

from core.settings import make_home

START_SECONDS = 60.0
"""Seconds that a service may take until it answers, on the slowest machine."""
CLOCK_TOLERANCE = 5.0
"""Seconds by which two processes may see a third's creation differently: the system clock is corrected."""


@dataclass(frozen=True)
class Service:
    """A kind of local server that can be started."""

    key: str
    """Names its files: lower-case letters, digits and hyphens."""
    title: str
    """For people, in mid-sentence: "built-in chat model"."""
    module: str
    """Importable module with `serve(home: Path, *arguments: str) -> Serving`, called in the service's own process."""
    health_path: str
    """Path that answers 200 or 204, without a secret, when the server is ready."""
    check: Callable[[], object] = lambda: None
    """Raises ServiceError, with what to do, where the service cannot run here at all."""
    arguments: tuple[str, ...] = ()
    """Arguments of its `serve` besides the home folder."""
    start_seconds: float = START_SECONDS
    why: Callable[[str, int | None], str] = lambda log, status: ""
    """A sentence on why it did not start, from its log and its exit status (None: it was too slow); empty: unknown."""


class Serving(NamedTuple):
    """The value that a service's `serve` returns once its server listens."""

    url: str
    """Root of the server, `http://127.0.0.1:PORT`."""
    secret: str | None
    """The key that requests must carry; None: the server asks for none."""
    handle: object
    """Kept alive as long as the process."""
    bolt: str = ""
    """Address at which it speaks Bolt, `bolt://127.0.0.1:PORT`; empty: nowhere."""


@dataclass(frozen=True)
class Running:
    """A service that answers."""

    url: str
    """Root of the server, `http://127.0.0.1:PORT`, without a slash at the end."""
    secret: SecretStr | None
    pid: int
    created: float
    """When its process was created, seconds since the epoch."""
    bolt: str = ""
    """Address at which it speaks Bolt, `bolt://127.0.0.1:PORT`; empty: nowhere."""

    def process(self) -> psutil.Process | None:
        """Its process; None if that is gone."""
        return find_process(self.pid, self.created)


@dataclass(frozen=True)
class Status:
    """The state of a service, for the page."""

    state: Literal["stopped", "starting", "ready", "failed"]
    message: str


class ServiceFiles:
    """The files of one service in the home folder."""

    def __init__(self, home: Path, key: str) -> None:
        folder = home / "services"
        self.start = folder / f"{key}.lock"
        """Locked by a user while it finds or starts the service, and by the service while it leaves."""
        self.alive = folder / f"{key}.alive"
        """Locked by the service's process as long as it lives: nothing else says whether it does."""
        self.info = folder / f"{key}.json"
        """Address, secret and process of the service that answers; readable by its owner only."""
        self.leases = folder / f"{key}.users"
        self.log = home / "logs" / f"{key}.log"

    def make_folders(self) -> None:
        """Create the folders.

        Raises:
            OSError: The home folder cannot be written.
        """
        make_home(self.log.parent.parent)
        for folder in (self.info.parent, self.leases, self.log.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def has_process(self) -> bool:
        """True if a process of the service lives. Takes its lock briefly: only for a holder of `start`."""
        lock = FileLock(self.alive)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return True
        lock.release()
        return False

    def write_info(self, serving: Serving) -> None:
        """Publish where this process serves; at once or not at all."""
        draft = self.info.with_suffix(f".{os.getpid()}.new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            created = psutil.Process().create_time()
            info = {"url": serving.url, "bolt": serving.bolt, "secret": serving.secret}
            json.dump({**info, "pid": os.getpid(), "created": created}, file)
        draft.replace(self.info)

    def read_info(self) -> Running | None:
        """The addresses that the service published; None if none. Its process need not live any more."""
        try:
            info = json.loads(self.info.read_text())
        except FileNotFoundError:
            return None
        secret = info["secret"]
        key = secret and SecretStr(secret)
        return Running(info["url"], key, info["pid"], info["created"], info.get("bolt", ""))


def find_process(pid: int, created: float) -> psutil.Process | None:
    """The process with this id, if it is the one created at `created` and not a later one; else None."""
    try:
        process = psutil.Process(pid)
        return process if abs(process.create_time() - created) < CLOCK_TOLERANCE else None
    except psutil.Error:  # gone, or somebody else's
        return None


def process_alive(process: psutil.Process) -> bool:
    """True if it runs; a dead process that nobody has collected does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:  # gone, or somebody else's
        return False


def listening_ports() -> list[int]:
    """The TCP ports on which this process listens."""
    return [int(connection.laddr.port) for connection in _listening()]


def listening_addresses() -> list[str]:
    """The IP addresses at which this process listens."""
    return [str(connection.laddr.ip) for connection in _listening()]


def _listening() -> list[Any]:
    connections = psutil.Process().net_connections("tcp")
    return [connection for connection in connections if connection.status == psutil.CONN_LISTEN]


def answers(root: str, path: str, timeout: float = 2.0) -> bool:
    """True if a server on loopback answers 200 or 204 within `timeout` seconds. No proxy is ever asked."""
    address = urlsplit(root)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().status in (200, 204)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


class Lease:
    """This process's claim on a service, from now until `release` or the process's death."""

    def __init__(self, folder: Path) -> None:
        self._pid = os.getpid()
        created = psutil.Process().create_time()
        self._file = folder / f"{self._pid}-{created:.2f}-{uuid.uuid4().hex[:8]}"
        self._file.touch(mode=0o600)

    def release(self) -> None:
        """Give the claim back; twice is harmless. A forked copy of the process cannot."""
        if os.getpid() == self._pid:
            self._file.unlink(missing_ok=True)


class LeaseWatch:
    """The service's view of its users."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._holders: dict[str, psutil.Process] = {}

    def any_alive(self) -> bool:
        """True if anybody uses the service. Removes the leases of the dead."""
        names = {file.name for file in self._folder.iterdir()}
        self._holders = {name: holder for name, holder in self._holders.items() if name in names}
        for name in names:
            # A holder once recognised is kept: psutil follows it unmoved by later changes of the clock.
            holder = self._holders.get(name) or _holder(name)
            if holder is not None and process_alive(holder):
                self._holders[name] = holder
            else:
                self._holders.pop(name, None)
                (self._folder / name).unlink(missing_ok=True)
        return bool(self._holders)


def _holder(name: str) -> psutil.Process | None:
    """The process that a lease names; None if it is gone."""
    try:
        pid, created, _ = name.split("-")
        return find_process(int(pid), float(created))
    except ValueError:
        return None
