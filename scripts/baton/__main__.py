"""The command line's door.

`hooks/run cli …` starts it with `-I -S`, so it names its own folder first.
"""

import gc
import os
import sys

# What is loaded stays: looking through it for garbage costs a tenth of the start.
gc.disable()

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if sys.argv[1:] == ["statusline"]:
    # Asked for after every turn: the parser of arguments alone would take twice as long as the answer.
    from baton.hot import statusline

    statusline.main(dict(os.environ))
else:
    try:
        from baton.cli.app import leave, main

        leave(main(sys.argv[1:]))
    except KeyboardInterrupt:
        # While the parts of the command were still being loaded.
        os._exit(130)
