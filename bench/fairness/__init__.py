"""What shared draws, standings and timing give away, in figures (docs/fairness.md); run the modules by name."""
