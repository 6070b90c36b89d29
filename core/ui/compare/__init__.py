"""Runs side by side: how they are drawn."""
