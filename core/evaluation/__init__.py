"""Which strategy is better: labelled questions, metrics, statistics."""
