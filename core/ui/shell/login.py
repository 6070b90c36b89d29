"""Signing in by name (OpenID Connect, by Streamlit and Authlib): who somebody is, in a session and in a request.

The id of somebody signed in has another form than the ids that cookies keep: no cookie can say that it is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import streamlit as st
from starlette.responses import RedirectResponse
from starlette.routing import Route
from streamlit import config
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.url_util import make_url_path
from streamlit.user_info import generate_login_redirect_url
from streamlit.web.server.starlette import starlette_websocket
from streamlit.web.server.starlette.starlette_auth_routes import create_auth_routes
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from core.errors import InputError
from core.settings import Settings, get_settings
from core.users import OWNER_COOKIE

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

_PREFIX = "oidc-"
_OF_A_COOKIE = re.compile(r"[0-9a-f]{32}")
_TO = "sign-in-to"
"""In Streamlit's signed cookie of a sign-in under way: where it ends."""
_OF_THIS_APP = re.compile(r"/(?!/)[!-\[\]-~]{0,2000}")
"""A path, never the address of another app: browsers take a second slash, or a backslash, for the start of one."""


@dataclass(frozen=True)
class Person:
    """Somebody who signed in."""

    owner: str
    """Id under which they own what they make: of the issuer and the subject, the same at every sign-in."""
    name: str
    """As the provider has it, to be shown as literal text; empty: it has none."""
    teacher: bool
    """True if the operator lists them, or their token holds the claim of teachers."""


def request_owner(request: Request) -> str:
    """Return the owner in whose name a request comes, outside of Streamlit's sessions.

    That is whoever signed in, by Streamlit's signed cookie, else the browser, by the cookie that keeps its id. It is
    empty where neither is there, or only the second and `Settings.oidc_required`.
    """
    if (person := request_person(request)) is not None:
        return person.owner
    return "" if get_settings().oidc_required else owner_in(request.cookies)


def request_person(request: Request) -> Person | None:
    """Return who signed in at the browser that sends a request; None: nobody, or the cookie is forged or too old."""
    if not get_settings().has_login:
        return None
    signed = starlette_websocket._get_signed_cookie_with_chunks(request.cookies, USER_COOKIE_NAME)
    origin = get_origin_from_redirect_uri()
    if not signed or not origin:
        return None
    return person_of(starlette_websocket._parse_decoded_user_cookie(signed, origin), get_settings())


def session_person() -> Person | None:
    """Return who signed in in this session of Streamlit's; None: nobody."""
    return person_of(st.user.to_dict(), get_settings()) if get_settings().has_login else None


def owner_in(cookies: Mapping[str, str]) -> str:
    """Return the id that a browser's cookie keeps; empty: there is none, or none of that form."""
    kept = str(cookies.get(OWNER_COOKIE, ""))
    return kept if _OF_A_COOKIE.fullmatch(kept) else ""


def person_of(claims: Mapping[str, Any], settings: Settings) -> Person | None:
    """Return the person whom the claims of an ID token name; None: nobody signed in."""
    issuer, subject = claims.get("iss"), claims.get("sub")
    if claims.get("is_logged_in") is not True or not (issuer and subject):
        return None
    name = next((claims[key] for key in ("name", "preferred_username", "email") if claims.get(key)), "")
    digest = sha256(f"{issuer}\n{subject}".encode()).hexdigest()
    return Person(f"{_PREFIX}{digest[:32]}", str(name), _teaches(claims, settings))


def _teaches(claims: Mapping[str, Any], settings: Settings) -> bool:
    """An entry with an “@” is an e-mail address, and counts only where the provider says that it is verified."""
    listed = {one.strip() for one in settings.oidc_teachers.split(",")} - {""}
    emails = {one.casefold() for one in listed if "@" in one}
    verified = claims.get("email_verified") in (True, "true")  # some providers send text
    if verified and str(claims.get("email") or "").casefold() in emails:
        return True
    if claims["sub"] in {one for one in listed if "@" not in one}:
        return True
    claim, _, wanted = (part.strip() for part in settings.oidc_teacher_claim.partition("="))
    there = claims.get(claim) if claim else None
    return wanted in (there if isinstance(there, list) else [there])


def sign_in() -> None:
    """Send the browser to the provider, and back to the page that it shows; a callback."""
    query = urlencode(st.query_params.to_dict())
    page = urlsplit(st.context.url or "").path or "/"
    message = ForwardMsg()
    message.auth_redirect.url = sign_in_address(f"{page}?{query}" if query else page)
    if (context := get_script_run_ctx()) is not None:
        context.enqueue(message)


def sign_in_address(to: str) -> str:
    """Return the address at which a browser signs in; it comes back to `to`, a path of this app with its query."""
    return f"{_path('sign-in')}?{urlencode({'to': to})}"


def routes() -> list[BaseRoute]:
    """Return the routes for `App(routes=…)` that take a browser to the provider, and back to where it came from.

    Streamlit's own way always ends at the first page. None where nobody signs in by name.
    """
    if not get_settings().has_login:
        return []
    streamlits = {route.path: route.endpoint for route in create_auth_routes(_base())}
    callback = _path("oauth2callback")

    async def begin(request: Request) -> Response:
        request.session[_TO] = request.query_params.get("to", "")
        return RedirectResponse(generate_login_redirect_url("default"), status_code=302)

    async def end(request: Request) -> Response:
        response: Response = await streamlits[callback](request)
        to = str(request.session.pop(_TO, ""))
        if _OF_THIS_APP.fullmatch(to) and "code" in request.query_params:
            response.headers["location"] = to
        return response

    return [Route(_path("sign-in"), begin, methods=["GET"]), Route(callback, end, methods=["GET"])]


def _path(name: str) -> str:
    return make_url_path(_base(), name)


def _base() -> str:
    return str(config.get_option("server.baseUrlPath") or "")


def secrets() -> dict[str, Any] | None:
    """Return what Streamlit is to know for signing in, for `App(secrets=…)`; None: nobody signs in by name.

    Raises:
        SystemExit: A setting is not usable; the sentence is printed as the server ends.
    """
    try:
        settings = get_settings()
    except InputError as error:
        raise SystemExit(str(error)) from None
    if not settings.has_login:
        return None
    cookie_secret = settings.oidc_cookie_secret.get_secret_value()
    # Streamlit signs the steps of a sign-in before it takes the secrets: another process may do the next step.
    config.set_option("server.cookieSecret", cookie_secret)
    return {
        "auth": {
            "server_metadata_url": settings.oidc_metadata_url,
            "client_id": settings.oidc_client_id,
            "client_secret": settings.oidc_client_secret.get_secret_value(),
            "cookie_secret": cookie_secret,
            "redirect_uri": settings.oidc_redirect_uri,
        }
    }
