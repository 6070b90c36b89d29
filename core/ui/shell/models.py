"""The model that a browser session has chosen: an endpoint, the built-in model, one of this machine, or a recording and
the way in which it is played."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

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
from core.ui.shell.login import session_person
from core.users import APP, User

PAGE_PACE: Pace = "fast"
"""Pace of a page, unless another one is chosen."""
COOKIE = "rag_loupe_model"
ENDPOINT = "endpoint-in-use"
"""Key of this session's own endpoint; not the key of any widget or form."""

PACE = "pace-choice"
"""Key of the choice of the pace; its state outlasts the widget."""

_CHOSEN, _MISSING, _KEEPS = "model-chosen", "model-missing", "model-keeps"
_CHOSEN_NOW = "model-chosen-now"
_KEEPING = "model-keeping"
_CAPABILITIES = "model-capabilities"
_KNOWN = "recordings-known"


@dataclass(frozen=True)
class Option:
    """A model that can be chosen."""

    kind: Literal["typed", "server", "built-in", "recording", "file", "local"]
    """The endpoint that was typed in this browser; the server's endpoint; the built-in model; a recording; a model
    file; or a model of a server on this machine."""
    name: str = ""
    """Id of the recording, name of the file or of the model; empty for the server's endpoint: its usual model."""
    port: int = 0
    """Of the server on this machine."""

    def to_cookie(self) -> str:
        """The option as text, such as `file:NAME`."""
        name = f"{self.port}/{self.name}" if self.kind == "local" else self.name
        return f"{self.kind}:{name}" if name else self.kind

    @classmethod
    def from_cookie(cls, text: str) -> Option | None:
        """The option that a cookie names; None: it names none that outlasts a session, and may hold anything."""
        kind, _, name = text.partition(":")
        if kind not in ("server", "built-in", "recording", "file"):
            return None
        return cls(cast(Any, kind), name)

    def model(self, endpoint: ChatEndpoint | None, declared: Capability | None) -> ChatModel:
        """The model that answers, where the option is no recording; `endpoint` was typed in this browser, and somebody
        has chosen how capable the model is (`declared`)."""
        if self.kind == "built-in":
            return BUILTIN
        if self.kind == "file":
            return FileModel(self.name, declared=declared)
        if self.kind == "local":
            server = LocalServer(self.port, "", (self.name,))
            return ServerModel(server.endpoint(self.name), declared=declared)
        if self.kind == "typed" and endpoint:
            return EndpointModel(endpoint, declared=declared)
        return ConfiguredModel(self.name, declared=declared)


TYPED, BUILTIN_OPTION = Option("typed"), Option("built-in")


@dataclass(frozen=True)
class Keeping:
    """Where the replies of an endpoint are kept."""

    model: Option
    """The model that was chosen when it began: it ends with another choice."""
    recording: str
    """Id."""


def refresh(bench: Workbench, owners: Collection[str]) -> None:
    """Look again which recordings these owners may play; where the store cannot be read, those known before stay."""
    with suppress(StoreError):
        st.session_state[_KNOWN] = {
            recording.id: recording for recording in bench.recordings.store.listed(owners)
        }


def known() -> Mapping[str, Recording]:
    """Id -> recording that this session may play, as of the last look."""
    recordings: Mapping[str, Recording] = st.session_state.get(_KNOWN, {})
    return recordings


def options(bench: Workbench) -> Iterator[Option]:
    """Yield the models that can be chosen: the first answers until something is chosen. Files and servers are looked
    for only if somebody reads so far."""
    settings, configured = bench.settings, bench.settings.has_chat_endpoint
    if endpoint():
        yield TYPED
    if configured:
        others = (name for name in settings.chat_models if name != settings.chat_model)
        yield from (Option("server", name) for name in ("", *others))
    own = Path(settings.builtin_model_file).name if settings.builtin_model_file and not configured else ""
    if own:
        yield Option("file", own)
    playable = [recording for recording in known().values() if recording.replies]
    yield from (Option("recording", recording.id) for recording in playable if recording.owner == APP.owner)
    yield BUILTIN_OPTION
    yield from (Option("recording", recording.id) for recording in playable if recording.owner != APP.owner)
    yield from _of_this_machine(bench, own)


