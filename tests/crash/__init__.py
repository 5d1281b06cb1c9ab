"""Operations that are ended, refused or cut off from their power at any moment.

operations.py says what they are and what must hold afterwards. test_calls.py interferes at each call that
changes a file (tests/syscalls.py). recorder.py writes down what an operation does to files, disk.py is
the model of what a cut of the power leaves of that, test_power.py opens such disks.
"""

import pytest

pytest.register_assert_rewrite("crash.operations")
