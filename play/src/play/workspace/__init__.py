"""Makes ready what the commands of the Makefile need, with nothing but the standard library."""
