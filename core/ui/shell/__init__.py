"""What every page stands in: navigation, session, theme, messages."""
