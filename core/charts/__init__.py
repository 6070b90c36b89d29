"""Figures and tables over several runs and evaluations: pure functions, no Streamlit."""
