"""Every frame of the table's socket, as types (docs/socket.md is written from them).

Times are milliseconds since the epoch on the store's clock. Seats are 1 to 4; `race` is the race's number at its table.
"""
