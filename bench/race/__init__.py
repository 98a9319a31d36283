"""What a slide costs: tilerace as it ships beside what others build on, under a load of ours (`make bench`)."""
