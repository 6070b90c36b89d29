"""ES modules and their styles, joined into one script."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.drawings import FOLDER, drawing_style
from core.drawings.modules import ModuleError, bundle, style
from tests.cases import cases
from tests.unit.drawings.node import evaluated

MODULES = {
    "entry.js": 'import total, { add, LIMIT as most } from "./sum.js"\n',
    "base.js": "export const LIMIT = 9\nexport class Box {}\nexport async function later() {}\n",
    "sum.js": 'import { LIMIT } from "./base.js"\n\nexport function add(a, b) {\n  return Math.min(a + b, LIMIT)\n}\n',
    "style.css": '@import "./shared.css";\n.own { color: red; }\n',
    "shared.css": ".shared { margin: 0; }\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def joined(folder: Path, entry: str) -> str:
    return bundle(folder / "entry.js", {folder / "entry.js": entry})


def test_a_module_gets_what_others_export(folder: Path) -> None:
    entry = (
        'import { add as sum } from "./sum.js"\n'
        'import * as base from "./base.js"\n'
        'import css from "./style.css" with { type: "text" }\n'
        "export default [sum(2, 3), sum(7, 7), base.LIMIT, typeof base.Box, typeof base.later, css]\n"
    )
    (made,) = evaluated([(joined(folder, entry), "one => one.default")])
    assert made == [5, 9, 9, "function", "function", ".shared { margin: 0; }\n.own { color: red; }\n"]


def test_what_is_passed_on_is_exported(folder: Path) -> None:
    (folder / "held.js").write_text(
        'export { default as css } from "./shared.css" with { type: "text" }\nexport default function draw() {}\n'
    )
    entry = 'import * as held from "./held.js"\nexport default [held.css, held.default.name]\n'
    (made,) = evaluated([(joined(folder, entry), "one => one.default")])
    assert made == [".shared { margin: 0; }\n", "draw"]


def test_a_module_runs_once_however_many_import_it(folder: Path) -> None:
    (folder / "count.js").write_text(
        "globalThis.count = (globalThis.count ?? 0) + 1\nexport const now = globalThis.count\n"
    )
    for name in ("a", "b"):
        (folder / f"{name}.js").write_text('import { now } from "./count.js"\nexport default now\n')
    entry = 'import a from "./a.js"\nimport b from "./b.js"\nexport default [a, b]\n'
    assert evaluated([(joined(folder, entry), "one => one.default")]) == [[1, 1]]


def test_a_style_comes_after_those_that_it_imports(folder: Path) -> None:
    assert style(folder / "style.css") == ".shared { margin: 0; }\n.own { color: red; }\n"
    assert "@import" not in "".join(drawing_style(path.stem) for path in FOLDER.glob("*.css"))


@cases(
    ("entry", "message"),
    [
        ('import "./base.js"\n', "not understood"),
        ('import total, { add } from "./sum.js"\n', "not understood"),
        ('import { add in sum } from "./sum.js"\n', "not understood"),
        ('import { add } from "sum"\n', "not understood"),
        ("export let count = 0\n", "not understood"),
        ("export { add }\n", "not understood"),
        ('const late = await import("./sum.js")\n', "not understood"),
        ('import css from "./style.css"\n', "only styles"),
        ('import sum from "./sum.js" with { type: "text" }\n', "only styles"),
    ],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, entry: str, message: str) -> None:
    for name, text in MODULES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ModuleError, match=message):
        joined(tmp_path, entry)


def test_a_module_that_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.js"):
        joined(folder, 'import { a } from "./nowhere.js"\n')


def test_every_drawing_is_one_script() -> None:
    """All that a page can ask for, as the page gets it: a component, without imports."""
    from core.ui.shell.assets import script

    names = sorted(
        path.stem for path in FOLDER.glob("*.js") if "export default" in path.read_text(encoding="utf-8")
    )
    assert len(names) > 40
    kinds = evaluated([(script(name), "one => typeof one.default") for name in names])
    assert dict(zip(names, kinds, strict=True)) == dict.fromkeys(names, "function")


def test_a_long_line_stays_whole(folder: Path) -> None:
    """That the work grows with its length alone is shown of the patterns, in `tests/unit/test_patterns.py`."""
    line = "x " * 500_000
    assert line in joined(folder, f"export default {line}\n")
