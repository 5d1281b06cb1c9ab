"""The research pipeline: tables of what may follow what, and the machine that holds everybody to them."""
