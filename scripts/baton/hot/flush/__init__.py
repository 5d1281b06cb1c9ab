"""The flush: the state files as they are on disk go into git (design page persist)."""
