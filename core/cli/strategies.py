"""`python -m core strategies`."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.output import complain, print_json, print_table
from core.plugins import problems
from core.strategies import strategies
from core.strategies.base import AnyStrategy


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("strategies", help="list the strategies and their parameters")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """List the strategies."""
    every = strategies()
    for problem in problems():
        complain(problem)
    if arguments.json:
        print_json({"strategies": [_described(strategy) for strategy in every.values()]})
        return
    print_table(("KEY", "IDEA"), ((strategy.key, strategy.idea) for strategy in every.values()))
    for strategy in every.values():
        if fields := strategy.params.model_fields:
            print(f"\n{strategy.key}")
            print_table(
                ("  PARAMETER", "DEFAULT", "WHAT IT DOES"),
                ((f"  {name}", field.default, field.description) for name, field in fields.items()),
            )


def _described(strategy: AnyStrategy) -> dict[str, Any]:
    keys = ("key", "title", "idea", "paper", "helps", "hurts", "skills")
    params = strategy.params.model_json_schema().get("properties", {})
    return {key: getattr(strategy, key) for key in keys} | {"params": params}
