"""The routes beside Streamlit's, of the same server: see `core.classroom.routes`."""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from core.classroom.routes import ClassRoutes
from core.classroom.store import class_store
from core.settings import get_settings
from core.ui.shell.host import foreign_name, names_checked
from core.ui.shell.login import request_owner


class _Phones:
    """Answers phones, and passes everything else on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        base = str(config.get_option("server.baseUrlPath") or "").strip("/")
        checked = names_checked()  # asked once: Streamlit's options have a lock that all pages wait for
        classes = ClassRoutes(
            lambda: class_store(get_settings().database),
            request_owner,
            lambda request: checked and bool(foreign_name(request.headers)),
            names_needed=get_settings().oidc_required,
        )
        self._router = Router(classes.routes(f"/{base}" if base else ""), redirect_slashes=False, default=app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._router if scope["type"] == "http" else self._app)(scope, receive, send)


PHONES = Middleware(_Phones)
"""Stands before Streamlit's own middleware, whose sessions and compression take longer than the answers to phones."""
