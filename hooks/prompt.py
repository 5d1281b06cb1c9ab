"""UserPromptSubmit, UserPromptExpansion: the note that a person typed, /pause before the model is asked."""

import os
import sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")
)

from baton.hot.guarded import guarded
from baton.hot.prompt import main

guarded(main, dict(os.environ))
