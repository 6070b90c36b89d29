"""Entry point: the log, page configuration and navigation, nothing else."""

import streamlit as st

from core.logs import keep_log
from core.ui.shell import first_page
from core.ui.shell.navigation import ICON, SIDEBAR_PX, navigation

keep_log()
st.set_page_config(page_title="RAG Loupe", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX)
navigation().run()
first_page.drawn()
