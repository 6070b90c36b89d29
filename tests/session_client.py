"""One session of the app without a browser: Streamlit's own messages over a real websocket."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType

from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

KEY = re.compile(r"^\$\$ID-[0-9a-f]+-(.+)$")
"""Streamlit's id of a widget ends with the key that the page gave it."""


@dataclass
class Ticker:
    """A fragment that asks to be drawn again and again, as the browser does on its behalf."""

    interval: float
    due: float


@dataclass
class Heard:
    """Everything that has come from the server."""

    bodies: list[str] = field(default_factory=list)
    """Texts of Markdown elements, in order."""
    errors: list[str] = field(default_factory=list)
    """Exceptions and error boxes on the page."""
    raw: list[bytes] = field(default_factory=list)
    """Every message as it came, for looking for what must not be in it."""


class Session:
    """A browser session: it answers the page's wish to be redrawn, keeps widget values and the address.

    Args:
        url: Of the app, `http://…`.
        cookies: Of the browser, with that of Streamlit's against forged requests; else none.
    """

    def __init__(self, url: str, cookies: Mapping[str, str] | None = None) -> None:
        token = [Subprotocol(cookies[XSRF_COOKIE_NAME])] if cookies else []
        self._connection = connect(
            f"ws{url.removeprefix('http')}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit"), *token],
            additional_headers={"Cookie": "; ".join(f"{name}={cookie}" for name, cookie in cookies.items())}
            if cookies
            else None,
            origin=Origin(url) if cookies else None,
            max_size=None,
            compression=None,
        )
        self._query = ""
        self._page = ""
        self._values: dict[str, str] = {}
        self._tickers: dict[str, Ticker] = {}
        self.ids: dict[str, str] = {}
        """Key of a widget -> its id."""
        self.enabled: dict[str, bool] = {}
        """Key of a button -> whether it can be pressed."""
        self.finished = 0
        """How often the page was drawn to its end."""
        self.heard = Heard()

    def __enter__(self) -> Session:
        self._socket = self._connection.__enter__()
        self._rerun()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.__exit__(kind, error, trace)

    def write(self, key: str, text: str) -> None:
        """Put a text into a field; the page hears of it with the next click."""
        self._values[self.ids[key]] = text

    def click(self, key: str) -> None:
        """Press a button."""
        self._rerun(pressed=self.ids[key])

    def choose(self, key: str, event: str, value: str) -> None:
        """Report an event of a drawing, such as a click on a tile; return when the page is drawn with it."""
        self._rerun(event=(self.ids[key], event, value))
        self._drawn()

    def redraw(self) -> float:
        """Have the whole page drawn again; seconds until it is."""
        start = time.monotonic()
        self._rerun()
        self._drawn()
        return time.monotonic() - start

    def _drawn(self) -> None:
        before = self.finished
        self.wait(lambda: self.finished > before)

    def wait(self, until: Callable[[], bool], seconds: float = 60.0) -> float:
        """Go on until something is so; the moment when it became so.

        Raises:
            TimeoutError: It did not in time.
        """
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                seen = self.heard.errors or self.heard.bodies[-5:]
                raise TimeoutError(f"Nothing of the kind after {seconds:.0f} s: {seen}")
            self._step()
        return time.monotonic()

    def idle(self, seconds: float) -> None:
        """Keep the page alive for a while, as a browser that nobody touches."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._step()

    def _step(self) -> None:
        """Take one message, or tick."""
        now = time.monotonic()
        for fragment, ticker in self._tickers.items():
            if ticker.due <= now:
                ticker.due = now + ticker.interval
                self._rerun(fragment)
        rest = min([0.2, *(ticker.due - now for ticker in self._tickers.values())])
        try:
            data = self._socket.recv(timeout=max(0.001, rest))
        except TimeoutError:
            return
        assert isinstance(data, bytes)
        self.heard.raw.append(data)
        self._take(ForwardMsg.FromString(data))

    def _rerun(
        self, fragment: str = "", pressed: str = "", event: tuple[str, str, str] | None = None
    ) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.page_script_hash = self._query, self._page
        state.fragment_id, state.is_auto_rerun = fragment, bool(fragment)
        states = [WidgetState(id=widget, string_value=text) for widget, text in self._values.items()]
        if pressed:
            states.append(WidgetState(id=pressed, trigger_value=True))
        if event:
            widget, name, value = event
            events = json.dumps([{"event": name, "value": value}])
            states.append(WidgetState(id=_make_trigger_id(widget, "events"), json_trigger_value=events))
        state.widget_states.widgets.extend(states)
        self._socket.send(message.SerializeToString())

    def _take(self, message: ForwardMsg) -> None:
        match message.WhichOneof("type"):
            case "new_session":
                self._page = message.new_session.page_script_hash
                if not message.metadata.run.fragment_ids:
                    self._tickers.clear()
            case "script_finished":
                self.finished += 1
            case "page_info_changed":
                self._query = message.page_info_changed.query_string
            case "auto_rerun":
                fragment, seconds = message.auto_rerun.fragment_id, message.auto_rerun.interval
                if fragment not in self._tickers or self._tickers[fragment].interval != seconds:
                    self._tickers[fragment] = Ticker(seconds, time.monotonic() + seconds)
            case "stop_auto_rerun":
                for fragment in message.stop_auto_rerun.fragment_ids:
                    self._tickers.pop(fragment, None)
            case "session_event" if message.session_event.HasField("script_compilation_exception"):
                self.heard.errors.append(message.session_event.script_compilation_exception.message)
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                self._show(message.delta.new_element)

    def _show(self, element: Element) -> None:
        kind = element.WhichOneof("type")
        if kind is None:
            return
        widget = getattr(element, kind)
        if key := KEY.match(getattr(widget, "id", "")):
            self.ids[key[1]] = widget.id
            self.enabled[key[1]] = not getattr(widget, "disabled", False)
        if kind == "markdown":
            self.heard.bodies.append(element.markdown.body)
        elif kind == "exception":
            self.heard.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "alert" and element.alert.format == Alert.ERROR:
            self.heard.errors.append(element.alert.body)
