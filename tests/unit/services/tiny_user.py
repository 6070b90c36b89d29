"""A process that uses the tiny service: says which one it got, and stays until its input is closed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from core.services.supervisor import Supervisor
from tests.unit.services.tiny_service import TINY

running = Supervisor(Path(sys.argv[1])).ensure(TINY)
print(json.dumps({"pid": running.pid, "url": running.url}), flush=True)
sys.stdin.read()
