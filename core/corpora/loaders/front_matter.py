"""Front matter: what stands above the text of a Markdown file, in YAML between `---` or in TOML between `+++`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

_YAML = re.compile(
    r"\A---[ \t]*\n(?=[\w\"'-]+[ \t]*:)((?:[^\n]*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)",
)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n((?:[^\n]*\n)*?)\+\+\+[ \t]*(?:\n|\Z)")
_SIMPLE = re.compile(r"([\w-]+)[ \t]*:[ \t]*(\S[^\n]*)")
_MOST_CHARS = 10_000
"""Characters that are read; what is longer is no front matter that somebody wrote."""

_MOST_DEPTH = 20
"""Lists and mappings within each other."""


def front_matter(source: str) -> tuple[list[tuple[str, Any]], str]:
    """The fields of the front matter, as they were found, and the text below it.

    What cannot be read as YAML or TOML is read as `name: value` lines.
    """
    for pattern, read in ((_YAML, _from_yaml), (_TOML, tomllib.loads)):
        if found := pattern.match(source):
            head = found[1][:_MOST_CHARS]
            try:
                fields = read(head)
            except (ValueError, RecursionError):
                fields = dict(_lines(head))
            known = fields if isinstance(fields, dict) else {}
            return [(str(name), value) for name, value in known.items()], source[found.end() :]
    return [], source


def _from_yaml(head: str) -> Any:
    """
    Raises:
        ValueError: It is no YAML, or it has aliases, with which a few lines can stand for billions, or lists within
            lists so deep that reading them takes seconds.
    """
    import yaml

    try:
        depth = 0
        for token in yaml.scan(head, yaml.SafeLoader):
            name = type(token).__name__
            depth += name.endswith(("SequenceStartToken", "MappingStartToken"))
            depth -= name in ("FlowSequenceEndToken", "FlowMappingEndToken", "BlockEndToken")
            if isinstance(token, yaml.AliasToken) or depth > _MOST_DEPTH:
                raise ValueError("aliases, or too deep")
        return yaml.safe_load(head)
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _lines(head: str) -> Iterator[tuple[str, str]]:
    for line in head.split("\n"):
        if found := _SIMPLE.fullmatch(line.rstrip()):
            yield found[1], found[2].strip("\"'")