def _of_this_machine(bench: Workbench, own: str) -> Iterator[Option]:
    """Yield the models of servers on this machine and the model files but for `own`, and the chosen one of these, which
    stays, with the reason why it does not answer, when it is gone."""
    local = [local_model(server, name) for server in servers(bench) for name in server.models]
    files = [Option("file", file.name) for file in usable_files(bench)]
    yield from local
    yield from (file for file in files if file.name != own)
    now = by_hand()
    stays = now and (now.kind == "local" or (now.kind == "file" and may_start(bench, now.name)))
    if now and stays and now not in (*local, *files, Option("file", own)):
        yield now


def local_model(server: LocalServer, name: str) -> Option:
    """The option for one of the models of a server on this machine."""
    return Option("local", name, server.port)


def asks_servers(bench: Workbench) -> bool:
    """Return True if servers on this machine are asked for their models: only where the app listens to its own machine
    alone, and this browser may have it ask any address."""
    user = User("", teacher=is_teacher(bench))
    any_address = typed_endpoints(bench.settings, user) == "any"
    return bool(bench.backends.models.servers.ports) and any_address and listens_to_itself()


def servers(bench: Workbench) -> tuple[LocalServer, ...]:
    """Servers on this machine that answered when they were asked last, and may be used."""
    known = bench.backends.models.servers.known()
    return known if known and asks_servers(bench) else ()


def usable_files(bench: Workbench) -> list[ModelFile]:
    """The model files that this browser may have answer."""
    return [file for file in model_files(bench.settings) if not file.problem and may_start(bench, file.name)]


def may_start(bench: Workbench, name: str) -> bool:
    """Return True if this browser may have a model file answer.

    One runs at a time, for everybody; so where a teacher is set, others may use the configured one, or one that runs.
    """
    if is_teacher(bench):
        return True
    own = configured_file(bench.settings)
    if own is not None and own.name == name:
        return True
    return FileModel(name).status(bench.backends.models).state == "ready"


def is_teacher(bench: Workbench) -> bool:
    """Return True if this session may pin, and change what is not its own; where no teacher is set everybody may."""
    if not bench.settings.has_teacher or st.session_state.get("teacher"):
        return True
    person = session_person()
    return person is not None and person.teacher


def chosen(bench: Workbench) -> Option:
    """The option that is chosen, as far as it is still there; else the first of `options`."""
    wanted = by_hand()
    return wanted if wanted and wanted in options(bench) else next(options(bench))


def by_hand() -> Option | None:
    """The option chosen in this session, or in this browser before a reload; None: none was chosen."""
    if _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = None
        with suppress(ValueError):  # a cookie may hold anything
            kept = bytes.fromhex(str(st.context.cookies.get(COOKIE, ""))).decode()
            st.session_state[_CHOSEN] = Option.from_cookie(kept)
    option: Option | None = st.session_state[_CHOSEN]
    return option


def for_cookie() -> str | None:
    """The chosen option as hexadecimal digits, empty for an endpoint, which only its session knows; None: none was
    chosen in this session."""
    if not st.session_state.get(_CHOSEN_NOW):
        return None
    option = by_hand()
    kept = option.to_cookie() if option else ""
    return kept.encode().hex() if Option.from_cookie(kept) else ""


def choose(bench: Workbench, wanted: Option | None) -> None:
    """Ask another model from now on; replies are no longer kept. None: the first of `options`."""
    st.session_state[_CHOSEN], st.session_state[_CHOSEN_NOW] = wanted, True
    st.session_state.pop(_KEEPING, None)
    st.session_state.pop(_KEEPS, None)
    if wanted and wanted.kind in ("built-in", "file", "local"):
        wanted.model(None, None).start(bench.backends.models)


def capability(option: Option) -> Capability | None:
    """How capable a model is, as somebody has chosen in this session; None: as its size suggests."""
    chosen: dict[Option, Capability] = st.session_state.get(_CAPABILITIES, {})
    return chosen.get(option)


