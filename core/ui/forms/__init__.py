"""Forms that several pages share: strategy, parameters, prompts, question."""
