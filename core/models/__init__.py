"""Chat and embedding models, asked by the OpenAI API or run here."""

import sys
from typing import Any, cast

# The OpenAI client has a second transport, which is not used here. It would be imported because others have installed
# aiohttp, and takes a tenth of the time in which a command reaches its first model call; the client does without.
cast("dict[str, Any]", sys.modules).setdefault("openai._vendor.httpx_aiohttp", None)
