"""Tier 0: what runs on every turn. Cheap standard library only, nothing of baton's but `hot`."""
