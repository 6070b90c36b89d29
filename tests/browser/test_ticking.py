"""A page goes on although the messages that should keep it going were lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import App, Tab
from tests.browser.small_pages import small_pages
from tests.browser.test_playground import QUESTION, ask, open_playground
from tests.scripted import Rule, ScriptedServer


@pytest.fixture
def lost(tab: Tab) -> Lost:
    """What keeps the server's next order to draw a part again and again from the browser, once."""
    found = Lost()
    tab.page.route_web_socket(re.compile("_stcore/stream"), found.pass_on)
    return found


class Lost:
    """Orders that never arrived; the next one is lost when `armed`."""

    def __init__(self) -> None:
        self.orders: list[str] = []
        self.armed = False

    def pass_on(self, socket: WebSocketRoute) -> None:
        """Stand between browser and server."""
        server = socket.connect_to_server()

        def to_browser(message: str | bytes) -> None:
            if self.armed and not self.orders and isinstance(message, bytes):
                parsed = ForwardMsg.FromString(message)
                if parsed.HasField("auto_rerun") and parsed.auto_rerun.interval < 1:
                    self.orders.append(parsed.auto_rerun.fragment_id)
                    return
            socket.send(message)

        server.on_message(to_browser)


def test_a_page_whose_ticks_are_lost_is_drawn_again(
    tab: Tab, lost: Lost, scripted_app: App, scripted: ScriptedServer
) -> None:
    page = tab.page
    open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(skill="answer", reply="It was Sidney J. Furie [1]. " * 8, pause=0.05))
    lost.armed = True
    ask(tab, QUESTION, "Plain retrieval")
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    assert lost.orders


UNHEARD_SECONDS = 3


def test_streamlit_itself_never_asks_again(tab: Tab, lost: Lost, request: pytest.FixtureRequest) -> None:
    """Else nothing would have to watch the ticks."""
    lost.armed = True
    tab.page.goto(f"{small_pages(request).url}/ticks")
    expect(tab.page.get_by_text("Drawn 1 times")).to_be_visible()
    assert lost.orders
    tab.page.wait_for_timeout(1000 * UNHEARD_SECONDS)
    expect(tab.page.get_by_text("Drawn 1 times")).to_be_visible()


def test_a_part_that_is_watched_goes_on(tab: Tab, lost: Lost, request: pytest.FixtureRequest) -> None:
    lost.armed = True
    tab.page.goto(f"{small_pages(request).url}/ticks?watch=1")
    expect(tab.page.get_by_text(re.compile(r"Drawn ([4-9]|\d\d+) times"))).to_be_visible()
    assert lost.orders
