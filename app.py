"""Entry point: the log, page configuration and navigation, nothing else."""

import streamlit as st

from core.logs import keep_log
from core.ui.shell import first_page
from core.ui.shell.navigation import navigation

keep_log()
st.set_page_config(page_title="RAG Loupe", page_icon="🔎", layout="wide", initial_sidebar_state="expanded")
navigation().run()
first_page.drawn()
