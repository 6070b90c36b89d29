"""Entry point: the log and navigation, nothing else."""

from core.logs import keep_log
from core.ui.shell import navigation

keep_log()
navigation.navigation().run()
navigation.FIRST_PAGE.set()
