"""The routes beside Streamlit's, of the same server: see `core.classroom.routes`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import BaseRoute
from streamlit import config

from core.classroom.routes import ClassRoutes
from core.classroom.store import ClassStore, class_store
from core.settings import get_settings
from core.ui.shell import login
from core.ui.shell.host import foreign_name


def routes() -> list[BaseRoute]:
    """Return the routes, below the path that the server is told to serve."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    classes = ClassRoutes(_store, login.request_owner, _is_foreign, names_needed=get_settings().oidc_required)
    return [*login.routes(), *classes.routes(f"/{base}" if base else "")]


def _store() -> ClassStore:
    return class_store(get_settings().database)


def _is_foreign(request: Request) -> bool:
    """Return True for a request under a name that is not this machine's own; see `core.ui.shell.host`."""
    address = str(config.get_option("server.address") or "")
    return bool(foreign_name(request.headers, address, config.get_option("server.allowedHosts") or ()))
