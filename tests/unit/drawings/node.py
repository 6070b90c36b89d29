"""Scripts under node, which comes with Playwright: what they compute without a page, or with a stand-in for one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import playwright

_DRIVER = Path(playwright.__file__).parent / "driver"
NODE = Path(
    os.environ.get("PLAYWRIGHT_NODEJS_PATH", _DRIVER / ("node.exe" if sys.platform == "win32" else "node"))
)
_RUNNER = """
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"

const text = (url) => `export default ${JSON.stringify(readFileSync(new URL(url), "utf8"))}`
registerHooks({
  load: (url, context, next) =>
    context.importAttributes.type === "text"
      ? { format: "module", source: text(url), shortCircuit: true }
      : next(url, /^node:/.test(url) ? context : { ...context, format: "module" }),
})
const [page, calls] = JSON.parse(readFileSync(0, "utf8"))
if (page) await import(page)
const results = []
for (const [module, code, values] of calls) {
  const address = /^file:/.test(module) ? module : `data:text/javascript,${encodeURIComponent(module)}`
  results.push(await (0, eval)(code)(await import(address), ...values))
}
process.stdout.write(JSON.stringify(results), () => process.exit())  // a script may still have a clock that ticks
"""
_PAGE = Path(__file__).with_name("page.js")

Call = tuple[Path | str, str] | tuple[Path | str, str, Sequence[Any]]
"""A module, by its file or as text; an arrow function that gets it and the values; and these values."""


def evaluated(calls: Sequence[Call], *, page: bool = False) -> list[Any]:
    """Results of calls, all in one process, as JSON holds them; where one is a promise, what it comes to.

    Args:
        calls: Done one after the other.
        page: Give the scripts a stand-in for a page, on which nothing is painted; without it they have none at all.

    Raises:
        AssertionError: A script failed; the text is what node says of it.
    """
    sent = [
        [module.as_uri() if isinstance(module, Path) else module, code, list(*values)]
        for module, code, *values in calls
    ]
    done = subprocess.run(
        [NODE, "--input-type=module", "--eval", _RUNNER],
        input=json.dumps([_PAGE.as_uri() if page else None, sent]),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,  # of a promise that nobody keeps
    )
    assert done.returncode == 0, done.stderr
    results: list[Any] = json.loads(done.stdout)
    return results
