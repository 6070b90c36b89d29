"""Which model a browser session has chosen: an endpoint, the built-in model, one of this machine, or a recording and
how it is played."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import streamlit as st

from core.errors import StoreError
from core.models.capability import Capability
from core.models.chat_models import (
    BUILTIN,
    ChatModel,
    ConfiguredModel,
    EndpointModel,
    FileModel,
    Missing,
    RecordedModel,
    ServerModel,
)
from core.models.endpoint import ChatEndpoint, typed_endpoints
from core.models.reach.files import ModelFile, configured_file, model_files
from core.models.reach.servers import LocalServer
from core.models.recordings.items import Pace, Recording
from core.runs.workbench import Workbench
from core.ui.shell.host import listens_to_itself
from core.users import APP, User

BUILTIN_OPTION = "built-in"
"""Chosen: the built-in model."""
TYPED = "typed"
"""Chosen: the endpoint that was typed in this browser."""
SERVER = "server"
"""Chosen: the model that the server has configured; with a colon and a name, another one that it offers."""
LOCAL = "local:"
"""Chosen: a model of a server on this machine; its port, a slash and its name follow."""
FILE = "file:"
"""Chosen: the model file of the name that follows."""
RECORDING = "recording:"
"""Chosen: the recording with the id that follows."""
PAGE_PACE: Pace = "fast"
"""Pace of a page, unless another one is chosen."""
COOKIE = "rag_loupe_model"

_CHOSEN, _MISSING, _PACE, _KEEPS = "model-chosen", "model-missing", "model-pace", "model-keeps"
_CHOSEN_NOW = "model-chosen-now"
_KEEPING = "model-keeping"
_CAPABILITIES = "model-capabilities"
_KNOWN = "recordings-known"


@dataclass(frozen=True)
class Keeping:
    """Where the replies of an endpoint are kept."""

    model: str
    """What was chosen when it began, see `options`: it ends with another choice."""
    recording: str
    """Id."""


def refresh(bench: Workbench, owners: Collection[str]) -> None:
    """Look again which recordings these owners may play; where the store cannot be read, those known before stay."""
    with suppress(StoreError):
        st.session_state[_KNOWN] = {one.id: one for one in bench.recordings.store.listed(owners)}


def known() -> Mapping[str, Recording]:
    """Id -> recording that this session may play, as of the last look."""
    found: Mapping[str, Recording] = st.session_state.get(_KNOWN, {})
    return found


def options(bench: Workbench, endpoint: ChatEndpoint | None) -> list[str]:
    """What can be chosen; the first is what answers until something is chosen."""
    configured = bench.settings.has_chat_endpoint
    files = [FILE + one.name for one in usable_files(bench)]
    own = configured_file(bench.settings)
    first = [FILE + own.name] if own and not configured else []
    local = [local_model(server, name) for server in servers(bench) for name in server.models]
    now = by_hand()
    # What was chosen stays, with the reason why it does not answer, when its server or file is gone.
    kept = now.startswith(LOCAL) or (now.startswith(FILE) and may_start(bench, now.removeprefix(FILE)))
    gone = [now] if kept and now not in (*local, *files, *first) else []
    recorded = [RECORDING + one.id for one in known().values() if one.replies]
    shipped = [RECORDING + one.id for one in known().values() if one.replies and one.owner == APP.owner]
    others = [name for name in bench.settings.chat_models if name != bench.settings.chat_model]
    return [
        *([TYPED] if endpoint else []),
        *([SERVER, *(f"{SERVER}:{name}" for name in others)] if configured else []),
        *first,
        *shipped,
        BUILTIN_OPTION,
        *(one for one in recorded if one not in shipped),
        *local,
        *(one for one in files if one not in first),
        *gone,
    ]


def local_model(server: LocalServer, name: str) -> str:
    """One of a server's models, as it is chosen."""
    return f"{LOCAL}{server.port}/{name}"


def asks_servers(bench: Workbench) -> bool:
    """Whether servers on this machine are asked for their models: only where the app listens to its own machine alone,
    and whoever is at this browser may have it ask any address."""
    user = User("", teacher=_is_teacher(bench))
    any_address = typed_endpoints(bench.settings, user) == "any"
    return bool(bench.backends.models.servers.ports) and any_address and listens_to_itself()


