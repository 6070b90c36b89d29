"""`python -m core strategies`."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.output import print_json, print_table
from core.strategies import strategies


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("strategies", help="list the strategies and their parameters")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """List the strategies."""
    found = strategies()
    if arguments.json:
        print_json(
            {
                "strategies": [
                    {
                        "key": strategy.key,
                        "title": strategy.title,
                        "idea": strategy.idea,
                        "paper": strategy.paper,
                        "helps": strategy.helps,
                        "hurts": strategy.hurts,
                        "skills": strategy.skills,
                        "params": strategy.params.model_json_schema().get("properties", {}),
                    }
                    for strategy in found.values()
                ]
            }
        )
        return
    print_table(("KEY", "IDEA"), ((strategy.key, strategy.idea) for strategy in found.values()))
    for strategy in found.values():
        if fields := strategy.params.model_fields:
            print(f"\n{strategy.key}")
            print_table(
                ("  PARAMETER", "DEFAULT", "WHAT IT DOES"),
                ((f"  {name}", field.default, field.description) for name, field in fields.items()),
            )
