"""Parameters, methods and prompts of a strategy, as forms: one widget per field, with its description and bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import streamlit as st
from pydantic.fields import FieldInfo

from core.errors import InputError
from core.runs.workbench import get_workbench
from core.skills import SKILLS, check_prompt
from core.skills.base import Method, ModelKind, Skill, builtin_prompt, prompt_key
from core.strategies.base import AnyStrategy, applies, bounds
from core.ui.shell.safe import literal

MOST_BESIDE = 3
"""Options that stand beside one another; more do not fit into a narrow column, and are a list."""
SLIDER_SPAN = 50
"""Whole numbers with at most this many values get a slider, others a field."""
EDITED = "edited-prompts"
"""Key of this session's own texts: prompt key -> text."""

Prompted = Sequence[tuple[Skill, Method]]
"""Skills with the methods in force."""


def params_form(
    strategy: AnyStrategy, scope: str = "", without: str = "", *, draw: bool = True
) -> dict[str, Any]:
    """Return all parameters as the user set them; one that does not apply with the others has its default.

    `scope` begins the keys of the widgets, and tells this form from others on the page for the same strategy. The
    parameter `without` is set elsewhere. Unless `draw`, the form is folded, and no widget is drawn.
    """
    values: dict[str, Any] = {}
    for name, field in strategy.params.model_fields.items():
        if name == without:
            continue
        key, values[name] = param_key(strategy, name, scope), field.default
        if applies(field, values) and draw:
            values[name] = _widget(name, field, key)
        elif applies(field, values) and st.session_state.get(key) is not None:
            values[name] = st.session_state[key]
    return values


def param_key(strategy: AnyStrategy, name: str, scope: str = "") -> str:
    """Return the key of a parameter's widget."""
    return f"{scope}param-{strategy.key}-{name}"


def _widget(name: str, field: FieldInfo, key: str) -> Any:
    label = field.title or name.replace("_", " ").capitalize()
    kind: Any = field.annotation
    options: dict[str, Any] = {"key": key, "help": field.description, "persist_state": "session"}
    if get_origin(kind) is Literal and len(get_args(kind)) > MOST_BESIDE:
        # A value that was filled in before takes no default beside it.
        index = 0 if key in st.session_state else get_args(kind).index(field.default)
        return st.selectbox(label, get_args(kind), index, **options)
    if get_origin(kind) is Literal:
        chosen = st.segmented_control(label, get_args(kind), default=field.default, required=True, **options)
        return field.default if chosen is None else chosen
    if kind is bool:
        return st.toggle(label, field.default, **options)
    if kind in (int, float):
        low, high = bounds(field)
        if kind is int and low is not None and high is not None and high - low <= SLIDER_SPAN:
            return st.slider(label, int(low), int(high), field.default, **options)
        limits: dict[str, Any] = {
            "min_value": None if low is None else kind(low),
            "max_value": None if high is None else kind(high),
        }
        return st.number_input(label, value=field.default, **limits, **options)
    if kind is str and isinstance(extra := field.json_schema_extra, dict) and extra.get("names") == "corpus":
        known = list(get_workbench().corpora.offered())
        chosen = st.selectbox(label, known, index=None, placeholder="Choose one", **options)
        return chosen or field.default
    if kind is str:
        return st.text_input(label, field.default, **options)
    raise TypeError(f"No widget for parameter '{name}' of type {kind}")


def method_key(skill: str, kind: ModelKind, scope: str = "") -> str:
    """Return the key of the widget of a skill's method."""
    return f"{scope}method-{skill}-{kind.key}"


def fill_method(skill: str, method: str, kind: ModelKind, scope: str = "") -> None:
    """Choose a method, where it can be chosen; called before the widget is drawn."""
    offered = [one.key for one in SKILLS[skill].offered(kind)]
    if len(offered) > 1 and method in offered:
        st.session_state[method_key(skill, kind, scope)] = method


def skills_used(strategy: AnyStrategy, params: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the skills that a strategy may use with these parameters; all of its skills, where they are unusable."""
    try:
        return strategy.skills_with(strategy.parse(params))
    except InputError:
        return strategy.skills


def methods_form(
    skills: Iterable[str], kind: ModelKind, scope: str = "", *, draw: bool = True
) -> dict[str, str]:
    """Return the method of each skill, by its key; the kind of model decides the default. `scope` and `draw` as for
    `params_form`."""
    chosen: dict[str, str] = {}
    for key in skills:
        skill = SKILLS[key]
        chosen[key] = skill.default_method(kind)
        names = {method.key: method.title for method in skill.offered(kind)}
        if len(names) <= 1:  # none: the built-in model cannot do it, which the form says
            continue
        widget = method_key(key, kind, scope)
        if not draw:
            value = st.session_state.get(widget)
            chosen[key] = value if value in names else chosen[key]
            continue
        chosen[key] = st.selectbox(
            skill.title,
            list(names),
            # A value that was filled in before takes no default beside it.
            index=list(names).index(chosen[key]) if widget not in st.session_state else 0,
            format_func=names.__getitem__,
            key=widget,
            persist_state="session",
        )
        st.caption(skill.method(chosen[key]).explains)
    return chosen


def prompts_in_use(methods: Mapping[str, str]) -> Prompted:
    """Return the methods in force, by the keys of their skills, that have a prompt, each with its skill."""
    chosen = [(SKILLS[key], SKILLS[key].method(method)) for key, method in methods.items()]
    return [(skill, method) for skill, method in chosen if method.slots]


def edited_prompts(used: Prompted) -> dict[str, str]:
    """Return this session's own texts among the prompts in force, by their keys."""
    mine: dict[str, str] = st.session_state.get(EDITED, {})
    keys = (prompt_key(skill.key, method.key) for skill, method in used)
    return {key: mine[key] for key in keys if key in mine}


def prompts_fold(used: Prompted) -> None:
    """Draw the prompts, folded, with how many were edited; nothing where no prompt is in force."""
    if not used:
        return
    changed = len(edited_prompts(used))
    with st.expander(
        "Prompts" if not changed else f"Prompts, {changed} changed",
        icon=":material/edit_note:",
        key="prompts",
    ):
        st.caption(
            "What the model is asked, word for word. Your changes hold in this browser session, and each run records "
            "the text it used. A word in braces is filled in when the prompt is used."
        )
        for skill, method in used:
            _draw_prompt(skill, method)


def _draw_prompt(skill: Skill, method: Method) -> None:
    key = prompt_key(skill.key, method.key)
    mine: dict[str, str] = st.session_state.setdefault(EDITED, {})
    own = builtin_prompt(key)
    st.markdown(f"**{literal(skill.title)}** :gray[:small[{literal(method.title)}]]")
    text = st.text_area(
        f"Prompt of {skill.title}",
        mine.get(key, own),
        key=f"prompt-{key}",
        height=220,
        label_visibility="collapsed",
    )
    st.caption("Needs " + ", ".join(f"`{{{slot}}}`" for slot in method.slots) + ".")
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Use this text", key=f"prompt-use-{key}", type="primary", disabled=text == mine.get(key, own)
        ):
            try:
                check_prompt(key, text)
            except InputError as error:
                st.error(literal(str(error)))
            else:
                mine[key] = text
                if text.strip() == own:
                    del mine[key]
                st.rerun()
        if key in mine and st.button("Back to the app's own", key=f"prompt-reset-{key}"):
            del mine[key]
            del st.session_state[f"prompt-{key}"]
            st.rerun()
