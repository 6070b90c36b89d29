"""Starts, finds, shares and gives up the local services; see `service.py` for the files they meet through."""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from core.errors import ServiceError
from core.services.service import (
    Lease,
    Running,
    Service,
    ServiceFiles,
    Status,
    answers,
    process_alive,
)

POLL_SECONDS = 0.03
ANSWER_SECONDS = 10.0
"""How long a service found in the home folder may be silent before it counts as hung."""
LOG_BYTES = 2**16
"""How much of a log is searched for why a service did not start."""
MAX_DEATHS = 2
"""Deaths after which a service is no longer started unasked."""


@dataclass
class _Slot:
    """The knowledge of this process about one service."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    lease: Lease | None = None
    running: Running | None = None
    process: psutil.Process | None = None
    child: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    starting: bool = False
    error: str = ""

    def is_alive(self) -> bool:
        process = self.process  # another thread may release it meanwhile
        return process is not None and process_alive(process)

    def give_up(self) -> None:
        """Stop using the service."""
        lease, self.lease, self.running, self.process = self.lease, None, None, None
        if lease is not None:
            lease.release()

    def count_deaths(self) -> int:
        """Number of deaths so far, including a death that nobody has noticed yet."""
        return self.deaths + (self.running is not None and not self.is_alive())


class Supervisor:
    """One process's access to the local services below one home folder; thread-safe.

    Services are shared with every other process that uses the same home folder. Each ends a few seconds after
    its last user has released it or died.
    """

    def __init__(self, home: Path) -> None:
        self._home = home.absolute()
        self._slots: dict[str, _Slot] = {}
        atexit.register(self.release)

    def ensure(self, service: Service) -> Running:
        """The running service, found or started; blocks, for a second or so when it must be started.

        One that died is started again once.

        Raises:
            ServiceError: It cannot run here, did not start, or stopped twice; says what to do.
        """
        slot = self._slot(service)
        with slot.lock:
            if slot.running is not None and slot.is_alive():
                return slot.running
            slot.deaths, slot.running, slot.process = slot.count_deaths(), None, None
            if slot.deaths >= MAX_DEATHS:
                raise ServiceError(self._stopped_twice(service))
            slot.starting, slot.error = True, ""
            try:
                running = self._find_or_start(service, slot)
            except ServiceError as error:
                slot.error = str(error)
                raise
            finally:
                slot.starting = False
            slot.running, slot.process = running, running.process()
            return running

    def status(self, service: Service) -> Status:
        """How the service is doing; never blocks."""
        slot = self._slot(service)
        if slot.starting:
            return Status("starting", f"The {service.title} is starting.")
        if slot.is_alive() or self._is_elsewhere(service):
            return Status("ready", f"The {service.title} is running.")
        if slot.count_deaths() >= MAX_DEATHS:
            return Status("failed", self._stopped_twice(service))
        if slot.error:
            return Status("failed", slot.error)
        return Status("stopped", f"The {service.title} is not running; it is started when it is needed.")

    def running(self, service: Service) -> Running | None:
        """The service as this process uses it; None: it does not, or it has died."""
        slot = self._slot(service)
        return slot.running if slot.is_alive() else None

    def reset(self, service: Service) -> None:
        """Forget that the service failed, so that the next `ensure` tries again."""
        slot = self._slot(service)
        with slot.lock:
            slot.deaths, slot.error = 0, ""
            if not slot.is_alive():
                slot.running = slot.process = None

    def give_up(self, service: Service) -> None:
        """Stop using one service; it ends within seconds, unless another process uses it."""
        slot = self._slot(service)
        with slot.lock:
            slot.give_up()

    def release(self) -> None:
        """Stop using every service; those that nobody else uses end within seconds. Also done at exit."""
        # Without the locks: at exit, another thread may be waiting in `ensure` for a minute.
        for slot in list(self._slots.values()):
            slot.give_up()

    def _slot(self, service: Service) -> _Slot:
        return self._slots.setdefault(service.key, _Slot())

    def _find_or_start(self, service: Service, slot: _Slot) -> Running:
        service.check()
        files = ServiceFiles(self._home, service.key)
        try:
            files.make_folders()
            # Claimed before looking: a service about to leave looks at the leases under the same lock.
            former, slot.lease = slot.lease, Lease(files.leases)
            if former is not None:
                former.release()
            with FileLock(files.start, timeout=service.start_seconds + ANSWER_SECONDS):
                return self._find(service, files) or self._start(service, files, slot)
        except Timeout:
            raise ServiceError(
                f"Another process has been starting the {service.title} for more than a minute. "
                "Wait for it or end it, then try again."
            ) from None
        except OSError as error:
            raise ServiceError(
                f"The {service.title} cannot be started: the folder {self._home} cannot be used "
                f"({error.strerror}). Set RAG_LOUPE_HOME to a folder that you can write to."
            ) from error

    def _find(self, service: Service, files: ServiceFiles) -> Running | None:
        """The service that another process started or is still starting; None if there is none."""
        heard = time.monotonic()
        while files.has_process():
            running = files.read_info()
            if running is None:
                heard = time.monotonic()  # still starting; it ends by itself when that takes too long
            elif answers(running.url, service.health_path):
                return running
            elif time.monotonic() - heard > ANSWER_SECONDS:
                self._kill(service, running)
            time.sleep(POLL_SECONDS)
        return None

    def _kill(self, service: Service, running: Running) -> None:
        """End a service that hangs."""
        process = running.process()
        if process is None:
            raise ServiceError(
                f"The {service.title} in {self._home} belongs to another machine or container. "
                "Set RAG_LOUPE_HOME to a folder of this one."
            )
        process.kill()

    def _start(self, service: Service, files: ServiceFiles, slot: _Slot) -> Running:
        files.info.unlink(missing_ok=True)
        if slot.child is not None:
            slot.child.poll()  # collects the process that died
        program = [sys.executable, "-m", "core.services.child"]
        with files.log.open("wb") as log:
            slot.child = subprocess.Popen(  # noqa: S603 (our own module, no shell)
                [
                    *program,
                    *(service.key, service.module, service.health_path, str(self._home)),
                    *(str(service.start_seconds), *service.arguments),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=Path(__file__).parents[2],  # where `core` is found
                start_new_session=True,  # Ctrl-C in the terminal is for the app; other users keep the service
            )
        give_up = time.monotonic() + service.start_seconds
        while (running := files.read_info()) is None:
            if slot.child.poll() is not None:
                slot.deaths += 1
                status = slot.child.returncode
                raise ServiceError(self._did_not_start(service, f"exit status {status}", status))
            if time.monotonic() > give_up:
                slot.deaths += 1
                slot.child.kill()
                raise ServiceError(
                    self._did_not_start(service, f"no answer after {service.start_seconds:.0f} s")
                )
            time.sleep(POLL_SECONDS)
        return running

    def _is_elsewhere(self, service: Service) -> bool:
        """True if another process of this machine has the service running."""
        try:
            running = ServiceFiles(self._home, service.key).read_info()
        except OSError:
            return False
        process = running.process() if running is not None else None
        return process is not None and process_alive(process)

    def _did_not_start(self, service: Service, why: str, status: int | None = None) -> str:
        log = ServiceFiles(self._home, service.key).log
        with log.open("rb") as file:
            text = file.read(LOG_BYTES).decode("utf-8", "replace")
        if reason := service.why(text, status):
            return reason
        return f"The {service.title} did not start ({why}). The reason is in {log}; then try again."

    def _stopped_twice(self, service: Service) -> str:
        log = ServiceFiles(self._home, service.key).log
        return f"The {service.title} stopped twice. Its last messages are in {log}; then start it again."
