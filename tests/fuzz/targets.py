"""All targets in Python."""

from tests.fuzz import of_game, of_gateway, of_socket, of_table, of_wire
from tests.fuzz.target import Target

TARGETS: dict[str, Target] = {
    target.name: target
    for area in (of_wire, of_game, of_table, of_gateway, of_socket)
    for target in area.TARGETS
}
