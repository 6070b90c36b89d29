"""A run on the page: live, stored, edited. A `key` is unique on the page and stable between redraws."""
