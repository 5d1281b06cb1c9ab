"""The command line's door.

`hooks/run cli …` starts it with `-I -S`, so it names its own folder first.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if sys.argv[1:] == ["statusline"]:
    # Asked for after every turn: the parser of arguments alone would take twice as long as the answer.
    from baton.hot import statusline

    statusline.main(dict(os.environ))
else:
    from baton.cli.app import main

    sys.exit(main(sys.argv[1:]))
