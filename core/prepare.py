"""What is made once, when the app is installed, so that it starts and answers faster. The app works without.

python -m core.prepare
"""

from __future__ import annotations

import sys

from core.models import encoder
from core.services import weights


def main() -> int:
    """Make what is not there; where it cannot be made, say so and go on."""
    for make, without in (
        (weights.prepare, "Prompts are read more slowly."),
        (encoder.prepare, "Every start takes some seconds longer."),
    ):
        try:
            make()
        except OSError as error:
            sys.stderr.write(
                f"What makes the app faster could not be written ({error.strerror}). {without}\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
