"""What `baton setup` makes of the files that it finds: pure, text in, text out (design page cli)."""
