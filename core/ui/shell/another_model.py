"""The dialog in which another model is chosen: a recording, the built-in one, one of this machine, or an endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

import streamlit as st
from pydantic import SecretStr

from core.cards.texts import named
from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED, EndpointModel, FileModel, ServerModel
from core.models.endpoint import PROBE_SECONDS, ChatEndpoint, from_browser, probe, typed_endpoints
from core.models.reach.files import FOLDER, ModelFile, folder, model_files
from core.models.reach.servers import LocalServer
from core.models.recordings.items import PACES
from core.runs.workbench import Workbench
from core.services.local_model import too_large
from core.ui.shell import models, session
from core.ui.shell.fetch_model import fetch_models
from core.ui.shell.models import Option
from core.ui.shell.safe import code, literal
from core.ui.shell.widgets import apart, close_dialog, dialog_open, fold, open_dialog
from core.wording import counted

ANOTHER_MODEL = "another-model"
MODEL_LINE = "model-line"
"""Key of the popover that the button is in."""
LOOK_SECONDS = 1.0
"""How long the dialog waits for servers on this machine; those that are closed refuse at once."""
EXAMPLES = {"any": "http://localhost:11434/v1", "public": "https://api.openai.com/v1"}
"""Addresses of endpoints that may be typed."""
PUBLIC_ONLY = (
    "It must be on the public internet: on this server, only the teacher can use one in its own network."
)
STATES = {
    "ready": ":green-badge[:material/check_circle: running]",
    "starting": ":orange-badge[:material/hourglass_top: loading]",
    "failed": ":red-badge[:material/error: not working]",
}
CANNOT = ":red-badge[:material/error: cannot run]"
IN_USE = ":blue-badge[:material/check: in use]"
PACE_TITLES = {"recorded": "as recorded", "fast": "fast", "once": "at once"}
PACE_HELP = "How fast kept replies are written. “As recorded” takes the seconds that the model took."


def offer_another(
    bench: Workbench, key: str = "another-model", width: Literal["stretch", "content"] = "stretch"
) -> None:
    """The button, where there is something to choose."""
    several = len([*islice(models.options(bench), 2)]) > 1
    if not several and typed_endpoints(bench.settings, session.user(bench)) == "none":
        return
    st.button(
        "Use another model",
        key=key,
        icon=":material/swap_horiz:",
        width=width,
        on_click=open_models,
    )


def open_models() -> None:
    """Have the dialog drawn; a callback."""
    # Else a click in the dialog would close the popover first, and be lost with the redraw.
    fold(MODEL_LINE)
    open_dialog(ANOTHER_MODEL)


def how_played(bench: Workbench) -> None:
    """Draw, for a recording that is chosen, the model that gives what it lacks, and its pace."""
    if models.chosen(bench).kind != "recording":
        return
    reached = models.reaches(bench)
    with st.expander("How it is played", key="how-played", icon=":material/album:"):
        st.session_state["missing-choice"] = models.missing(bench)
        who = {"endpoint": f"{_endpoint_name(bench)} answers", "builtin": "The built-in model answers"}
        st.selectbox(
            "Questions that are not recorded",
            ["endpoint", "builtin", "ask"] if reached else ["builtin", "ask"],
            format_func=lambda missing: who.get(missing, "Wait at that step and ask me"),
            key="missing-choice",
            on_change=lambda: models.choose_missing(bench, st.session_state["missing-choice"]),
            help="Every step marks replies that are not from the recording.",
        )
        st.selectbox(
            "Pace",
            PACES,
            PACES.index(models.PAGE_PACE),
            format_func=lambda pace: PACE_TITLES[pace].capitalize(),
            key=models.PACE,
            persist_state="session",
            help=PACE_HELP,
        )


@st.dialog("Use another model", width="medium", on_dismiss=close_dialog)
def another_model(bench: Workbench) -> None:
    """Choose the model that answers: an endpoint for this session only, any other until the browser is closed."""
    if not dialog_open(ANOTHER_MODEL):  # something was chosen
        st.rerun()
    _named(bench)
    asks = models.asks_servers(bench)
    servers = _on_this_machine(bench, model_files(bench.settings), asks=asks)
    allowed = typed_endpoints(bench.settings, session.user(bench))
    if allowed != "none" or models.endpoint():
        st.markdown("### Another endpoint")
        if models.endpoint():
            _row(bench, models.TYPED, "Yours, in this browser session only")
        if allowed != "none":
            _address(bench, allowed)
    if asks:
        with servers:  # last, since it may wait for them
            _servers(bench)


def _named(bench: Workbench) -> None:
    """Draw the endpoints that this server has set up, recordings, and the built-in model."""
    options = [*models.options(bench)]
    for option in options:
        if option.kind == "server":
            _row(bench, option, "An endpoint set up on this server")
    for option in options:
        if option.kind == "recording":
            recording = models.known()[option.name]
            replies = counted(recording.replies, "reply", "replies")
            line = f"Recording of {named(recording.model)}: {replies}, free, for the recorded questions"
            _row(bench, option, line)
    _row(
        bench, models.BUILTIN_OPTION, "Built in, 0.1 GB, works offline; too small to do every step by itself"
    )


def _on_this_machine(
    bench: Workbench, files: Sequence[ModelFile], *, asks: bool
) -> st.delta_generator.DeltaGenerator:
    """Draw model files; returns the place above them for the servers."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("### On this machine")
        st.button(
            "Look again",
            key="look-again",
            icon=":material/refresh:",
            type="tertiary",
            on_click=bench.backends.models.servers.forget,
        )
    servers = st.container()
    for file in sorted(files, key=lambda file: bool(file.problem)):
        _file(bench, file)
    place = str(folder(bench.settings)) if asks else f"RAG_LOUPE_HOME/{FOLDER}"
    st.caption(f"Model files (.gguf) in the folder {code(place)} are listed in this dialog.")
    fetch_models(bench)
    return servers


