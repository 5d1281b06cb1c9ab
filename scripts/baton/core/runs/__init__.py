"""Workflow runs: what their journals prove, and the script that asks only for the rest."""
