"""Workflow runs on disk: the host's journals, the run's own folder, what its agents left behind."""