def servers(bench: Workbench) -> tuple[LocalServer, ...]:
    """Servers on this machine that answered when they were asked last, and may be used."""
    known = bench.backends.models.servers.known()
    return known if known and asks_servers(bench) else ()


def usable_files(bench: Workbench) -> list[ModelFile]:
    """The model files that this browser may have answer."""
    return [one for one in model_files(bench.settings) if not one.problem and may_start(bench, one.name)]


def may_start(bench: Workbench, name: str) -> bool:
    """Whether this browser may have a model file answer: one runs at a time, for everybody, so where a teacher is set,
    who is not one may use what is configured, or runs already."""
    if _is_teacher(bench):
        return True
    own = configured_file(bench.settings)
    if own is not None and own.name == name:
        return True
    return FileModel(name).status(bench.backends.models).state == "ready"


def _is_teacher(bench: Workbench) -> bool:
    return not bench.settings.has_teacher or bool(st.session_state.get("teacher"))


def chosen(bench: Workbench, endpoint: ChatEndpoint | None) -> str:
    """What is chosen, as far as it is still there; see `options`."""
    there = options(bench, endpoint)
    wanted = by_hand()
    return wanted if wanted in there else there[0]


def like(bench: Workbench, endpoint: ChatEndpoint | None, recording: str) -> str:
    """What is chosen if it answers in this way, else the first that does; see `options`.

    Args:
        bench: What the server has.
        endpoint: That was typed in this browser.
        recording: Name of one that comes with the app; empty: a model is asked, no recording is played.
    """
    now = chosen(bench, endpoint)
    if recording:
        same = (one.id for one in known().values() if (one.owner, one.name) == (APP.owner, recording))
        return next((RECORDING + one for one in same), now)
    there = (one for one in options(bench, endpoint) if not one.startswith(RECORDING))
    return next(there) if now.startswith(RECORDING) else now


def by_hand() -> str:
    """The option chosen in this session, or in this browser before a reload, see `options`; empty: none was chosen."""
    if _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = ""
        with suppress(ValueError):  # a cookie may hold anything
            kept = bytes.fromhex(str(st.context.cookies.get(COOKIE, ""))).decode()
            st.session_state[_CHOSEN] = _outlasting(kept)
    return str(st.session_state[_CHOSEN])


def for_cookie() -> str | None:
    """The chosen option as hexadecimal digits, empty for an endpoint; None: none was chosen in this session."""
    return _outlasting(by_hand()).encode().hex() if st.session_state.get(_CHOSEN_NOW) else None


def _outlasting(wanted: str) -> str:
    """The option if it outlasts a session; empty if it is an endpoint, which only its session knows."""
    return wanted if wanted.startswith((SERVER, RECORDING, FILE, BUILTIN_OPTION)) else ""


def choose(bench: Workbench, wanted: str) -> None:
    """Ask another model from now on; replies are no longer kept."""
    st.session_state[_CHOSEN], st.session_state[_CHOSEN_NOW] = wanted, True
    st.session_state.pop(_KEEPING, None)
    st.session_state.pop(_KEEPS, None)
    if wanted == BUILTIN_OPTION:
        BUILTIN.start(bench.backends.models)
    elif wanted.startswith((FILE, LOCAL)):
        _alone(wanted, None).start(bench.backends.models)


def capability(option: str) -> Capability | None:
    """How capable a model is, as somebody has chosen in this session; None: as its size suggests.

    Args:
        option: One of `options`.
    """
    found: dict[str, Capability] = st.session_state.get(_CAPABILITIES, {})
    return found.get(option)


def choose_capability(option: str, wanted: Capability | None) -> None:
    """Have it so from now on; None: as its size suggests."""
    known: dict[str, Capability] = st.session_state.get(_CAPABILITIES, {})
    others = {one: kept for one, kept in known.items() if one != option}
    st.session_state[_CAPABILITIES] = others | ({option: wanted} if wanted else {})


