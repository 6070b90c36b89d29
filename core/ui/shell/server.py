"""The routes beside Streamlit's, of the same server: see `core.classroom.routes`."""

from __future__ import annotations

from starlette.routing import BaseRoute
from streamlit import config

from core.classroom.routes import ClassRoutes
from core.classroom.store import class_store
from core.settings import get_settings
from core.ui.shell import login
from core.ui.shell.host import foreign_name, names_checked


def routes() -> list[BaseRoute]:
    """Return the routes, below the path that the server is told to serve."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    checked = names_checked()  # asked once: Streamlit's options have a lock that all pages wait for
    classes = ClassRoutes(
        lambda: class_store(get_settings().database),
        login.request_owner,
        lambda request: checked and bool(foreign_name(request.headers)),
        names_needed=get_settings().oidc_required,
    )
    return [*login.routes(), *classes.routes(f"/{base}" if base else "")]
