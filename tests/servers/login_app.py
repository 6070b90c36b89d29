"""The app with one more route, which says in whose name a request comes."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit.starlette import App

from core.ui.shell import login
from core.ui.shell.server import PHONES


async def who(request: Request) -> JSONResponse:
    person = login.request_person(request)
    return JSONResponse(
        {
            "owner": login.request_owner(request),
            "name": person and person.name,
            "teacher": bool(person and person.teacher),
        }
    )


app = App(
    Path(__file__).parents[2] / "app.py",
    secrets=login.secrets(),
    routes=[*login.routes(), Route("/who", who)],
    middleware=[PHONES],
)
