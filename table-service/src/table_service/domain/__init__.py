"""Tables as pure transitions: time, leases and ids are arguments (docs/rules.md §4)."""
