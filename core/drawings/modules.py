"""Joins ES modules and the styles that they import into one script.

Browsers refuse to import modules into a page that was opened from disk, as reports and sites are, and Streamlit takes
the script of a component as one text. The files themselves are modules as browsers and node read them, and oxlint looks
whether each exports what others import; this is no parser of JavaScript, but understands a few statements at the
beginning of a line and refuses all others:

    import { element, shape as svg } from "./parts.js"
    import draw from "./goals.js"
    import * as goals from "./goals.js"
    import css from "./goals.css" with { type: "text" }
    export { default as css } from "./goals.css" with { type: "text" }
    export function name …   export async function name …   export class name …   export const name = …
    export default …

Each module becomes a function that runs once, after those that it imports, and returns what it exports.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FROM = r' from "(?P<path>\.{1,2}/[^"\n]+)"(?P<text> with \{ type: "text" \})?$'
_IMPORT = re.compile(r"^import (?:(?P<default>\w+)|\* as (?P<all>\w+)|\{(?P<names>[\w\s,]+)\})" + _FROM, re.M)
_PASSED_ON = re.compile(r"^export \{ default as (?P<name>\w+) \}" + _FROM, re.M)
_DECLARED = re.compile(r"^export (?=(?:(?:async )?function|class|const) (?P<name>\w+))", re.M)
_DEFAULT = re.compile(r"^export default ", re.M)
_LEFT = re.compile(r"^(?:import|export)\b.*|\bimport(?:\(|\.meta\b).*", re.M)
_STYLE_IMPORT = re.compile(r'^@import "(?P<path>\.{1,2}/[^"\n]+)";\n', re.M)


class ModuleError(ValueError):
    """A module cannot be joined with others; the text names the file, and says why."""


class _Module(NamedTuple):
    imports: tuple[Path, ...]
    exports: frozenset[str]
    body: str
    """Its text with plain statements in place of imports and exports."""


def bundle(entry: Path, texts: Mapping[Path, str] | None = None) -> str:
    """Join a module and all that it imports, directly or not.

    Args:
        entry: The module that needs the others.
        texts: Texts of modules that are no files, by the path under which others import them.

    Returns:
        A module without imports, whose default export, if any, is that of `entry`; without one, it runs as a plain
        script as well.

    Raises:
        ModuleError: A statement is none of those above.
        FileNotFoundError: A module imports a file that does not exist.
    """
    modules = _in_order(entry, texts or {})
    names = {path: f"$m{at}" for at, path in enumerate(modules)}
    parts = [_module_text(path, module, names) for path, module in modules.items()]
    if "default" in modules[entry].exports:
        parts.append(f"export default {names[entry]}.default")
    return "\n".join([*parts, ""])


@cache
def style(path: Path) -> str:
    """Text of a style sheet with those that it imports, which come first."""
    text = path.read_text(encoding="utf-8")
    imported = [style(_resolved(path, match["path"])) for match in _STYLE_IMPORT.finditer(text)]
    return "".join([*imported, _STYLE_IMPORT.sub("", text)])


def _in_order(entry: Path, texts: Mapping[Path, str]) -> dict[Path, _Module]:
    """All modules that are needed, each after those that it imports."""
    modules: dict[Path, _Module] = {}

    def visit(path: Path) -> None:
        if path not in modules:
            module = _parsed(path, texts[path]) if path in texts else _read(path)
            for needed in module.imports:
                visit(needed)
            modules[path] = module

    visit(entry)
    return modules


@cache
def _read(path: Path) -> _Module:
    if path.suffix == ".css":
        return _Module((), frozenset({"default"}), f"const $default = {json.dumps(style(path))}\n")
    return _parsed(path, path.read_text(encoding="utf-8"))


def _parsed(path: Path, text: str) -> _Module:
    imports: list[Path] = []
    exports: set[str] = set()

    def add_import(match: re.Match[str]) -> str:
        """The parameter that holds the exports of the other module."""
        imported = _resolved(path, match["path"])
        if (imported.suffix == ".css") != bool(match["text"]):
            raise ModuleError(f'{path.name}: only styles are imported with {{ type: "text" }}: {match[0]}')
        imports.append(imported)
        return f"${len(imports) - 1}"

    def imported(match: re.Match[str]) -> str:
        if match["all"]:
            return f"const {match['all']} = {add_import(match)}"
        if match["default"]:
            return f"const {match['default']} = {add_import(match)}.default"
        pairs = [name.split() for name in match["names"].split(",") if name.strip()]
        if any(len(pair) != 1 and (len(pair) != 3 or pair[1] != "as") for pair in pairs):
            raise ModuleError(f"{path.name}: not understood: {match[0]}")
        renamed = ", ".join(": ".join(pair[::2]) for pair in pairs)
        return f"const {{ {renamed} }} = {add_import(match)}"

    def passed_on(match: re.Match[str]) -> str:
        exports.add(match["name"])
        return f"const {match['name']} = {add_import(match)}.default"

    def declared(match: re.Match[str]) -> str:
        exports.add(match["name"])
        return ""

    def default(_: re.Match[str]) -> str:
        exports.add("default")
        return "const $default = "

    body = _IMPORT.sub(imported, text)
    body = _PASSED_ON.sub(passed_on, body)
    body = _DECLARED.sub(declared, body)
    body = _DEFAULT.sub(default, body)
    if left := _LEFT.search(body):
        raise ModuleError(f"{path.name}: not understood: {left[0]}")
    return _Module(tuple(imports), frozenset(exports), body)


def _resolved(path: Path, imported: str) -> Path:
    return (path.parent / imported).resolve()


def _module_text(path: Path, module: _Module, names: Mapping[Path, str]) -> str:
    """The module as a variable that holds its exports, made by a function of the modules that it imports."""
    parameters = ", ".join(f"${at}" for at in range(len(module.imports)))
    arguments = ", ".join(names[needed] for needed in module.imports)
    exports = ", ".join("default: $default" if name == "default" else name for name in sorted(module.exports))
    return (
        f"// {path.name}\nconst {names[path]} = (({parameters}) => {{\n"
        f"{module.body}return {{ {exports} }}\n}})({arguments})"
    )
