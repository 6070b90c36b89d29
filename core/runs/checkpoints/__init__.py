"""Checkpoints after each step, kept so that a run can be forked or continued after a restart."""
