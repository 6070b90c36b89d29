"""As all chains."""

from tests.explorables.chains import state, use

__all__ = ["state", "use"]
