"""Workarounds for Streamlit; each names the fault, the version, and the test that tells when it can go."""
