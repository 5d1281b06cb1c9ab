"""The edge: touches files, clock, processes and the network; decides nothing."""
