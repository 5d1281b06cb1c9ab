"""Hostile input for every parser of bytes that somebody else may have written.

corpus.py holds what to begin with, mutations.py changes it, parsers.py is the table of who reads what and
how it may refuse, test_parsers.py and test_commands.py try it.
"""
