"""`python -m core`: the engine without a browser."""

import gc
import sys

gc.disable()  # while everything is imported there is nothing to collect, and looking takes a tenth of the time

from core.cli.main import main  # noqa: E402

sys.exit(main())
