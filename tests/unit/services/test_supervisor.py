"""The supervisor with a real, quick service and real users: sharing, leases, deaths."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest

from core.errors import ServiceError
from core.services import supervisor as supervisor_module
from core.services.service import Service, answers
from core.services.supervisor import Supervisor
from tests.unit.services.processes import User, alive, starts, wait_until
from tests.unit.services.tiny_service import GO_ON, GRACE_SECONDS, POLL_SECONDS, TINY

pytestmark = pytest.mark.processes

StartUser = Callable[[], User]


def stays(pid: int) -> bool:
    """Whether it lives on when it should have left by now, had it no user."""
    return not wait_until(lambda: not alive(pid), 2 * GRACE_SECONDS + 4 * POLL_SECONDS)


def leases(home: Path) -> int:
    """How many use the tiny service, or have not been missed yet."""
    return len(list((home / "services" / "tiny.users").iterdir()))


def test_starts_once_and_answers(supervisor: Supervisor, home: Path) -> None:
    running = supervisor.ensure(TINY)
    assert answers(running.url, "/health")
    assert supervisor.ensure(TINY) == running
    assert starts(home) == [running.pid]


def test_secret_is_for_the_owner_only(supervisor: Supervisor, home: Path) -> None:
    running = supervisor.ensure(TINY)
    assert running.secret is not None
    secret = running.secret.get_secret_value()
    assert secret == "a-secret-of-tiny"
    assert secret not in repr(running)
    assert secret not in " ".join(psutil.Process(running.pid).cmdline())
    for file in home.rglob("*"):
        if file.is_file() and secret in file.read_text(errors="replace"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "services").stat().st_mode) == 0o700


def test_output_goes_to_a_log_that_starts_empty(supervisor: Supervisor, home: Path) -> None:
    (home / "logs").mkdir()
    log = home / "logs" / "tiny.log"
    log.write_text("of last week")
    supervisor.ensure(TINY)
    assert log.stat().st_size > 200_000
    assert "of last week" not in log.read_text()


def test_shared_by_processes_and_stopped_with_the_last(user: StartUser) -> None:
    first, second = user(), user()
    pid = first.service_pid()
    assert second.service_pid() == pid
    first.leave()
    assert stays(pid)
    second.leave()
    assert wait_until(lambda: not alive(pid))


def test_many_at_once_start_exactly_one(user: StartUser, supervisor: Supervisor, home: Path) -> None:
    users = [user() for _ in range(3)]
    here = supervisor.ensure(TINY)
    assert {one.service_pid() for one in users} == {here.pid}
    assert starts(home) == [here.pid]


def test_many_threads_start_exactly_one(supervisor: Supervisor, home: Path) -> None:
    threads = [threading.Thread(target=supervisor.ensure, args=(TINY,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(starts(home)) == 1


def test_ends_when_its_user_is_killed(user: StartUser, home: Path) -> None:
    killed = user()
    pid = killed.service_pid()
    killed.kill()
    assert wait_until(lambda: not alive(pid))
    assert not (home / "services" / "tiny.json").exists()
    assert list((home / "services" / "tiny.users").iterdir()) == []


def test_release_ends_it_and_a_new_use_starts_it_again(supervisor: Supervisor, home: Path) -> None:
    pid = supervisor.ensure(TINY).pid
    supervisor.release()
    assert wait_until(lambda: not alive(pid))
    assert supervisor.status(TINY).state == "stopped"
    assert supervisor.ensure(TINY).pid != pid


def test_a_user_who_comes_while_it_leaves_is_served(supervisor: Supervisor, home: Path) -> None:
    """Whatever the moment of coming: the service that is handed out stays."""
    for moment in range(3):  # before it may leave, and at two of the moments when it might
        supervisor.ensure(TINY)
        supervisor.release()
        time.sleep(GRACE_SECONDS + (moment - 0.5) * POLL_SECONDS)
        running = supervisor.ensure(TINY)
        assert stays(running.pid)
        assert answers(running.url, "/health")


def test_ends_when_its_folder_is_removed(supervisor: Supervisor, home: Path) -> None:
    pid = supervisor.ensure(TINY).pid
    shutil.rmtree(home / "services")
    assert wait_until(lambda: not alive(pid))
    again = supervisor.ensure(TINY).pid
    assert stays(again)


@pytest.mark.parametrize("adopted", [False, True])
def test_starter_killed_while_starting_leaves_no_orphan(
    adopted: bool, user: StartUser, supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_FAULT", "slow")
    starter = user()
    assert wait_until(lambda: len(starts(home)) == 1)
    (pid,) = starts(home)
    if not adopted:
        starter.kill()
        assert wait_until(lambda: not alive(pid))
        return
    waiting = threading.Thread(target=supervisor.ensure, args=(TINY,))
    waiting.start()
    assert wait_until(lambda: leases(home) == 2)
    starter.kill()
    assert wait_until(lambda: leases(home) == 1)
    assert stays(pid)
    (home / GO_ON).touch()
    waiting.join()
    assert supervisor.ensure(TINY).pid == pid
    assert starts(home) == [pid]


def test_restarted_once_then_reported_until_reset(supervisor: Supervisor, home: Path) -> None:
    for deaths in (1, 2):
        os.kill(supervisor.ensure(TINY).pid, signal.SIGKILL)
        assert wait_until(lambda: supervisor.status(TINY).state != "ready")
        assert supervisor.status(TINY).state == ("stopped" if deaths == 1 else "failed")
    with pytest.raises(ServiceError, match="tiny service stopped twice") as failure:
        supervisor.ensure(TINY)
    assert str(home / "logs" / "tiny.log") in str(failure.value)
    assert len(starts(home)) == 2
    supervisor.reset(TINY)
    assert supervisor.status(TINY).state == "stopped"
    assert answers(supervisor.ensure(TINY).url, "/health")


def test_failing_start_is_reported_and_not_tried_for_ever(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_FAULT", "crash")
    for message in ("did not start", "did not start", "stopped twice"):
        with pytest.raises(ServiceError, match=message):
            supervisor.ensure(TINY)
        assert supervisor.status(TINY).state == "failed"
    assert len(starts(home)) == 2
    assert "broken on purpose" in (home / "logs" / "tiny.log").read_text()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no way to suspend a process here")
def test_hung_service_is_replaced(user: StartUser, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor_module, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(supervisor_module, "answers", partial(answers, timeout=0.2))
    pid = user().service_pid()
    os.kill(pid, signal.SIGSTOP)
    supervisor = Supervisor(home)
    running = supervisor.ensure(TINY)
    supervisor.release()
    assert running.pid != pid
    assert not alive(pid)


def test_status_tells_starting_and_never_waits(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_FAULT", "slow")
    assert supervisor.status(TINY).state == "stopped"
    thread = threading.Thread(target=supervisor.ensure, args=(TINY,))
    thread.start()
    assert wait_until(lambda: len(starts(home)) == 1)
    assert supervisor.status(TINY).state == "starting"
    assert thread.is_alive()
    (home / GO_ON).touch()
    thread.join()
    assert supervisor.status(TINY).state == "ready"
    assert Supervisor(home).status(TINY).state == "ready"


def test_service_that_cannot_run_here_says_why_and_starts_nothing(supervisor: Supervisor, home: Path) -> None:
    def check() -> None:
        raise ServiceError("Install it.")

    service = Service("tiny", "tiny service", "unused", "/health", check)
    for _ in range(3):
        with pytest.raises(ServiceError, match=r"Install it\."):
            supervisor.ensure(service)
    assert supervisor.status(service).message == "Install it."
    assert starts(home) == []


def test_unusable_home_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match="RAG_LOUPE_HOME"):
        Supervisor(tmp_path / "file").ensure(TINY)
    assert Supervisor(tmp_path / "file").status(TINY).state == "stopped"