def missing(bench: Workbench, endpoint: ChatEndpoint | None) -> Missing:
    """Who gives the replies that a recording lacks: an endpoint that is reached, else whoever somebody chose; before
    that nobody does, and a run waits and asks."""
    wanted: Missing | None = st.session_state.get(_MISSING)
    reached = endpoint is not None or bench.settings.has_own_model
    if wanted is None or (wanted == "endpoint" and not reached):
        return "endpoint" if reached else "ask"
    return wanted


def choose_missing(bench: Workbench, wanted: Missing) -> None:
    """Have it so from now on."""
    st.session_state[_MISSING] = wanted
    if wanted == "builtin":
        BUILTIN.start(bench.backends.models)


def pace() -> Pace:
    """The pace at which recordings are played."""
    found: Pace = st.session_state.get(_PACE, PAGE_PACE)
    return found


def choose_pace(wanted: Pace) -> None:
    """Have it so from now on."""
    st.session_state[_PACE] = wanted


def keep_in(model: str, recording: Recording) -> None:
    """Keep the replies of the endpoint that is chosen in this recording from now on."""
    st.session_state[_KEEPING] = Keeping(model, recording.id)
    st.session_state[_KNOWN] = {**known(), recording.id: recording}


def keep_new(*, wanted: bool) -> None:
    """Whether the endpoint's replies are kept in the recording that is played."""
    st.session_state[_KEEPS] = wanted


def keep_no_more() -> None:
    """Keep no reply from now on."""
    st.session_state.pop(_KEEPING, None)


def may_keep(bench: Workbench, chat: ChatModel, owners: Collection[str]) -> bool:
    """Whether what the endpoint replies may be kept in the recording that is played: one's own, of the same model."""
    if chat.play is None or (asked := chat.without_recording) is None:
        return False
    recording, status = chat.play.recording, asked.status(bench.backends.models)
    name = asked.name(bench.settings) or (status.name if status.state == "ready" else "")
    return recording.owner in owners and recording.model == name


def chat(
    bench: Workbench,
    endpoint: ChatEndpoint | None,
    owners: Collection[str],
    wanted: str = "",
) -> ChatModel:
    """Which chat model answers this browser.

    Args:
        bench: What the server has.
        endpoint: That was typed in this browser.
        owners: Whose recordings are its own.
        wanted: One of `options`; empty: what is chosen.
    """
    wanted = wanted or chosen(bench, endpoint)
    if wanted.startswith(RECORDING):
        recording = known()[wanted.removeprefix(RECORDING)]
        same = recording.model in bench.settings.chat_models
        model = reached(endpoint, recording.model if same else "")
        found = RecordedModel(recording, missing(bench, endpoint), pace(), model=model)
        keeps = bool(st.session_state.get(_KEEPS)) and may_keep(bench, found, owners)
        return replace(found, keeps=keeps)
    if wanted == BUILTIN_OPTION:
        return BUILTIN
    model = _alone(wanted, endpoint)
    kept: Keeping | None = st.session_state.get(_KEEPING)
    if kept is None or kept.model != wanted or kept.recording not in known():
        return model
    return RecordedModel(known()[kept.recording], "endpoint", pace(), keeps=True, model=model)


def reached(endpoint: ChatEndpoint | None, model: str = "") -> ChatModel:
    """The model of an endpoint that was typed in the browser; None: the configured one, or another of that endpoint."""
    return EndpointModel(endpoint) if endpoint else ConfiguredModel(model)


def _alone(wanted: str, endpoint: ChatEndpoint | None) -> ChatModel:
    """A model without a recording."""
    declared = capability(wanted)
    if wanted.startswith(FILE):
        return FileModel(wanted.removeprefix(FILE), declared=declared)
    if wanted.startswith(LOCAL):
        port, _, name = wanted.removeprefix(LOCAL).partition("/")
        return ServerModel(LocalServer(int(port), "", (name,)).endpoint(name), declared=declared)
    if wanted == TYPED and endpoint:
        return EndpointModel(endpoint, declared=declared)
    return ConfiguredModel(wanted.partition(":")[2], declared=declared)
