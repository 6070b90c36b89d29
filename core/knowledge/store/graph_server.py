"""The graph database: a server that is configured, or the local one in its place; and its databases.

Every graph has a database of its own, so that no query can see another graph. An ArcadeDB, such as the local server,
makes as many as are wanted, and so do Neo4j Enterprise and its like. A server that has only one (Neo4j Community, Aura
Free) holds one graph at a time, in its default database: the simplest way that keeps graphs apart for queries that
users write, too. That database must be empty before, since deleting the graph empties it.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
from pydantic import SecretStr

from core.certificates import certificates
from core.errors import InputError, ServiceError, StoreError
from core.knowledge.store import cypher, cypher_writing
from core.services.arcadedb import LOCAL_GRAPHS, USER
from core.services.supervisor import Supervisor
from core.settings import Settings

if TYPE_CHECKING:
    from neo4j import Driver

DEFAULT_DATABASE = ""
"""Name that stands for a server's one database."""
CONNECT_SECONDS = 5.0
NO_DATABASE = "This graph is not in the graph database any more. Import or build it again."
_DELETE_AT_ONCE = 2000


class _Address(NamedTuple):
    uri: str
    user: str
    password: SecretStr
    admin: str
    """Address at which an ArcadeDB makes databases, over HTTP; empty: it is none."""


class GraphServer:
    """One process's access to the graph database; thread-safe. Calls block, for seconds where it is started."""

    def __init__(self, settings: Settings, supervisor: Supervisor) -> None:
        self._settings = settings
        self._supervisor = supervisor
        self._lock = threading.Lock()
        self._open: tuple[_Address, Driver] | None = None

    @property
    def local(self) -> bool:
        """True if no other server is configured, so that the local one is used."""
        return not self._settings.neo4j_uri

    def driver(self) -> Driver:
        """Return the driver; the local server is started where none is configured.

        Raises:
            ServiceError: It does not start, or the configured address is not usable.
        """
        address = self._address()
        with self._lock:
            if self._open is not None and self._open[0] == address:
                return self._open[1]
            former, self._open = self._open, (address, _connect(address))
            if former is not None:
                former[1].close()
            return self._open[1]

    def make(self, database: str) -> str:
        """Return a new, empty database of this name; the name to open it by.

        Raises:
            InputError: The server has only one database, and that is not empty.
            ServiceError, StoreError: It does not answer, or refuses.
        """
        if self.local or self._settings.arcadedb_url:
            self._administer(f"create database {_fit(database)}")
            return database
        from neo4j.exceptions import Neo4jError

        try:
            with graph_errors(raw=True):
                self._system(cypher_writing.CREATE_DATABASE, database)
            return database
        except Neo4jError:
            return self._claim_default()

    def drop(self, database: str) -> None:
        """Delete a database with all that is in it; it may be gone already."""
        if self.local or self._settings.arcadedb_url:
            self._administer(f"drop database {_fit(database)}")
        elif database:
            with graph_errors():
                self._system(cypher_writing.DROP_DATABASE, database)
        else:
            with graph_errors(), self.driver().session() as session:
                while session.run(cypher.ANY_NODE).single():
                    session.run(cypher_writing.DELETE_SOME, limit=_DELETE_AT_ONCE).consume()

    def abandon(self) -> None:
        """End the local server because it hangs; it is started again with its next use."""
        if self.local:
            process = self._supervisor.ensure(LOCAL_GRAPHS).process()
            if process is not None:
                process.kill()
                process.wait(10)
            self._supervisor.reset(LOCAL_GRAPHS)  # its death is not its fault

    def close(self) -> None:
        """Close the connections; the local server ends with its last user."""
        with self._lock:
            if self._open is not None:
                self._open[1].close()
            self._open = None

    def _address(self) -> _Address:
        settings = self._settings
        if settings.neo4j_uri:
            admin = settings.arcadedb_url.rstrip("/")
            return _Address(settings.neo4j_uri, settings.neo4j_username, settings.neo4j_password, admin)
        running = self._supervisor.ensure(LOCAL_GRAPHS)
        return _Address(running.bolt, USER, running.secret or SecretStr(""), running.url)

    def _claim_default(self) -> str:
        with graph_errors(), self.driver().session() as session:
            if session.run(cypher.ANY_NODE).single():
                raise InputError(
                    "This graph server has only one database, and that is not empty. "
                    "Delete the graph in it first, or use a server that holds several."
                )
        return DEFAULT_DATABASE

    def _system(self, text: str, database: str) -> None:
        with self.driver().session(database="system") as session:
            session.run(text, name=_fit(database)).consume()

    def _administer(self, command: str) -> None:
        """Send a command over HTTP, since ArcadeDB does not know the statements for it."""
        address = self._address()
        try:
            with httpx.Client(trust_env=False, verify=certificates(trust_env=False), timeout=30) as client:
                auth = (address.user, address.password.get_secret_value())
                reply = client.post(f"{address.admin}/api/v1/server", json={"command": command}, auth=auth)
        except httpx.HTTPError as error:
            raise ServiceError(
                f"The graph database does not answer ({type(error).__name__}). Try again, or check ARCADEDB_URL if "
                "that is set."
            ) from None
        known = "AlreadyExists" in reply.text or "does not exist" in reply.text or "not found" in reply.text
        if reply.status_code >= 400 and not known:
            raise StoreError(f"The graph database refused to do this (status {reply.status_code}).")


@contextmanager
def graph_errors(raw: bool = False) -> Iterator[None]:
    """Turn what goes wrong inside into an error with a sentence; `raw`: except for what the server itself says."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        yield
    except AuthError:
        raise ServiceError(
            "The graph database refuses the user. Check NEO4J_USERNAME and NEO4J_PASSWORD."
        ) from None
    except Neo4jError as error:
        if raw:
            raise
        if "DatabaseNotFound" in (error.code or ""):
            raise StoreError(NO_DATABASE) from None
        raise StoreError(f"The graph database reports: {server_says(error)}") from error
    except (DriverError, OSError) as error:
        raise ServiceError(
            f"The graph database does not answer ({type(error).__name__}). "
            "Check that it runs, and NEO4J_URI if that is set; then try again."
        ) from None


def server_says(error: Any) -> str:
    """Return the first line of a server's own message, not too long, with a full stop."""
    lines = str(error.message or error.code or "an error without a message").strip().splitlines()
    return f"{lines[0][:300].rstrip('.')}."


def _connect(address: _Address) -> Driver:
    import neo4j  # takes a while to import: not before it is needed

    auth = (address.user, address.password.get_secret_value()) if address.user else None
    # It warns of rows that nobody took, which is what a limit on rows is for.
    logging.getLogger("neo4j.session").setLevel(logging.ERROR)
    try:
        return neo4j.GraphDatabase.driver(
            address.uri,
            auth=auth,
            connection_timeout=CONNECT_SECONDS,
            connection_acquisition_timeout=15.0,
            max_transaction_retry_time=10.0,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
        )
    except (ValueError, neo4j.exceptions.DriverError):  # not chained: the address may hold a password
        raise ServiceError(
            "NEO4J_URI is not an address of a graph database, such as neo4j://host:7687."
        ) from None


def _fit(database: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]{2,40}", database):
        raise StoreError("This graph has a name that no database can have.")
    return database
