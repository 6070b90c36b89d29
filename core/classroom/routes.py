"""The pages and answers beside Streamlit's by which phones join a class and vote, and the projector counts.

A phone loads one page of a few kilobytes, and asks every two seconds for anything new; none of it makes a
Streamlit session. Who asks is said by a cookie, and the projector by the secret of its class.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core.batching import Batcher
from core.classroom.board import Board, projector_view, read_board, student_views
from core.classroom.store import PHASES, Classroom, ClassStore, UnknownClass, VoteKey
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
"""Phones that ask for anything new share one answer of the database for this time."""

T = TypeVar("T")
R = TypeVar("R")
Owner = Callable[[Request], str]
Body = Mapping[str, Any]


class _Refused(Exception):
    """A request that gets no more than a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class ClassRoutes:
    """The routes of one process. What many phones ask of the database at once is asked together, by one thread each
    for classes, joining, students and votes: a thread of its own for each request would keep all pages waiting."""

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
        self._wrong = (WrongCodes(WRONG_NEAR), WrongCodes(WRONG_FAR))
        self._boards: dict[str, tuple[float, Board]] = {}
        """By code, until when a board counts as that of now, in seconds of the monotonic clock."""
        self._read = _together(self._read_all)
        self._add = _together(self._add_all)
        self._view = _together(self._view_all)
        self._write = _together(self._write_all)

    def routes(self, base: str = "") -> list[Route]:
        """The routes below the path `base` of the server, empty or such as `/loupe`."""
        place = f"{base}/join"
        code = f"{place}/{{code}}"
        return [
            Route(place, self._endpoint(self._page)),
            Route(code, self._endpoint(self._page)),
            Route(f"{code}/member", self._endpoint(self._join), methods=["POST"]),
            Route(f"{code}/member", self._endpoint(self._leave), methods=["DELETE"]),
            Route(f"{code}/state", self._endpoint(self._state)),
            Route(f"{code}/vote", self._endpoint(self._vote), methods=["POST"]),
            Route(f"{code}/votes", self._endpoint(self._votes)),
            Route(f"{code}/show", self._endpoint(self._show), methods=["POST"]),
        ]

    def _endpoint(
        self, handler: Callable[[Request, Body], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """The handler as Starlette calls it: with the body that was sent, and sentences in place of errors."""

        async def endpoint(request: Request) -> Response:
            if self._foreign(request):
                return _sentence(403, "This address is not the app's own. Open it as the projector shows it.")
            try:
                return await handler(
                    request, {} if request.method in ("GET", "HEAD") else await _body(request)
                )
            except _Refused as refused:
                return _sentence(refused.status, refused)
            except UnknownClass as error:
                return _sentence(404, error)
            except InputError as error:
                return _sentence(400, error)
            except LoupeError as error:
                return _sentence(503, error)

        return endpoint

    async def _page(self, _: Request, __: Body) -> Response:
        """The page of a phone, the same for every class."""
        html, policy = page()
        return HTMLResponse(html, headers=policy)

    async def _join(self, request: Request, body: Body) -> Response:
        """Join, or take another nickname; gives the browser an id where it has none."""
        board = await self._board(request)
        owner = self._owner(request)
        if self._names_needed and not owner:
            raise _Refused(401, "Sign in first: this class knows its members by name.")
        member = owner or secrets.token_hex(16)
        nickname = body.get("nickname", "")
        if not isinstance(nickname, str):
            raise _Refused(400, "A nickname is a text.")
        if refusal := await self._add((board.classroom.id, member, nickname)):
            raise refusal
        response = await self._student(board, member)
        if not owner:
            secure = "https" in (request.url.scheme, request.headers.get("x-forwarded-proto", ""))
            response.set_cookie(OWNER_COOKIE, member, max_age=YEAR, samesite="strict", secure=secure)
        return response

    def _add_all(self, joining: list[tuple[str, str, str]]) -> list[InputError | None]:
        """Let browsers into classes; see `ClassStore.join_all`."""
        return self._store().join_all(joining)

    async def _leave(self, request: Request, _: Body) -> Response:
        """Take a browser out of a class, with its nickname and votes."""
        board, owner = await self._board(request), self._owner(request)
        await run_in_threadpool(self._store().leave, board.classroom.id, owner)
        return await self._student(board, owner)

    async def _state(self, request: Request, _: Body) -> Response:
        """The state of a class for a student; nothing where it is the version that they have (`seen`)."""
        board = await self._board(request)
        if request.query_params.get("seen") == str(board.classroom.version):
            return Response(status_code=204)
        return await self._student(board, self._owner(request))

    async def _vote(self, request: Request, body: Body) -> Response:
        """Vote, or vote anew."""
        place, option, owner = body.get("place"), body.get("option"), self._owner(request)
        if type(place) is not int or not isinstance(option, str):
            raise _Refused(400, "A vote names a question and an option.")
        board = await self._board(request, aged=True)
        if place >= len(board.questions):  # added since
            board = await self._board(request)
        questions = board.questions
        options = {one.key for one in questions[place][0].options} if 0 <= place < len(questions) else set()
        if option not in options:
            raise _Refused(400, "This question has no such option.")
        if not owner or not await self._write(((board.classroom.id, place, owner), option)):
            raise _Refused(409, "This question takes no more votes.")
        return JSONResponse({"mine": option}, headers=_UNCACHED)

    def _write_all(self, votes: list[tuple[VoteKey, str]]) -> list[bool]:
        """Write votes, the last of each key; True for each that counts."""
        written = self._store().vote(dict(votes))
        return [key in written for key, _ in votes]

    async def _votes(self, request: Request, _: Body) -> Response:
        """The state of a class for its projector."""
        board = await self._own(request)
        view = await run_in_threadpool(projector_view, self._store(), board)
        return JSONResponse(view, headers=_UNCACHED)

    async def _show(self, request: Request, body: Body) -> Response:
        """Show a question, its truth or nothing, ask it anew, or let more join or not; for the projector."""
        classroom, store = (await self._own(request)).classroom, self._store()
        place, phase, admits = body.get("place"), body.get("phase"), body.get("admits")
        if type(admits) is bool:
            await run_in_threadpool(store.admit, classroom.id, admits=admits)
        elif type(place) is int and phase in PHASES:
            anew = body.get("anew") is True
            await run_in_threadpool(store.show, classroom.id, place, phase, anew=anew)
        else:
            raise _Refused(400, "This is nothing that a projector can show.")
        self._boards.pop(_code(request), None)
        return await self._votes(request, body)

    async def _student(self, board: Board, owner: str) -> Response:
        view = await self._view((board, owner))
        return JSONResponse(view | {"sign_in": self._names_needed and not owner}, headers=_UNCACHED)

    def _view_all(self, asked: list[tuple[Board, str]]) -> list[dict[str, Any]]:
        """Read the states of classes for browsers; see `student_views`."""
        return student_views(self._store(), asked)

    async def _board(self, request: Request, *, aged: bool = False) -> Board:
        """The board of the class with the code in the address, a moment old at most, or of any age: then only its
        questions count, of which the last may be missing.

        Wrong codes are counted; from an address of too many, only those get any further who are in the class.
        """
        code, guesses = _code(request), self._guesses(request)
        until, latest = self._boards.get(code, (0.0, None))
        if latest is not None and (aged or time.monotonic() < until) and not guesses:
            return latest
        board = await self._read(code)
        if isinstance(board, UnknownClass):
            for counted, address in zip(self._wrong, _addresses(request), strict=True):
                counted.note(address)
            raise _Refused(429, TOO_MANY) if guesses else board
        if guesses and not _is_projector(request, board.classroom):
            owner = self._owner(request)
            if not owner or not (await self._view((board, owner)))["joined"]:
                raise _Refused(429, TOO_MANY)
        return board

    def _read_all(self, codes: list[str]) -> list[Board | UnknownClass]:
        """Read the boards of the classes with these codes."""
        store, boards = self._store(), dict[str, Board | UnknownClass]()
        for code in dict.fromkeys(codes):
            try:
                classroom = store.find(code)
            except UnknownClass as error:
                boards[code] = error
                continue
            _, board = self._boards.get(code, (0.0, None))
            if board is None or board.classroom != classroom:
                board = read_board(store, classroom)
            boards[code] = board
            self._boards[code] = (time.monotonic() + FRESH_SECONDS, board)
        return [boards[code] for code in codes]

    async def _own(self, request: Request) -> Board:
        """The board of the class whose projector asks."""
        board = await self._board(request)
        if not _is_projector(request, board.classroom):
            raise _Refused(403, "Only the projector of this class can do this.")
        return board

    def _guesses(self, request: Request) -> bool:
        """True if too many wrong codes came from the address of a request."""
        pairs = zip(self._wrong, _addresses(request), strict=True)
        return any(counted.too_many(address) for counted, address in pairs)


def _together(work: Callable[[list[T]], list[R]]) -> Batcher[T, R]:
    """A batcher that has one thread at a time do the work: it gets requests, and returns their results in order."""
    return Batcher(lambda asked: run_in_threadpool(work, asked), one_at_a_time=True)


def _code(request: Request) -> str:
    code: str = request.path_params["code"]
    return "".join(code.split()).upper()


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
        text = html.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

    policy = (
        f"default-src 'none'; script-src {own('script')}; style-src {own('style')}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )
    return html, _UNCACHED | {"content-security-policy": policy, "referrer-policy": "no-referrer"}


def _sentence(status: int, error: Exception | str) -> Response:
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
