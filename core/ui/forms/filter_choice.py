"""A filter of the documents that are searched, made of what is known about them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from core.corpora.documents import DATE, FOLDER, TITLE
from core.corpora.entries import Corpus
from core.corpora.filtering import Condition, FieldValues, Where, matching, parse_where
from core.errors import InputError
from core.runs.workbench import Workbench
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover
from core.wording import counted

NOTHING_LEFT = "The filter leaves no document. Choose more values, or clear it."
MOST_FIELDS = 6
"""Fields that are offered; by others one filters in words."""
MOST_OFFERED = 300
"""Values of a field that are offered, the most frequent ones."""
MORE_HELP = "One condition per line; all have to hold. E.g. author~lisk, kind=letter|minutes, date>=1994-06."
_GIVEN = "where-given"
"""In the session: a filter that is to be filled in before the widgets are drawn."""


def chosen_filter(bench: Workbench, corpus: Corpus | None, name: str = "filter") -> tuple[str, ...]:
    """Return the conditions that the widgets of a corpus hold, as they are written; whoever uses them refuses those
    that are wrong. `name` as for `filter_choice`."""
    if corpus is None:
        return ()
    _, fields = bench.corpora.known(corpus)
    return tuple(_written(f"{name}-{corpus.id}-", fields[:MOST_FIELDS]))


def fill_filter(where: Sequence[str]) -> None:
    """Fill in the filter of a run; called before the form is drawn."""
    st.session_state[_GIVEN] = tuple(where)


def filter_choice(
    bench: Workbench, corpus: Corpus | None, name: str = "filter", within: ExpanderContainer | None = None
) -> str:
    """Draw the filter of a corpus in a popover, where documents can be told apart.

    `corpus` is None as long as its documents are not there. `name` begins the keys of the widgets: forms with the same
    one have the same filter. `within` holds it; None: it has a popover of its own. Returns the reason why one cannot
    ask with this filter; empty: one can.
    """
    if corpus is None:
        return ""
    documents, fields = bench.corpora.known(corpus)
    fields, scope = fields[:MOST_FIELDS], f"{name}-{corpus.id}-"
    _fill(scope, fields)
    if not fields and not st.session_state.get(f"{scope}more"):
        return ""
    problem, where = "", Where()
    try:
        where = parse_where(_written(scope, fields))
    except InputError as error:
        problem = str(error)
    left = len(matching(where, dict(enumerate(documents)))) if where else len(documents)
    label = f"{left:,} of {len(documents):,}" if where else "Filter"
    icon, hint = ":material/filter_alt:", "Filter the documents that are searched"
    own = within or popover(label, icon=icon, key=f"{scope}popover", help=hint)
    if own.open:
        with own.expander(hint, icon=icon) if within else own:
            every = counted(len(documents), "document")
            whole = f"All {every}" if len(documents) != 1 else "The only document"
            said = f"**{left:,} of {every}**" if where else whole
            _draw(fields, scope, said, none=not (where or problem))
    return problem or ("" if left else NOTHING_LEFT)


def _draw(fields: Sequence[FieldValues], scope: str, left: str, *, none: bool) -> None:
    """Draw how many documents are left, in Markdown, and the conditions; `none`: there are none."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(left, width="content")
        st.button(
            "Clear", key=f"{scope}clear", type="tertiary", on_click=_clear, args=(scope,), disabled=none
        )
    for field in fields:
        _draw_field(field, scope)
    st.text_input("Title contains", key=f"{scope}{TITLE}", max_chars=100, persist_state="session")
    st.text_area("More conditions", key=f"{scope}more", height=68, help=MORE_HELP, persist_state="session")


def _draw_field(field: FieldValues, scope: str) -> None:
    if field.name == DATE:
        known = list(field.values)
        with st.container(horizontal=True):
            st.text_input("Date from", key=f"{scope}from", placeholder=known[0], persist_state="session")
            st.text_input("Up to", key=f"{scope}to", placeholder=known[-1], persist_state="session")
        return
    key, offered = f"{scope}={field.name}", _offered(field)
    # A value that no document has any more cannot be drawn.
    if gone := set(st.session_state.get(key, ())) - set(offered):
        st.session_state[key] = [value for value in st.session_state[key] if value not in gone]
    st.multiselect(
        literal(field.name.replace("_", " ").capitalize()),
        offered,
        format_func=lambda value: f"{value} ({field.values.get(value, 0):,})",
        key=key,
        placeholder="Any",
        persist_state="session",
        help="With all folders below." if field.name == FOLDER else None,
    )


def _offered(field: FieldValues) -> list[str]:
    values = list(field.values)[:MOST_OFFERED]
    return sorted(values) if field.name == FOLDER else values


def _written(scope: str, fields: Sequence[FieldValues]) -> list[str]:
    """Return the conditions that the widgets hold, before they are drawn."""
    state, conditions = st.session_state, list[str]()
    for field in fields:
        chosen = tuple(value for value in state.get(f"{scope}={field.name}") or () if value in field.values)
        if chosen:
            conditions.append(str(Condition(field.name, "=", chosen)))
    for key, beginning in ((f"{scope}from", f"{DATE}>="), (f"{scope}to", f"{DATE}<=")):
        if date := str(state.get(key) or "").strip():
            conditions.append(beginning + date)
    if title := str(state.get(f"{scope}{TITLE}") or "").strip():
        conditions.append(str(Condition(TITLE, "~", (title,))))
    return [*conditions, *str(state.get(f"{scope}more") or "").splitlines()]


def _fill(scope: str, fields: Sequence[FieldValues]) -> None:
    """Put the filter of a run into the widgets; what none of them can say stands among the further conditions."""
    given = st.session_state.pop(_GIVEN, None)
    if given is None:
        return
    _clear(scope)
    offered = {
        field.name: {value.casefold(): value for value in _offered(field)}
        for field in fields
        if field.name != DATE
    }
    more: list[str] = []
    for condition in parse_where(given):
        values = offered.get(condition.field, {})
        key = {
            (DATE, ">="): f"{scope}from",
            (DATE, "<="): f"{scope}to",
            (TITLE, "~"): f"{scope}{TITLE}",
        }.get((condition.field, condition.sign), f"{scope}={condition.field}")
        if key in st.session_state:  # a second condition of the kind
            more.append(str(condition))
        elif condition.sign == "=" and all(value.casefold() in values for value in condition.values):
            st.session_state[key] = [values[value.casefold()] for value in condition.values]
        elif condition.sign != "=" and len(condition.values) == 1 and not key.startswith(f"{scope}="):
            st.session_state[key] = condition.values[0]
        else:
            more.append(str(condition))
    st.session_state[f"{scope}more"] = "\n".join(more)


def _clear(scope: str) -> None:
    for key in [
        key
        for key in st.session_state
        if str(key).startswith(scope) and not str(key).endswith(("clear", "popover", "popover-looks"))
    ]:
        del st.session_state[key]
