"""SessionStart: what waits, told to the person and the model."""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
)

from baton.hot.guarded import guarded
from baton.hot.session_start import main

guarded(main, dict(os.environ))
