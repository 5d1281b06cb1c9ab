"""Git as the hot tier needs it: what can be read without starting it, and its one speaker."""
