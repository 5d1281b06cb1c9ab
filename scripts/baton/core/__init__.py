"""Tier 1: pure decisions. No files, clock, environment or processes."""
