"""The pages and answers beside Streamlit's by which phones join a class and vote, and the projector counts.

A phone loads one page of a few kilobytes, and asks every two seconds whether something is new; none of it makes a
Streamlit session. Who asks is said by a cookie, and the projector by the secret of its class.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core.classroom.board import projector_view, student_view
from core.classroom.store import Classroom, ClassStore, UnknownClass
from core.classroom.wrong_codes import WrongCodes
from core.errors import InputError, LoupeError
from core.users import OWNER_COOKIE

PAGE = Path(__file__).with_name("phone.html")
KEY_HEADER = "x-class-key"
"""Header in which the projector sends the secret of its class."""
BODY_BYTES = 2_000
YEAR = 365 * 24 * 3600
WRONG_FAR, WRONG_NEAR = 30, 300
"""Wrong codes a minute of one address, and of all that come by one proxy: a whole class mistypes fewer."""
TOO_MANY = "Too many wrong codes came from this network. Wait a minute, then try again."
FRESH_SECONDS = 0.25
"""For so long phones that ask whether something is new share one answer of the database."""

Owner = Callable[[Request], str]
Handler = Callable[["ClassRoutes", Request], Awaitable[Response]]


class _Refused(Exception):
    """A request that gets no more than a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def _answers(handler: Handler) -> Handler:
    """Turn what goes wrong into a status and a sentence."""

    @wraps(handler)
    async def answer(self: ClassRoutes, request: Request) -> Response:
        try:
            if self._foreign(request):
                raise _Refused(403, "This address is not the app's own. Open it as the projector shows it.")
            return await handler(self, request)
        except _Refused as refused:
            return _sentence(refused.status, refused)
        except UnknownClass as error:
            return _sentence(404, error)
        except InputError as error:
            return _sentence(400, error)
        except LoupeError as error:
            return _sentence(503, error)

    return answer


class ClassRoutes:
    """The routes of one process."""

    def __init__(
        self,
        store: Callable[[], ClassStore],
        owner: Owner,
        foreign: Callable[[Request], bool],
        *,
        names_needed: bool = False,
    ) -> None:
        """
        Args:
            store: Opens the classes.
            owner: The owner id of a request; empty: its browser has none yet.
            foreign: True for a request under a name that is not the app's.
            names_needed: True if only those take part who signed in.
        """
        self._store, self._owner, self._foreign = store, owner, foreign
        self._names_needed = names_needed
        self._wrong_near, self._wrong_far = WrongCodes(WRONG_NEAR), WrongCodes(WRONG_FAR)
        self._versions: dict[str, tuple[float, int]] = {}

    def routes(self, base: str = "") -> list[Route]:
        """The routes below the path `base` of the server, empty or such as `/loupe`."""
        place = f"{base}/join"
        return [
            Route(place, self.page),
            Route(f"{place}/{{code}}", self.page),
            Route(f"{place}/{{code}}/member", self.join, methods=["POST"]),
            Route(f"{place}/{{code}}/member", self.leave, methods=["DELETE"]),
            Route(f"{place}/{{code}}/state", self.state),
            Route(f"{place}/{{code}}/vote", self.vote, methods=["POST"]),
            Route(f"{place}/{{code}}/votes", self.votes),
            Route(f"{place}/{{code}}/show", self.show, methods=["POST"]),
        ]

    @_answers
    async def page(self, _: Request) -> Response:
        """The page of a phone, the same for every class."""
        html, policy = page()
        return HTMLResponse(html, headers=policy)

    @_answers
    async def join(self, request: Request) -> Response:
        """Join, or take another nickname; gives the browser an id where it has none."""
        body = await _body(request)
        classroom = await self._class(request)
        owner = self._owner(request)
        if self._names_needed and not owner:
            raise _Refused(401, "Sign in first: this class knows its members by name.")
        member = owner or secrets.token_hex(16)
        nickname = body.get("nickname", "")
        if not isinstance(nickname, str):
            raise _Refused(400, "A nickname is a text.")
        await run_in_threadpool(self._store().join, classroom.id, member, nickname)
        view = await run_in_threadpool(student_view, self._store(), classroom, member)
        response = JSONResponse(view, headers=_UNCACHED)
        if not owner:
            response.set_cookie(
                OWNER_COOKIE, member, max_age=YEAR, samesite="strict", secure=_secure(request)
            )
        return response

    @_answers
    async def leave(self, request: Request) -> Response:
        """Take a browser out of a class, with its nickname and votes."""
        await _body(request)
        classroom = await self._class(request)
        await run_in_threadpool(self._store().leave, classroom.id, self._owner(request))
        return await self._student(request, classroom)

    @_answers
    async def state(self, request: Request) -> Response:
        """The state of a class for a student; nothing where it is the version that they have (`seen`)."""
        seen, known = request.query_params.get("seen"), self._versions.get(_code(request))
        if known is None or time.monotonic() > known[0] or seen != str(known[1]):
            classroom = await self._class(request)
            if seen != str(classroom.version):
                return await self._student(request, classroom)
        return Response(status_code=204)

    @_answers
    async def vote(self, request: Request) -> Response:
        """Vote, or vote anew."""
        body = await _body(request)
        place, option, owner = body.get("place"), body.get("option"), self._owner(request)
        if type(place) is not int or not isinstance(option, str) or not re.fullmatch("[A-Z]", option):
            raise _Refused(400, "A vote names a question and an option.")
        classroom = await self._class(request)
        questions = await run_in_threadpool(self._store().questions, classroom.id)
        options = {one.key for one in questions[place][0].options} if 0 <= place < len(questions) else set()
        if option not in options:
            raise _Refused(400, "This question has no such option.")
        taken = bool(owner) and await run_in_threadpool(
            self._store().vote, classroom.id, place, owner, option
        )
        if not taken:
            raise _Refused(409, "This question takes no more votes.")
        return JSONResponse({"mine": option}, headers=_UNCACHED)

    @_answers
    async def votes(self, request: Request) -> Response:
        """The state of a class for its projector."""
        classroom = await self._own(request)
        view = await run_in_threadpool(projector_view, self._store(), classroom)
        return JSONResponse(view, headers=_UNCACHED)

    @_answers
    async def show(self, request: Request) -> Response:
        """Show a question, its truth or nothing, ask it anew, or let more join or not; for the projector."""
        body = await _body(request)
        classroom = await self._own(request)
        store, place, phase, admits = self._store(), body.get("place"), body.get("phase"), body.get("admits")
        if type(admits) is bool:
            await run_in_threadpool(store.admit, classroom.id, admits=admits)
        elif type(place) is int and body.get("anew") is True:
            await run_in_threadpool(store.ask_anew, classroom.id, place)
        elif type(place) is int and phase in ("waiting", "open", "revealed", "ended"):
            await run_in_threadpool(store.show, classroom.id, place, phase)
        else:
            raise _Refused(400, "This is nothing that a projector can show.")
        self._versions.pop(_code(request), None)
        return await self.votes(request)

    async def _student(self, request: Request, classroom: Classroom) -> Response:
        owner = self._owner(request)
        view = await run_in_threadpool(student_view, self._store(), classroom, owner)
        view["sign_in"] = self._names_needed and not owner
        return JSONResponse(view, headers=_UNCACHED)

    async def _class(self, request: Request) -> Classroom:
        """The class with the code in the address. Wrong codes are counted; from an address of too many, only those get
        any further who are in the class."""
        code = _code(request)
        near, far = _addresses(request)
        guesses = self._wrong_near.too_many(near) or self._wrong_far.too_many(far)
        try:
            classroom = await run_in_threadpool(self._store().find, code)
        except UnknownClass:
            self._wrong_near.note(near)
            self._wrong_far.note(far)
            if guesses:
                raise _Refused(429, TOO_MANY) from None
            raise
        if guesses and not _is_projector(request, classroom):
            owner = self._owner(request)
            if not owner or not await run_in_threadpool(self._store().is_member, classroom.id, owner):
                raise _Refused(429, TOO_MANY)
        self._versions[code] = (time.monotonic() + FRESH_SECONDS, classroom.version)
        return classroom

    async def _own(self, request: Request) -> Classroom:
        """The class whose projector asks."""
        classroom = await self._class(request)
        if not _is_projector(request, classroom):
            raise _Refused(403, "Only the projector of this class can do this.")
        return classroom


