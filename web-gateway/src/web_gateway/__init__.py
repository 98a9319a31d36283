"""The page and the sockets of tilerace."""
