"""The frame of every page: navigation, session, sidebar, messages."""
