"""How long a drawn graph takes until it is stable, beside pyvis's default settings.

    python -m research.network_page [--nodes 300 2000] [--runs 3] [--default-limit 120]

Both sides draw the same graph with the same vis-network in the same headless Chromium, and take turns. Ours is the
page of the app's drawing, from when it has its data until every node has its place; pyvis's is its HTML file as it
makes it, from when the drawing is made until vis has done its iterations.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, TimeoutError, sync_playwright

from core.drawings.network import Network
from tests.browser.conftest import FLAGS, ROOT, App, start_app, stop_app
from tests.browser.install import installed
from tests.browser.small_pages import SCRIPT
from tests.examples.networks import big

MADE = "network = new vis.Network(container, data, options);"
NOTED = f"""
const began = performance.now()
{MADE}
network.once("stabilizationIterationsDone", () => (document.body.dataset.milliseconds = performance.now() - began))
"""


def ours(browser: Browser, app: App, nodes: int) -> float:
    """Seconds until the app's drawing is stable."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{app.url}/network?graph={nodes}")
    root = page.locator('.root[data-state="stable"]')
    root.wait_for(timeout=120_000)
    seconds = float(root.get_attribute("data-milliseconds") or 0) / 1000
    page.close()
    return seconds


def default(browser: Browser, network: Network, limit: float, folder: Path) -> float | None:
    """Seconds until pyvis's own page is stable; None: it took longer than the limit."""
    from pyvis.network import Network as Drawing

    drawing = Drawing(height="560px", directed=True, cdn_resources="in_line")
    for node in network.nodes:
        drawing.add_node(node.key, label=node.label, title=node.label)
    for edge in network.edges:
        drawing.add_edge(edge.src, edge.dst, label=edge.label)
    html = drawing.generate_html(notebook=False)
    assert html.count(MADE) == 1
    html = html.replace(MADE, NOTED)
    file = folder / "default.html"
    file.write_text(html, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1440, "height": 900}, offline=True)
    page = context.new_page()
    try:
        page.goto(file.as_uri(), wait_until="commit", timeout=1000 * limit)
        page.locator("body[data-milliseconds]").wait_for(state="attached", timeout=1000 * limit)
        return float(page.locator("body").get_attribute("data-milliseconds") or 0) / 1000
    except TimeoutError:
        return None
    finally:
        context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[300, 2000])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--default-limit", type=float, default=120, help="seconds after which pyvis is given up"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        script = folder / "app.py"
        script.write_text(SCRIPT, encoding="utf-8")
        (folder / "static").symlink_to(ROOT / "static")
        browser = playwright.chromium.launch(executable_path=installed(), args=FLAGS)
        app = start_app(folder, script=str(script), PYTHONPATH=str(ROOT))
        try:
            for nodes in options.nodes:
                measure(browser, app, nodes, options.runs, options.default_limit, folder)
        finally:
            stop_app(app)
            browser.close()


def measure(browser: Browser, app: App, nodes: int, runs: int, limit: float, folder: Path) -> None:
    """Both sides in turns, and a line with the medians."""
    network = big(nodes)
    mine, theirs = [], []
    for _ in range(runs):
        mine.append(ours(browser, app, nodes))
        if None not in theirs:
            theirs.append(default(browser, network, limit, folder))
    own = statistics.median(mine)
    known = [seconds for seconds in theirs if seconds is not None]
    if len(known) < len(theirs):
        other, ratio = f"over {limit:.0f} s", f"more than {limit / own:.0f}"
    else:
        other, ratio = f"{statistics.median(known):.2f} s", f"{statistics.median(known) / own:.1f}"
    print(
        f"{nodes} nodes, {len(network.edges)} edges: stable in {own:.2f} s "
        f"({min(mine):.2f} to {max(mine):.2f}); pyvis's defaults: {other}; ratio {ratio}"
    )


if __name__ == "__main__":
    main()
