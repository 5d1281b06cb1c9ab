"""What `baton doctor` looks at: facts alone; what they mean is decided in core/doctor."""