def choose_capability(option: Option, wanted: Capability | None) -> None:
    """Have it so from now on; None: as its size suggests."""
    chosen: dict[Option, Capability] = st.session_state.get(_CAPABILITIES, {})
    others = {other: kept for other, kept in chosen.items() if other != option}
    st.session_state[_CAPABILITIES] = others | ({option: wanted} if wanted else {})


def missing(bench: Workbench) -> Missing:
    """Return the model that gives the replies which a recording lacks: the chosen one, else an endpoint, if one is
    reached; without either, a run waits and asks."""
    wanted: Missing | None = st.session_state.get(_MISSING)
    if wanted is None or (wanted == "endpoint" and not reaches(bench)):
        return "endpoint" if reaches(bench) else "ask"
    return wanted


def choose_missing(bench: Workbench, wanted: Missing) -> None:
    """Have it so from now on."""
    st.session_state[_MISSING] = wanted
    if wanted == "builtin":
        BUILTIN.start(bench.backends.models)


def pace() -> Pace:
    """The pace at which recordings are played."""
    chosen_pace: Pace = st.session_state.get(PACE, PAGE_PACE)
    return chosen_pace


def keep_in(model: Option, recording: Recording) -> None:
    """Keep the replies of the endpoint that is chosen in this recording from now on."""
    st.session_state[_KEEPING] = Keeping(model, recording.id)
    st.session_state[_KNOWN] = {**known(), recording.id: recording}


def keep_new(*, wanted: bool) -> None:
    """Keep the endpoint's replies in the recording that is played from now on, or no more."""
    st.session_state[_KEEPS] = wanted


def keep_no_more() -> None:
    """Keep no reply from now on."""
    st.session_state.pop(_KEEPING, None)


def may_keep(bench: Workbench, chat: ChatModel, owners: Collection[str]) -> bool:
    """Return True if the endpoint's replies may be kept in the recording that is played: one's own, of its model."""
    if chat.play is None or (asked := chat.without_recording) is None:
        return False
    recording, status = chat.play.recording, asked.status(bench.backends.models)
    name = asked.name(bench.settings) or (status.name if status.state == "ready" else "")
    return recording.owner in owners and recording.model == name


def chat(bench: Workbench, owners: Collection[str], wanted: Option | None = None) -> ChatModel:
    """The chat model that answers this browser, with the option `wanted`, else the one that is chosen; recordings of
    `owners` are its own."""
    wanted = wanted or chosen(bench)
    if wanted.kind == "recording":
        recording = known()[wanted.name]
        same = recording.model in bench.settings.chat_models
        model = reached(recording.model if same else "")
        played = RecordedModel(recording, missing(bench), pace(), model=model)
        keeps = bool(st.session_state.get(_KEEPS)) and may_keep(bench, played, owners)
        return replace(played, keeps=keeps)
    model = wanted.model(endpoint(), capability(wanted))
    kept: Keeping | None = st.session_state.get(_KEEPING)
    if kept is None or kept.model != wanted or kept.recording not in known():
        return model
    return RecordedModel(known()[kept.recording], "endpoint", pace(), keeps=True, model=model)


def reached(model: str = "") -> ChatModel:
    """The model of the endpoint set in this browser; where none is, the configured one, or another of that endpoint."""
    own = endpoint()
    return EndpointModel(own) if own else ConfiguredModel(model)


def reaches(bench: Workbench) -> bool:
    """True if a model other than the built-in one can be asked: an endpoint or a model file is set."""
    return endpoint() is not None or bench.settings.has_own_model


def endpoint() -> ChatEndpoint | None:
    """The chat endpoint set in this browser, kept in memory for this session only."""
    own: ChatEndpoint | None = st.session_state.get(ENDPOINT)
    return own


def use_endpoint(bench: Workbench, wanted: ChatEndpoint | None) -> None:
    """Ask this endpoint from now on; None: the first of `options`."""
    st.session_state[ENDPOINT] = wanted
    choose_capability(TYPED, None)  # of the one before
    choose(bench, TYPED if wanted else None)
