"""Tables of tilerace: seats, hosts, presence, clocks and tallies."""
