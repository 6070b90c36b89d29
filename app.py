"""Entry point: the log and navigation, nothing else."""

from core.logs import keep_log
from core.ui.shell import first_page
from core.ui.shell.navigation import navigation

keep_log()
navigation().run()
first_page.drawn()
