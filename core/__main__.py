"""`python -m core`: the engine without a browser."""

import sys

from core.cli.main import main

sys.exit(main())
