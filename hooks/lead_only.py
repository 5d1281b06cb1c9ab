"""PreToolUse on calls that name baton or the chain: a subagent may not write the chain."""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
)

from baton.hot.guarded import guarded
from baton.hot.lead_only import main

guarded(main, dict(os.environ))
