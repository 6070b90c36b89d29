"""A run on the page: live, stored, edited."""
