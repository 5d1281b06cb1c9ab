"""The pipelines' logs on the disk, and the files that they speak of."""
