"""Workflow runs, as the hooks record them (design page runs)."""
