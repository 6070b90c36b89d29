"""Queries that a user or a model wrote, with limits on rows, size and time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.errors import InputError, StoreError
from core.knowledge.records import QueryResult
from core.knowledge.store.graph_server import NO_DATABASE, GraphServer, graph_errors, server_says
from core.services.arcadedb import QUERY_SECONDS

if TYPE_CHECKING:
    from neo4j import Driver, Query, Session

ROW_LIMIT = 1000
SECONDS = float(QUERY_SECONDS)
_TOO_DEEP = (
    "The query was ended: its result has lists or maps nested too deeply to be read. Ask for flatter values."
)
_UNREADABLE = (
    "The query was ended: its result holds a value that cannot be read, such as a date or a duration far out of "
    "range. Ask for it as text, with toString(...)."
)
_BROKEN_OFF = (
    "The graph database broke off its answer to this query. A value in the result is probably too large or nested "
    "too deeply: ask for less. If the server was just restarted, try again."
)
_SLOW_PATTERN = (
    "The query was ended: a regular expression in it takes too long. Use a simpler one, or CONTAINS."
)
GRACE_SECONDS = 2.0
"""How much longer the server may take to notice that the time is up; some expressions it never interrupts."""


def run_user_query(
    server: GraphServer,
    database: str | None,
    text: str,
    row_limit: int,
    seconds: float,
    parameters: Mapping[str, Any] | None = None,
) -> QueryResult:
    """Run a query that the guard has let pass; its parameters are bound by the server.

    Raises:
        InputError: The server finds a mistake in it, or it took too long.
        ServiceError, StoreError: The server fails.
    """
    import neo4j
    from neo4j.exceptions import Neo4jError

    driver, query = server.driver(), neo4j.Query(text, timeout=seconds)
    outcome: queue.SimpleQueue[QueryResult | BaseException] = queue.SimpleQueue()
    access: dict[str, Any] = {"default_access_mode": neo4j.READ_ACCESS, "fetch_size": row_limit + 1}

    def work() -> None:
        try:
            with graph_errors(raw=True), driver.session(database=database, **access) as session:
                # Given out before the server has let go of the rows that nobody wants.
                outcome.put(_read(driver, session, query, row_limit, parameters or {}))
        except Neo4jError as error:
            outcome.put(_sentence(error, seconds))
        except BaseException as error:
            outcome.put(error)

    # In a thread of its own: the driver waits for a silent server without end, also where rows are left over.
    thread = threading.Thread(target=work, name="rag-loupe-query", daemon=True)
    thread.start()
    try:
        result = outcome.get(timeout=seconds if seconds < SECONDS else seconds + GRACE_SECONDS)
    except queue.Empty:
        if seconds < SECONDS:
            # Others use the same server: only one that does not end the query by itself is ended.
            _watch(server, thread, SECONDS + GRACE_SECONDS - seconds)
        else:
            server.abandon()
        raise InputError(_too_long(seconds)) from None
    if isinstance(result, BaseException):
        raise result
    if result.truncated:
        _watch(server, thread, SECONDS + GRACE_SECONDS)
    return result


def _watch(server: GraphServer, query: threading.Thread, seconds: float) -> None:
    """See to it that a query that nobody waits for any more has an end; a server that hangs is ended."""

    def wait() -> None:
        query.join(seconds)
        if query.is_alive():
            server.abandon()

    threading.Thread(target=wait, daemon=True).start()


def _too_long(seconds: float) -> str:
    return (
        f"The query was ended: it took longer than {seconds:g} s. Ask for less, for example with fewer hops."
    )


def _read(
    driver: Driver, session: Session, query: Query, row_limit: int, parameters: Mapping[str, Any]
) -> QueryResult:
    from neo4j.exceptions import BrokenRecordError, ServiceUnavailable, SessionExpired

    from core.knowledge.store.plain_values import PlainValues

    plain, started = PlainValues(), time.monotonic()
    rows: list[list[Any]] = []
    more = False
    try:
        result = session.run(query, dict(parameters))
        columns = list(result.keys())
        for record in result:
            if len(rows) == row_limit or plain.full:
                more = True
                break
            rows.append([plain.value(value) for value in record.values()])
    except BrokenRecordError:
        raise InputError(_UNREADABLE) from None
    except RecursionError:  # the driver reads lists within lists by calling itself
        raise InputError(_TOO_DEEP) from None
    except (ServiceUnavailable, SessionExpired):
        if _answers(driver):
            raise InputError(_BROKEN_OFF) from None
        raise
    return QueryResult(
        columns=columns,
        rows=rows,
        truncated=more or plain.cut,
        seconds=round(time.monotonic() - started, 4),
        nodes=list(plain.nodes.values()),
        edges=list(plain.edges.values()),
        paths=plain.paths,
    )


def _answers(driver: Driver) -> bool:
    """Return True if the server answers."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        driver.verify_connectivity()
    except (DriverError, Neo4jError, OSError):
        return False
    return True


def _sentence(error: Any, seconds: float) -> InputError | StoreError:
    code = error.code or ""
    if "regular expression" in str(error.message).lower() and "TimedOut" in code:
        return InputError(_SLOW_PATTERN)
    if "TimedOut" in code or "Terminated" in code:
        return InputError(_too_long(seconds))
    if "DatabaseNotFound" in code:
        return StoreError(NO_DATABASE)
    return InputError(f"The graph database does not accept the query: {server_says(error)}")