def _servers(bench: Workbench) -> None:
    """Draw the servers that answer now."""
    new = bench.backends.models.look_for_servers(LOOK_SECONDS)
    servers = models.servers(bench)
    for server in servers:
        _server(bench, server)
    if not new:
        st.caption("Some servers have not answered yet. Look again in a moment.")
    elif not servers:
        st.caption("No model server found (looked for Ollama, LM Studio, llama.cpp and vLLM).")


def _row(
    bench: Workbench, option: Option, line: str, badge: str = "", problem: str = "", *, usable: bool = True
) -> None:
    """Draw a model that can be chosen, with a line about it and the reason why it cannot answer, which may hold foreign
    text, and its state, as Markdown; if it is `usable`, there is a button to use it."""
    used = models.chosen(bench) == option
    with _frame(option):
        with st.container(gap=None):
            st.markdown(f"**{literal(_short(bench, option), 80)}** {badge} {IN_USE if used else ''}")
            st.caption(literal(line, 200))
            if problem:
                st.caption(f":red[{literal(problem)}]")
        if usable and not used:
            _use(bench, option)


def _frame(option: Option) -> st.delta_generator.DeltaGenerator:
    return st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        border=True,
        key=f"row-{mark(option)}",
    )


def _use(bench: Workbench, option: Option) -> None:
    def choose() -> None:  # a callback: the dialog may be drawn anew before it comes to the button
        models.choose(bench, option)
        close_dialog()

    st.button("Use", key=f"use-{mark(option)}", width=80, on_click=choose)


def mark(option: Option) -> str:
    """The part of a key that stands for an option, whose name may be foreign."""
    text = option.to_cookie()
    return text if text.isalpha() else hashlib.sha256(text.encode()).hexdigest()[:12]


def _server(bench: Workbench, server: LocalServer) -> None:
    """Draw a server on this machine, one of whose models can be chosen."""
    chosen = models.chosen(bench)
    mine = {models.local_model(server, name): name for name in server.models}
    state = STATES["ready"]
    problem = ""
    if chosen in mine:
        status = ServerModel(server.endpoint(mine[chosen])).status(bench.backends.models)
        state, problem = STATES.get(status.state, ""), status.message if status.state == "failed" else ""
    with _frame(Option("local", port=server.port)):
        with st.container(gap="small"):
            with st.container(gap=None):
                st.markdown(f"**{literal(server.program)}** {state} {IN_USE if chosen in mine else ''}")
                st.caption(f"Server on this machine, port {server.port}; {counted(len(mine), 'model')}")
                if problem:
                    st.caption(f":red[{literal(problem)}]")
            name = st.selectbox(
                f"Model of {server.program}",
                server.models,
                index=server.models.index(mine[chosen]) if chosen in mine else 0,
                key=f"models-{server.port}",
                label_visibility="collapsed",
            )
        if (wanted := models.local_model(server, str(name))) != chosen:
            _use(bench, wanted)


