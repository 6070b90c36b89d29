"""Queries that a user or a model wrote, with limits on rows and on time."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.errors import InputError, StoreError
from core.knowledge.records import QueryResult
from core.knowledge.server import GraphServer, graph_errors, server_says
from core.services.arcadedb import QUERY_SECONDS

if TYPE_CHECKING:
    from neo4j import Driver

ROW_LIMIT = 1000
SECONDS = float(QUERY_SECONDS)
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
    driver = server.driver()
    outcome: list[QueryResult | BaseException] = []

    def work() -> None:
        try:
            outcome.append(_run(driver, database, text, row_limit, seconds, parameters))
        except BaseException as error:
            outcome.append(error)

    # In a thread of its own: the driver waits for a silent server without end.
    thread = threading.Thread(target=work, name="rag-loupe-query", daemon=True)
    thread.start()
    thread.join(seconds if seconds < SECONDS else seconds + GRACE_SECONDS)
    if not outcome:
        if seconds < SECONDS:
            # Others use the same server: only one that does not end the query by itself is ended.
            rest = SECONDS + GRACE_SECONDS - seconds
            threading.Thread(target=_watch, args=(server, thread, rest), daemon=True).start()
        else:
            server.abandon()
        raise InputError(_too_long(seconds))
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def _watch(server: GraphServer, query: threading.Thread, seconds: float) -> None:
    """Wait for the end of a query that nobody waits for any more; a server that hangs is ended."""
    query.join(seconds)
    if query.is_alive():
        server.abandon()


def _too_long(seconds: float) -> str:
    return (
        f"The query was ended: it took longer than {seconds:g} s. Ask for less, for example with fewer hops."
    )


def _run(
    driver: Driver,
    database: str | None,
    text: str,
    row_limit: int,
    seconds: float,
    parameters: Mapping[str, Any] | None,
) -> QueryResult:
    import neo4j
    from neo4j.exceptions import Neo4jError

    from core.knowledge.results import Plain

    plain, started = Plain(), time.monotonic()
    query = neo4j.Query(text, timeout=seconds)
    try:
        with (
            graph_errors(raw=True),
            driver.session(
                database=database, default_access_mode=neo4j.READ_ACCESS, fetch_size=row_limit + 1
            ) as session,
        ):
            result = session.run(query, dict(parameters or {}))
            columns = list(result.keys())
            rows: list[list[Any]] = []
            more = False
            for record in result:
                if len(rows) == row_limit:
                    more = True
                    break
                rows.append([plain.value(value) for value in record.values()])
    except Neo4jError as error:
        raise _sentence(error, seconds) from None
    return QueryResult(
        columns=columns,
        rows=rows,
        truncated=more or plain.cut,
        seconds=round(time.monotonic() - started, 4),
        nodes=list(plain.nodes.values()),
        edges=list(plain.edges.values()),
        paths=plain.paths,
    )


def _sentence(error: Any, seconds: float) -> InputError | StoreError:
    code = error.code or ""
    if "TimedOut" in code or "Terminated" in code:
        return InputError(_too_long(seconds))
    if "DatabaseNotFound" in code:
        return StoreError("This graph is not in the graph database any more. Import or build it again.")
    return InputError(f"The graph database does not accept the query: {server_says(error)}")
