"""How long it takes to build the drawing of a graph, on the page and as a file, beside another checkout in turns.

    python -m research.network_drawing [--nodes 2000] [--edges 4000] [--runs 5] [--baseline CHECKOUT]

Every run is a process of its own. `first` is the first drawing of a process, the import of pyvis included; `next` is
the median of ten drawings of other content, `again` the median of ten of the same; `file` is the exported page. All are
seconds until the text is there that is sent to the browser. A baseline from before pyvis built the drawings sends
less: it leaves the looks to the browser, which `research.network_page` times.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIMIT_SECONDS = 1.0
PROBE = """
import json, random, statistics, sys, time
nodes, edges = int(sys.argv[1]), int(sys.argv[2])
try:
    from core.drawings.network import Network, NetworkEdge, NetworkNode
    from core.drawings.network_html import network_html
except ImportError:
    from core.views.network import Network, NetworkEdge, NetworkNode
    from core.views.network_html import network_html
try:
    from core.drawings.network_drawing import network_drawing
    def sent(network):
        drawn = network_drawing(network)
        return [drawn.nodes, drawn.edges, drawn.options, drawn.kinds]
except ImportError:
    try:
        from core.ui.run.network import network_data as sent
    except ImportError:
        from core.ui.network import network_data as sent

def graph(turn):
    chance = random.Random(turn)
    def node(i):
        return NetworkNode(f"n{i}", f"Entity number {i} of {turn}", f"kind {i % 5}", degree=i % 40)
    def edge(i):
        ends = chance.randrange(nodes), int(nodes * chance.random() ** 2)
        return NetworkEdge(f"e{i}", f"n{ends[0]}", f"n{ends[1]}", f"leads_{i % 12}")
    return Network(tuple(map(node, range(nodes))), tuple(map(edge, range(edges))))

def seconds(act, network):
    start = time.perf_counter()
    text = act(network)
    return time.perf_counter() - start, len(text)

def page(network):
    return json.dumps(sent(network))

first, size = seconds(page, graph(0))
later = [seconds(page, graph(turn))[0] for turn in range(1, 11)]
same = graph(1)
seconds(page, same)
again = [seconds(page, same)[0] for _ in range(10)]
file, _ = seconds(network_html, graph(11))
later, again = statistics.median(later), statistics.median(again)
print(json.dumps({"first": first, "next": later, "again": again, "file": file, "kB": size / 1000}))
"""


def measured(checkout: Path, nodes: int, edges: int) -> dict[str, float]:
    """One process with the code of a checkout."""
    command = [sys.executable, "-c", PROBE, str(nodes), str(edges)]
    done = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> int:
    """Print a line for each number; 1 where a drawing takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--edges", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--baseline", type=Path, help="folder with another state of this repository")
    options = parser.parse_args()
    checkouts = [ROOT, *([options.baseline] if options.baseline else [])]
    runs: dict[Path, list[dict[str, float]]] = {checkout: [] for checkout in checkouts}
    for _ in range(options.runs):
        for checkout in checkouts:
            runs[checkout].append(measured(checkout, options.nodes, options.edges))
    print(f"{options.nodes} nodes, {options.edges} edges, median of {options.runs} processes")
    slowest = 0.0
    for name in runs[ROOT][0]:
        series = [[run[name] for run in runs[checkout]] for checkout in checkouts]
        here, *there = map(statistics.median, series)
        beside = f"  baseline {there[0]:9.3f}  ratio {here / there[0]:6.2f}" if there else ""
        print(f"{name:>6} {here:9.3f} ({min(series[0]):.3f} to {max(series[0]):.3f}){beside}")
        slowest = max(slowest, here if name != "kB" else 0)
    return int(slowest > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