def _file(bench: Workbench, file: ModelFile) -> None:
    """Draw a model file with its state, or the reason why it cannot run."""
    status = FileModel(file.name).status(bench.backends.models)
    problem, badge = file.problem, CANNOT if file.problem else STATES.get(status.state, "")
    runs = status.state in ("ready", "starting")
    if not problem and not runs:
        problem = status.message if status.state == "failed" else ""
        left = bench.backends.models.files.left()
        if file.header and (shortage := too_large(file.header, file.name, left)):
            problem, badge = shortage, CANNOT
    usable = badge != CANNOT
    if usable and not models.may_start(bench, file.name):
        problem, usable = "Only the teacher can start it on this server.", False
    line = f"File on this machine: {file.described}" if file.header else "File on this machine"
    _row(bench, Option("file", file.name), line, badge, problem, usable=usable)


def titles(bench: Workbench, options: Iterable[Option]) -> dict[Option, str]:
    """Return a title in plain text for each option; no two are the same."""
    return apart({option: _title(bench, option) for option in options})


def _title(bench: Workbench, option: Option) -> str:
    if option.kind == "built-in":
        return "The built-in model"
    name = _short(bench, option)
    if option.kind == "recording":
        recording = models.known()[option.name]
        replies = counted(recording.replies, "reply", "replies")
        return f"{name}, recorded from {named(recording.model)}, {replies}"
    places = {"typed": "your endpoint", "server": "this server's"}
    return f"{name} ({places.get(option.kind, 'on this machine')})"


def _short(bench: Workbench, option: Option) -> str:
    """Return the name of an option alone."""
    if option.kind == "typed":
        return _endpoint_name(bench)
    if option.kind == "server":
        return named(option.name or CONFIGURED.status(bench.backends.models).name)
    if option.kind == "recording":
        return f"“{models.known()[option.name].name}”"
    return option.name or "SmolLM2 135M"


def _endpoint_name(bench: Workbench) -> str:
    return named(models.reached().status(bench.backends.models).name)


def _address(bench: Workbench, allowed: str) -> None:
    """Draw the form for an endpoint of this session only: kept in memory, never written, without the server's key."""
    st.caption(
        "Any OpenAI-compatible endpoint. It is used in this browser session only and never stored. "
        "Questions and passages are sent to it." + (f" {PUBLIC_ONLY}" if allowed == "public" else "")
    )
    with st.form("endpoint", border=False):
        url = st.text_input("Address", placeholder=EXAMPLES[allowed], key="endpoint-url")
        model = st.text_input(
            "Model", key="endpoint-model", help="Leave it empty for the first model that the endpoint lists."
        )
        secret = st.text_input(
            "Key", type="password", key="endpoint-key", help="Leave it empty if none is needed."
        )
        if error := st.session_state.get("endpoint-error"):  # where the button was, which is in sight
            st.error(literal(error))
        if st.form_submit_button("Test and use", key="endpoint-use", width="stretch"):
            _try(bench, ChatEndpoint(url, SecretStr(secret), model))
    if models.endpoint() and st.button("Forget this endpoint", key="endpoint-reset", width="stretch"):
        models.use_endpoint(bench, None)
        close_dialog()
        st.rerun()


def _try(bench: Workbench, wanted: ChatEndpoint) -> None:
    user = session.user(bench)

    async def test() -> ChatEndpoint:
        typed = from_browser(bench.settings, wanted, user)
        endpoint = await EndpointModel(typed).open(bench.backends.models)
        await probe(endpoint)
        return endpoint

    st.session_state["endpoint-error"] = ""
    try:
        with st.spinner(f"Asking the endpoint, for {3 * PROBE_SECONDS:.0f} s at most…", show_time=True):
            models.use_endpoint(bench, run_blocking(test(), timeout=3 * PROBE_SECONDS))
        close_dialog()
    except (LoupeError, TimeoutError) as error:
        st.session_state["endpoint-error"] = str(error) or "The endpoint did not answer in time. Try again."
    st.rerun()
