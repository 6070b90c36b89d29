"""Python source: what a tutorial script has and takes, read off it, and texts as literals, which stay text."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.skills.base import MODEL, builtin_prompt, prompt_key, turns_of

_ROLES = {"system": "system", "user": "human", "assistant": "ai"}
_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Script:
    """A script with a function `ask`, and prompts named as the skills that they stand for."""

    text: str

    @cached_property
    def cell(self) -> str:
        """Its text without what it does when it is started: a notebook has all that at hand."""
        started = [node for node in self._body if isinstance(node, ast.If)]
        return "\n".join(self.text.splitlines()[: started[0].lineno - 1]) if started else self.text

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """Its functions by name."""
        return {node.name: node for node in self._body if isinstance(node, ast.FunctionDef)}

    @cached_property
    def prompts(self) -> dict[str, set[str]]:
        """Name of a prompt -> its slots."""
        found: dict[str, set[str]] = {}
        for node in self._body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                texts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                slots = {slot for text in texts if isinstance(text, str) for slot in slots_of(text)}
                found |= {target.id: slots for target in node.targets if isinstance(target, ast.Name)}
        return found

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """All that `ask` takes."""
        return tuple(argument.arg for argument in self._arguments.args)

    @cached_property
    def needs(self) -> dict[str, str]:
        """What `ask` cannot do without -> of which type it is."""
        given = self._arguments
        needed = given.args[: len(given.args) - len(given.defaults)]
        return {one.arg: ast.unparse(one.annotation) if one.annotation else "" for one in needed}

    @cached_property
    def usual(self) -> dict[str, object]:
        """What `ask` can do without -> the value that it then has."""
        given = self._arguments
        names = [argument.arg for argument in given.args[len(given.args) - len(given.defaults) :]]
        return {name: ast.literal_eval(value) for name, value in zip(names, given.defaults, strict=True)}

    @property
    def gives_evidence(self) -> bool:
        """Whether `ask` returns what the answer was given, too."""
        returned = self.functions["ask"].returns
        return returned is not None and ast.unparse(returned).startswith("tuple")

    @property
    def searches_vectors(self) -> bool:
        """Whether it searches with vectors of its own, not with words."""
        return self.needs.get("retriever", "").startswith("VectorStore")

    @property
    def picks(self) -> bool:
        """Whether it takes `k` new passages of more that the retriever finds."""
        return "k" in self.takes

    @property
    def _arguments(self) -> ast.arguments:
        return self.functions["ask"].args

    @cached_property
    def _body(self) -> list[ast.stmt]:
        return ast.parse(self.text).body


def text_literal(text: str, indent: str = "") -> str:
    """A Python expression for a text, one line of source for each of its lines.

    Args:
        text: Anything; what cannot be printed is written as an escape.
        indent: Blanks before each line of source.
    """
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    parts = "\n".join(f"{indent}    {line!r}" for line in lines)
    return f"(\n{parts}\n{indent})"


def prompt_literal(skill: str, prompt: str, fixed: Mapping[str, str] | None = None) -> str:
    """A Python expression for a prompt as LangChain's template: its slots are slots, all other braces are text.

    Args:
        skill: Key of the skill, whose model is asked with it.
        prompt: As it was sent in the run; lines such as `[user]` part it into chat messages.
        fixed: Slot -> what stands there, where nothing else is given.
    """
    slots = slots_of(builtin_prompt(prompt_key(skill, MODEL)))
    messages = "".join(
        f"    ({_ROLES[turn.role]!r}, {text_literal(template(turn.content, slots), '    ')}),\n"
        for turn in turns_of(prompt)
    )
    values = ", ".join(f"{slot}={value!r}" for slot, value in (fixed or {}).items())
    return f"ChatPromptTemplate.from_messages([\n{messages}])" + (f".partial({values})" if values else "")


def slots_of(prompt: str) -> set[str]:
    """Names of the slots in a prompt."""
    return set(_SLOT.findall(prompt))


def template(prompt: str, slots: set[str]) -> str:
    """A prompt with doubled braces, but for those of its slots."""
    doubled = prompt.replace("{", "{{").replace("}", "}}")
    return re.sub(
        r"\{\{([a-z_]+)\}\}", lambda found: f"{{{found[1]}}}" if found[1] in slots else found[0], doubled
    )
