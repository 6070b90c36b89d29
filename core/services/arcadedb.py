"""The local graph database: ArcadeDB, with the Java it brings along, on `home/arcadedb`; it speaks Bolt.

Why this one, and not an embedded library: the same driver and the same Cypher reach a real Neo4j server.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ServiceError
from core.services.service import Service, Serving, answers, listening_ports

if TYPE_CHECKING:
    from arcadedb_embedded.server import ArcadeDBServer

_READY = "/api/v1/ready"
USER = "root"
HEAP = "512m"
"""What Java may allocate; the process is about 300 MB resident with 10,000 nodes and 50,000 edges."""
QUERY_SECONDS = 5
"""Seconds that a statement may run: a limit of the server, which ignores the limits that clients ask for."""
_JAVA = (
    # For one user and minutes, not for months: half the time to start, half the work of both cores.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    # These work only as arguments of the JVM, not as settings of the server.
    f"-Darcadedb.command.timeout={QUERY_SECONDS * 1000}",
    "-Darcadedb.opencypher.loadCsv.allowFileUrls=false",
    "-Darcadedb.opencypher.loadCsv.allowRemoteUrls=false",
    "-Darcadedb.polyglotEngineEnabled=false",
    "-Darcadedb.txWalFlush=1",  # what is reported done is on the disk
)


def _check() -> None:
    if importlib.util.find_spec("arcadedb_embedded") is None:
        raise ServiceError(
            "The local graph database is not installed. Run `pip install arcadedb-embedded`, "
            "or set NEO4J_URI to use a server."
        )


def serve(home: Path) -> Serving:
    """Serve the graphs of `home` on free ports. Whoever can read the service's file may do everything there."""
    secret = secrets.token_urlsafe(24)
    server = start(home, secret, "127.0.0.1")
    http, bolt = _ports()
    return Serving(f"http://127.0.0.1:{http}", secret, server, f"bolt://127.0.0.1:{bolt}")


def start(
    home: Path, secret: str, host: str, http_port: int = 0, bolt_port: int = 0, heap: str = HEAP
) -> ArcadeDBServer:
    """Start the server in this process, with its databases below `home`; it runs as long as what is returned is kept.

    It listens at `host`: at `http_port` for administration, at `bolt_port` for queries; 0: any that is free. `secret`
    is the password of `USER`, `heap` what Java may allocate.
    """
    from arcadedb_embedded.server import ArcadeDBServer

    folder = home / "arcadedb"
    folder.mkdir(mode=0o700, exist_ok=True)
    os.chdir(folder)  # Java writes its own log below the current folder, whatever it is told
    os.environ["ARCADEDB_JVM_ERROR_FILE"] = str(home / "logs" / "arcadedb-crash.log")
    # A new password each time: the server would go on with the first one, which nobody keeps.
    (folder / "config" / "server-users.jsonl").unlink(missing_ok=True)
    server = ArcadeDBServer(
        str(folder),
        secret,
        config={
            "host": host,
            "mode": "development",  # in production mode it does not report what is wrong with a query
            "http_port": http_port,
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": bolt_port,
        },
        jvm_kwargs={"heap_size": heap, "jvm_args": " ".join(_JAVA)},
    )
    server.start()
    return server


def _ports() -> tuple[int, int]:
    """Where this process speaks HTTP and where Bolt; the server itself knows only the ports asked for."""
    while True:
        ports = listening_ports()
        http = [port for port in ports if answers(f"http://127.0.0.1:{port}", _READY)]
        if len(ports) == 2 and len(http) == 1:
            return http[0], ports[1 - ports.index(http[0])]
        time.sleep(0.02)


LOCAL_GRAPHS = Service("arcadedb", "local graph database", "core.services.arcadedb", _READY, _check)
