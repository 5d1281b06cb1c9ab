"""Every state that a repository can be in, with baton at work in it: real gits, real hooks, the real
command line, and beside each repository a twin where baton never was and the user did the same.
"""
