"""One command that runs the whole of tilerace on one machine."""
