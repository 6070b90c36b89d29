"""A page goes on although the messages that should keep it going were lost."""

from __future__ import annotations

import re

from playwright.sync_api import WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import App, Tab
from tests.browser.test_playground import QUESTION, ask, open_playground
from tests.scripted import Rule, ScriptedServer


def test_a_page_whose_ticks_are_lost_is_drawn_again(
    tab: Tab, scripted_app: App, scripted: ScriptedServer
) -> None:
    """The server's order to draw the run again and again is kept from the browser, once."""
    page = tab.page
    lost: list[str] = []

    def pass_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def to_browser(message: str | bytes) -> None:
            if armed and not lost and isinstance(message, bytes):
                parsed = ForwardMsg.FromString(message)
                if parsed.HasField("auto_rerun") and parsed.auto_rerun.interval < 1:
                    lost.append(parsed.auto_rerun.fragment_id)
                    return
            socket.send(message)

        server.on_message(to_browser)

    armed: list[bool] = []
    page.route_web_socket(re.compile("_stcore/stream"), pass_on)
    open_playground(tab, scripted_app)
    page.locator(".st-key-ask button:not([disabled])").wait_for(timeout=90_000)
    scripted.script(Rule(skill="answer", reply="It was Sidney J. Furie [1]. " * 8, pause=0.05))
    armed.append(True)
    ask(tab, QUESTION, "Plain retrieval")
    expect(page.locator(".st-key-stop button").first).to_be_visible()
    expect(page.get_by_text(re.compile("Done in"))).to_be_visible()
    assert lost
