"""What `baton doctor` makes of the facts: one module a part, one pure function a check."""
