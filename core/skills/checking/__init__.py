"""What a model that nobody knows can do: the skills' own prompts, asked of it on a few items with known outcomes."""
