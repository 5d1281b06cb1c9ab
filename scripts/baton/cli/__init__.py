"""The command line: argparse → one call → print → exit code.

One module a group, imported when run (design page cli).
"""
