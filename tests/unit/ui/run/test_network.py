"""What a drawing is sent, and what it may report."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

from core.drawings.network import Network, NetworkNode
from core.drawings.network_drawing import build_drawing
from core.drawings.playback import frames
from core.ui.run.network import Clicked, clicked_in, playback_data
from tests.unit.drawings.test_playback import WAY

STATIC = Path(__file__).parents[4] / "static"


def test_the_library_is_the_one_that_pyvis_packages() -> None:
    found = importlib.util.find_spec("pyvis")  # not imported: that takes seconds
    assert found is not None
    assert found.origin is not None
    packaged = Path(found.origin).parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
    assert (STATIC / "vis-network.min.js").read_bytes() == packaged.read_bytes()
    assert "vis-network 9.1.2" in (STATIC / "NOTICE").read_text(encoding="utf-8")
    assert {file.name for file in STATIC.iterdir()} == {"vis-network.min.js", "NOTICE"}


def test_only_a_click_on_something_that_is_drawn_counts() -> None:
    network = Network((NetworkNode("a", "A"),), ())
    assert clicked_in({"what": "node", "key": "a"}, network) == Clicked("node", "a")
    for value in (
        None,
        "a",
        {"what": "edge", "key": "a"},
        {"what": "node", "key": ["a"]},
        {"what": [], "key": "a"},
        {},
    ):
        assert clicked_in(value, network) is None


def test_what_frames_share_is_sent_once() -> None:
    found = frames(WAY)
    sent = playback_data(found)
    boards, pictures = sent["boards"], sent["frames"]
    assert isinstance(boards, list)
    assert isinstance(pictures, list)
    for frame, picture in zip(found, pictures, strict=True):
        board = boards[picture["board"]]
        drawn = build_drawing(frame.network, still=True)
        assert [board["nodes"][place] for place in picture["nodes"]] == drawn.nodes
        assert [board["edges"][place] for place in picture["edges"]] == drawn.edges
    shown = {json.dumps(node) for node in boards[0]["nodes"]}
    assert len(shown) == len(boards[0]["nodes"])
    assert playback_data(frames(WAY)) is sent
