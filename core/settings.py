"""Typed settings, read once from the environment and from `.env`; and the home folder, which is for its user
alone, since questions and the ids by which browsers are known stand in it."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, NonNegativeFloat, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.errors import InputError

DATABASE = "rag-loupe.sqlite"
"""What a folder holds that is a home already, unless its database is elsewhere."""
LEAST_COOKIE_SECRET = 32
"""Characters of a secret that signs cookies."""


def make_home(folder: Path) -> None:
    """Make the folder, readable by its user only; one that is there is closed to others if it is a home or empty.

    A folder that is used for other things, too, or belongs to somebody else, stays as it is.

    Raises:
        OSError: It cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if os.name != "posix":
        return
    status = folder.stat()
    if not status.st_mode & 0o077 or status.st_uid != os.geteuid():
        return
    if (folder / DATABASE).exists() or not any(folder.iterdir()):
        with suppress(OSError):  # a file system that has no such rights
            folder.chmod(0o700)


def make_file(path: Path) -> None:
    """Make an empty file, readable by its user only, where there is none.

    What SQLite puts beside it (its log) gets the same rights.

    Raises:
        OSError: It cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


class Settings(BaseSettings):
    """The settings of a deployment; every field is the environment variable of the same name."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    openai_base_url: str = ""
    """Base URL of an OpenAI-compatible chat endpoint; empty with a `chat_model`: OpenAI's own."""
    openai_api_key: SecretStr = SecretStr("")
    chat_model: str = ""
    """Model name at the endpoint. With neither this nor a base URL, the built-in model answers."""
    builtin_model_file: str = ""
    """A model file in the format GGUF that answers where no endpoint is configured, in place of the built-in model;
    empty: none does."""
    local_model_ports: str = "11434,1234,8080,8000"
    """Ports of this machine that are asked whether a server of chat models answers there, separated by commas, or
    `none`. The usual ones of Ollama, LM Studio, llama.cpp and vLLM."""
    more_chat_models: str = ""
    """Further models of the same endpoint, separated by commas, that visitors may choose in a comparison."""
    model_prices: dict[str, tuple[NonNegativeFloat, NonNegativeFloat]] = {}
    """Model name -> US dollars per million tokens sent and written, as JSON: `{"name": [0.15, 0.6]}`; what a run cost
    is shown for these."""
    embedding_base_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    embedding_model: str = ""
    """Model name at the embeddings endpoint; empty: the built-in embeddings."""
    rerank_base_url: str = ""
    """Base URL of a reranker that answers `/rerank`, e.g. `http://localhost:8000/v1`; empty: there is none."""
    rerank_api_key: SecretStr = SecretStr("")
    rerank_model: str = ""
    """Model name at the reranker; may be empty where it has only one."""
    chroma_url: str = ""
    """A Chroma server, e.g. `http://chroma:8000`; empty: a local one is started."""
    neo4j_uri: str = ""
    """A graph database that speaks Bolt, e.g. `neo4j://graphs:7687`; empty: a local one is started."""
    neo4j_username: str = ""
    neo4j_password: SecretStr = SecretStr("")
    arcadedb_url: str = ""
    """Where the server at `neo4j_uri` is asked to make databases, if it is an ArcadeDB, e.g. `http://graphs:2480`."""
    database_url: SecretStr = SecretStr("")
    """SQLAlchemy URL of catalogue, runs and checkpoints, e.g. `postgresql://user:password@host/database`;
    empty: SQLite in `rag_loupe_home`."""
    teacher_password: SecretStr = SecretStr("")
    """Who knows it may pin runs, and change and delete what others made; empty: everybody, as on a machine of one's
    own."""
    oidc_metadata_url: str = ""
    """Address at which an OpenID Connect provider describes itself, e.g.
    `https://…/.well-known/openid-configuration`; empty: nobody signs in by name, and a cookie tells browsers apart."""
    oidc_client_id: str = ""
    oidc_client_secret: SecretStr = SecretStr("")
    oidc_cookie_secret: SecretStr = SecretStr("")
    """Signs the cookies of those who signed in, and is the same in every process; at least 32 characters."""
    oidc_redirect_uri: str = ""
    """Address of the app as browsers see it, with `/oauth2callback` at its end."""
    oidc_teachers: str = ""
    """Teachers among those who sign in, separated by commas: verified e-mail addresses, or subjects of the provider."""
    oidc_teacher_claim: str = ""
    """Claim of the ID token, and the value that a teacher has in it, e.g. `groups=teachers`."""
    oidc_required: bool = False
    """True if the app is shown only to those who have signed in."""
    browser_endpoints: Literal["", "any", "public", "none"] = ""
    """Which chat endpoints may be typed in the browser by whoever is not signed in as the teacher; empty: `public`
    where a teacher's password is set, else `any`."""
    evaluations: Literal["", "teacher", "all"] = ""
    """Who may start evaluations; empty: the `teacher` where a teacher's password is set, else `all`."""
    contexts_and_graphs: Literal["", "teacher", "all"] = ""
    """Who may have the server's chat model write contexts for chunks and build graphs, a call for every few chunks;
    empty: the `teacher` where a teacher's password is set, else `all`."""
    max_mb_per_visitor: int = Field(500, ge=1)
    """What one visitor's documents, runs and recordings may take in all, where a teacher's password is set."""
    max_jobs_per_visitor: int = Field(2, ge=1)
    """Imports of documents and builds of graphs that one visitor may have under way at once, likewise."""
    max_runs_per_visitor: int = Field(12, ge=1)
    """Runs that one visitor may have under way at once, likewise."""
    max_calls_per_visitor_day: int = Field(0, ge=0)
    """Calls of the server's endpoint that one visitor may make in a day (UTC), likewise; 0: any number."""
    max_tokens_per_visitor_day: int = Field(0, ge=0)
    """Tokens, sent and written, that these calls of one visitor may take in a day, likewise; 0: any number."""
    max_calls_at_once: int = Field(0, ge=0)
    """Calls of the server's endpoint that one app process sends at once; others wait for their turn. 0: any number."""
    keep_days: int = Field(0, ge=0)
    """Days after which runs, comparisons, evaluations and classes are deleted, unless they are pinned; 0: never."""
    keep_nicknames_days: int = Field(30, ge=0)
    """Days after the end of a class after which it forgets nicknames; 0: never."""
    rag_loupe_home: Path = Field(default_factory=lambda: Path.home() / ".rag-loupe")
    """Folder for everything the app writes: indexes, runs, checkpoints, locks."""

    model_timeout_seconds: float = Field(60.0, gt=0)
    """How long one model call may go without sending anything."""
    model_attempts: int = Field(4, ge=1, le=10)
    """Tries per model call in all, the first included."""
    retry_base_seconds: float = Field(1.0, ge=0)
    """First back-off; it doubles with each retry."""
    max_calls: int = Field(40, ge=1)
    """Model calls that one run may make."""
    max_upload_mb: int = Field(25, ge=1)
    max_recording_mb: int = Field(50, ge=1)
    """Size of one recording of a model's replies, stored or imported."""
    allow_web_pages: bool = False
    """Whether visitors may have this server fetch public web pages as documents."""
    max_question_chars: int = Field(4000, ge=1)

    @model_validator(mode="after")
    def _login_is_whole(self) -> Self:
        if not self.has_login:
            if self.oidc_required:
                raise ValueError("OIDC_REQUIRED is set, but OIDC_METADATA_URL is not: nobody could sign in")
            return self
        needed = {
            "OIDC_CLIENT_ID": self.oidc_client_id,
            "OIDC_CLIENT_SECRET": self.oidc_client_secret.get_secret_value(),
            "OIDC_COOKIE_SECRET": self.oidc_cookie_secret.get_secret_value(),
            "OIDC_REDIRECT_URI": self.oidc_redirect_uri,
        }
        for name, value in needed.items():
            if not value:
                raise ValueError(f"OIDC_METADATA_URL is set, but {name} is not: signing in needs both")
        if len(needed["OIDC_COOKIE_SECRET"]) < LEAST_COOKIE_SECRET:
            raise ValueError(f"OIDC_COOKIE_SECRET needs at least {LEAST_COOKIE_SECRET} characters")
        if not re.fullmatch(r"https?://[^/?#]+(/[^?#]*)?/oauth2callback", self.oidc_redirect_uri):
            raise ValueError(
                "OIDC_REDIRECT_URI must be the address of the app with /oauth2callback at its end"
            )
        if self.oidc_teacher_claim and not all(map(str.strip, self.oidc_teacher_claim.partition("="))):
            raise ValueError("OIDC_TEACHER_CLAIM must be a claim, = and a value, such as groups=teachers")
        return self

    @property
    def database(self) -> str:
        """The SQLAlchemy URL in force; it may hold a password."""
        return self.database_url.get_secret_value() or f"sqlite:///{self.rag_loupe_home / DATABASE}"

    @property
    def max_recording_bytes(self) -> int:
        """Size of one recording."""
        return self.max_recording_mb * 2**20

    @property
    def has_teacher(self) -> bool:
        """True if a teacher's password is set, or those who sign in are teachers by name or by claim."""
        named = self.has_login and (self.oidc_teachers or self.oidc_teacher_claim)
        return bool(self.teacher_password.get_secret_value() or named)

    @property
    def has_login(self) -> bool:
        """True if visitors may sign in by name."""
        return bool(self.oidc_metadata_url)

    @property
    def limits_days(self) -> bool:
        """True if visitors have a budget for each day."""
        return self.has_teacher and bool(self.max_calls_per_visitor_day or self.max_tokens_per_visitor_day)

    @property
    def chat_models(self) -> tuple[str, ...]:
        """Models besides `chat_model` that may be chosen."""
        names = (name.strip() for name in self.more_chat_models.split(","))
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def has_reranker(self) -> bool:
        """True if a reranker is configured."""
        return bool(self.rerank_base_url.strip())

    @property
    def has_chat_endpoint(self) -> bool:
        """True if an endpoint is configured. A key alone is not enough: many machines carry one for other
        programs, and nobody should be billed for opening a teaching tool."""
        return bool(self.openai_base_url or self.chat_model)

    @property
    def has_own_model(self) -> bool:
        """True if another model than the built-in one answers where nothing is chosen."""
        return self.has_chat_endpoint or bool(self.builtin_model_file)


@cache
def get_settings() -> Settings:
    """The settings of this process.

    Raises:
        InputError: A setting has a value that is not possible.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:  # settings that do not go together
            raise InputError(f"{first['msg'].removeprefix('Value error, ')}.") from None
        name = str(first["loc"][0]).upper()
        raise InputError(f"The setting {name} is not usable: {first['msg'].lower()}.") from None
