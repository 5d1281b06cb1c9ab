"""PreToolUse and PostToolUse on Workflow, SubagentStop, StopFailure: workflow runs are recorded."""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
)

from baton.hot.guarded import guarded
from baton.hot.runs.events import main

guarded(main, dict(os.environ))
