"""Models within reach: those that run on this machine, and files of models that could."""
