"""`python -m core`: the engine without a browser."""

import gc
import sys

# While everything is imported there is nothing to collect, and looking takes a tenth of the time; later, too, little is
# garbage that others point to.
gc.disable()
gc.set_threshold(100_000, 20, 100)

from core.cli.main import main  # noqa: E402

sys.exit(main())
