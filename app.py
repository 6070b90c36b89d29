"""Entry point: the server, and, as the script of every page, the log and navigation."""

from core.logs import keep_log

if __name__ == "__main__":  # the script of a page
    from core.ui.shell import navigation

    keep_log()
    navigation.navigation().run()
    navigation.FIRST_PAGE.set()
else:
    from streamlit.starlette import App

    from core.ui.shell import login
    from core.ui.shell.server import PHONES

    app = App(__file__, secrets=login.secrets(), routes=login.routes(), middleware=[PHONES])