def _code(request: Request) -> str:
    code: str = request.path_params["code"]
    return code.upper()


def _is_projector(request: Request, classroom: Classroom) -> bool:
    return hmac.compare_digest(request.headers.get(KEY_HEADER, "").encode(), classroom.key.encode())


def _addresses(request: Request) -> tuple[str, str]:
    """The address that the server sees, and that which the last proxy saw; a sender may make the second one up."""
    near = request.client.host if request.client else ""
    return near, request.headers.get("x-forwarded-for", near).rpartition(",")[2].strip()


_UNCACHED = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@cache
def page() -> tuple[str, dict[str, str]]:
    """The phone's page, and the headers that let it run its own script and style and ask this server, nothing else."""
    html = PAGE.read_text(encoding="utf-8")

    def own(tag: str) -> str:
        found = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = sha256(found[1].encode() if found else b"").digest()
        return f"'sha256-{b64encode(digest).decode()}'"

    policy = (
        f"default-src 'none'; script-src {own('script')}; style-src {own('style')}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    return html, _UNCACHED | {"content-security-policy": policy, "referrer-policy": "no-referrer"}


def _sentence(status: int, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, status, headers=_UNCACHED)


async def _body(request: Request) -> Mapping[str, Any]:
    """The JSON object that was sent; a form of a foreign page cannot send this type.

    Raises:
        _Refused: It is too long, of another type, or no object.
    """
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise _Refused(415, "Send JSON.")
    read = bytearray()
    async for piece in request.stream():
        read += piece
        if len(read) > BODY_BYTES:
            raise _Refused(413, "This is too long.")
    try:
        body = json.loads(read)
    except (ValueError, RecursionError):
        raise _Refused(400, "This is no JSON.") from None
    if not isinstance(body, dict):
        raise _Refused(400, "Send an object.")
    return body


def _secure(request: Request) -> bool:
    return "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))
